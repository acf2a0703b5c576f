#ifndef TESSERA_BASE_ENVIRONMENT_H_
#define TESSERA_BASE_ENVIRONMENT_H_

#include <cstdlib>
#include <initializer_list>
#include <string>

namespace tessera {

// The value of an environment variable; empty where it is not set.
inline std::string GetEnv(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// That of the first of `names` that is set and not empty.
inline std::string FirstEnv(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (std::string value = GetEnv(name); !value.empty()) return value;
  }
  return "";
}

}  // namespace tessera

#endif  // TESSERA_BASE_ENVIRONMENT_H_
