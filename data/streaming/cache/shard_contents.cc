#include "data/streaming/cache/shard_contents.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "data/formats/compression/compression.h"
#include "data/formats/hash/hash.h"

namespace tessera {
namespace {

absl::Status WriteAll(int file, uint64_t offset, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::ErrnoToStatus(errno, "cannot write");
    bytes.remove_prefix(count);
    offset += count;
  }
  return absl::OkStatus();
}

absl::Status Expand(const ShardExpander& expander, absl::string_view zip, uint64_t bytes, int raw) {
  uint64_t written = 0;
  TESSERA_RETURN_IF_ERROR(expander(zip, [&](absl::string_view piece) -> absl::Status {
    if (piece.size() > bytes - written) {
      return absl::DataLossError(
          absl::StrCat("it holds more than the ", bytes, " bytes that the index says"));
    }
    TESSERA_RETURN_IF_ERROR(WriteAll(raw, written, piece));
    written += piece.size();
    return absl::OkStatus();
  }));
  if (written == bytes) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("it holds ", written, " bytes, but in the index ", bytes));
}

}  // namespace

const FileInfo& SentFile(const ShardFile& shard) { return shard.zip ? *shard.zip : shard.raw; }

const FileInfo::Hash* FindHash(const FileInfo& file, absl::string_view algorithm) {
  const auto found =
      std::find_if(file.hashes.begin(), file.hashes.end(),
                   [&](const FileInfo::Hash& hash) { return hash.algorithm == algorithm; });
  return found == file.hashes.end() ? nullptr : &*found;
}

absl::Status CheckContents(const FileInfo& file, absl::string_view contents,
                           absl::string_view algorithm) {
  if (contents.size() != file.bytes) {
    return absl::DataLossError(
        absl::StrCat("it has ", contents.size(), " bytes, but in the index ", file.bytes));
  }
  if (algorithm.empty()) return absl::OkStatus();
  const FileInfo::Hash* const expected = FindHash(file, algorithm);
  if (expected == nullptr) return absl::OkStatus();  // of the form that is not sent
  TESSERA_ASSIGN_OR_RETURN(const std::string found, HashHex(algorithm, contents));
  if (found == expected->hex) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("its ", algorithm, " is ", found, ", but in the index ", expected->hex));
}

absl::Status CheckAndDecompress(const ShardFile& shard, absl::string_view zip,
                                absl::string_view algorithm, const ShardExpander& expander,
                                int raw) {
  TESSERA_RETURN_IF_ERROR(CheckContents(*shard.zip, zip, algorithm));
  if (expander != nullptr) return Expand(expander, zip, shard.raw.bytes, raw);
  TESSERA_ASSIGN_OR_RETURN(const Codec codec, Codec::Parse(shard.compression));
  // Not into a mapping of the file: where a file system cannot keep its promise of room, that is a
  // signal instead of an error.
  const auto contents = std::make_unique_for_overwrite<char[]>(shard.raw.bytes);
  const auto span = absl::MakeSpan(contents.get(), shard.raw.bytes);
  TESSERA_RETURN_IF_ERROR(codec.Decompress(zip, span));
  return WriteAll(raw, 0, absl::string_view(span.data(), span.size()));
}

}  // namespace tessera
