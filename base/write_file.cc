#include "base/write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace tessera {

absl::Status WriteFile(const std::string& path, absl::string_view contents) {
  const std::string temporary = path + ".tmp";
  std::ofstream file(temporary, std::ios::trunc | std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (file && std::rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  const int error = errno;
  std::remove(temporary.c_str());
  return absl::UnavailableError(absl::StrCat(path, ": cannot be written: ", std::strerror(error)));
}

}  // namespace tessera
