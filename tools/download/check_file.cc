#include "tools/download/check_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "data/formats/hash/hash.h"

namespace tessera {
namespace {

constexpr size_t kStep = 1 << 20;

struct Check {
  const char* algorithm;
  std::string expected;
  std::unique_ptr<Hasher> hasher;
};

absl::StatusOr<std::vector<Check>> StartChecks(const FileChecks& checks) {
  std::vector<Check> started;
  for (const auto& [algorithm, expected] :
       {std::pair("md5", checks.md5), std::pair("sha256", checks.sha256)}) {
    if (expected.empty()) continue;
    TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Hasher> hasher, Hasher::Create(algorithm));
    started.push_back({algorithm, absl::AsciiStrToLower(expected), std::move(hasher)});
  }
  return started;
}

absl::Status CannotRead(const std::string& path) {
  return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
}

absl::Status Hash(int file, const std::string& path, std::vector<Check>& checks,
                  absl::FunctionRef<void(uint64_t done)> done) {
  const auto buffer = std::make_unique<char[]>(kStep);
  uint64_t total = 0;
  while (true) {
    const ssize_t count = read(file, buffer.get(), kStep);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotRead(path);
    if (count == 0) return absl::OkStatus();
    for (Check& check : checks) check.hasher->Update({buffer.get(), static_cast<size_t>(count)});
    total += count;
    done(total);
  }
}

}  // namespace

absl::Status CheckFile(const std::string& path, const FileChecks& checks,
                       absl::FunctionRef<void(uint64_t done)> done) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about;
  if (!file.open() || fstat(file.get(), &about) != 0) return CannotRead(path);
  if (!S_ISREG(about.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": found no regular file, expected one"));
  }
  if (checks.size != 0 && static_cast<uint64_t>(about.st_size) != checks.size) {
    return absl::DataLossError(
        absl::StrCat(path, ": found ", about.st_size, " bytes, expected ", checks.size));
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<Check> started, StartChecks(checks));
  if (started.empty()) return absl::OkStatus();
  TESSERA_RETURN_IF_ERROR(Hash(file.get(), path, started, done));
  for (Check& check : started) {
    const std::string found = check.hasher->Hex();
    if (found != check.expected) {
      return absl::DataLossError(absl::StrCat(path, ": found ", check.algorithm, " ", found,
                                              ", expected ", check.expected));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera
