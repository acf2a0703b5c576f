#ifndef TESSERA_BASE_STATUS_MACROS_H_
#define TESSERA_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns the status of `expression` from the enclosing function unless it is OK.
#define TESSERA_RETURN_IF_ERROR(expression)                                 \
  do {                                                                      \
    if (absl::Status tessera_status = (expression); !tessera_status.ok()) { \
      return tessera_status;                                                \
    }                                                                       \
  } while (false)

// Assigns the value of the StatusOr `expression` to `target`, which may be a declaration, or
// returns its status from the enclosing function.
#define TESSERA_ASSIGN_OR_RETURN(target, expression) \
  TESSERA_ASSIGN_OR_RETURN_IMPL_(TESSERA_CONCAT_(tessera_or_, __LINE__), target, expression)

#define TESSERA_CONCAT_IMPL_(a, b) a##b
#define TESSERA_CONCAT_(a, b) TESSERA_CONCAT_IMPL_(a, b)
#define TESSERA_ASSIGN_OR_RETURN_IMPL_(temporary, target, expression) \
  auto temporary = (expression);                                      \
  if (!temporary.ok()) return std::move(temporary).status();          \
  target = *std::move(temporary)

#endif  // TESSERA_BASE_STATUS_MACROS_H_
