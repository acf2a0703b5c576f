#ifndef TESSERA_TRAIN_TORCH_STATUS_H_
#define TESSERA_TRAIN_TORCH_STATUS_H_

#include <exception>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tessera {

// The error that an exception of torch becomes: its first line, which says what is wrong; the lines
// after it are a stack trace.
inline absl::Status TorchError(absl::string_view doing, const std::exception& error) {
  const std::string text = error.what();
  return absl::InternalError(absl::StrCat(doing, ": ", text.substr(0, text.find('\n'))));
}

}  // namespace tessera

#endif  // TESSERA_TRAIN_TORCH_STATUS_H_
