#include "models/weights/safetensors.h"

#include <ATen/ops/empty.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

using NamedTensorList = std::vector<std::pair<std::string, at::Tensor>>;

constexpr uint64_t kMostHeaderBytes = 100'000'000;  // the limit of the reference implementation

struct DtypeName {
  absl::string_view name;
  at::ScalarType type;
};
// In the order in which the reference implementation lays tensors out, the largest first.
constexpr DtypeName kDtypes[] = {
    {"I64", at::kLong},      {"F64", at::kDouble}, {"F32", at::kFloat}, {"I32", at::kInt},
    {"BF16", at::kBFloat16}, {"F16", at::kHalf},   {"I16", at::kShort}, {"I8", at::kChar},
    {"U8", at::kByte},       {"BOOL", at::kBool},
};

std::optional<size_t> RankOf(at::ScalarType type) {
  for (size_t i = 0; i < std::size(kDtypes); ++i) {
    if (kDtypes[i].type == type) return i;
  }
  return std::nullopt;
}

std::optional<at::ScalarType> TypeOf(absl::string_view name) {
  for (const DtypeName& dtype : kDtypes) {
    if (dtype.name == name) return dtype.type;
  }
  return std::nullopt;
}

absl::Status Damaged(const std::string& path, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(path, " is not a whole safetensors file: ", what));
}

// The product of the sizes; nullopt where one is no count, or the product (zeros counted as ones:
// torch multiplies strides so) overflows.
std::optional<uint64_t> ElementCount(const json& shape, std::vector<int64_t>* sizes) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max() / sizeof(double);
  uint64_t extent = 1;
  bool empty = false;
  for (const json& size : shape) {
    if (!size.is_number_unsigned()) return std::nullopt;
    const uint64_t value = size.get<uint64_t>();
    if (value > kMost || (value != 0 && extent > kMost / value)) return std::nullopt;
    extent *= std::max<uint64_t>(value, 1);
    empty |= value == 0;
    sizes->push_back(static_cast<int64_t>(value));
  }
  return empty ? 0 : extent;
}

// A file that is open to read.
class Reader {
 public:
  explicit Reader(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Reader() {
    if (file_ >= 0) close(file_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // nullopt with errno set where it is no file that can be read.
  std::optional<uint64_t> size() const {
    struct stat info {};
    if (file_ < 0 || fstat(file_, &info) != 0) return std::nullopt;
    if (S_ISDIR(info.st_mode)) {
      errno = EISDIR;
      return std::nullopt;
    }
    return info.st_size;
  }

  // Reads `count` bytes at `offset`; false where it fails or there are fewer.
  bool Read(uint64_t offset, uint64_t count, void* to) const {
    char* next = static_cast<char*>(to);
    while (count > 0) {
      const ssize_t done = pread(file_, next, count, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      offset += done;
      next += done;
      count -= done;
    }
    return true;
  }

 private:
  int file_;
};

// A tensor as the header has it: its bytes lie from `begin` to `end` of the data.
struct Entry {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<int64_t> sizes;
  uint64_t begin = 0;
  uint64_t end = 0;
};

absl::StatusOr<Entry> ParseEntry(const std::string& path, const std::string& name,
                                 const json& fields, uint64_t data_size) {
  const auto damaged = [&](absl::string_view what) {
    return Damaged(path, absl::StrCat("tensor ", name, ": ", what));
  };
  if (!fields.is_object() || !fields.contains("dtype") || !fields["dtype"].is_string() ||
      !fields.contains("shape") || !fields["shape"].is_array() ||
      !fields.contains("data_offsets") || !fields["data_offsets"].is_array() ||
      fields["data_offsets"].size() != 2 || !fields["data_offsets"][0].is_number_unsigned() ||
      !fields["data_offsets"][1].is_number_unsigned()) {
    return damaged("expected dtype, shape and two data_offsets");
  }
  const std::string dtype = fields["dtype"].get<std::string>();
  const std::optional<at::ScalarType> type = TypeOf(dtype);
  if (!type.has_value()) return damaged(absl::StrCat("dtype ", dtype, " is not known"));
  Entry entry;
  entry.name = name;
  entry.type = *type;
  const std::optional<uint64_t> count = ElementCount(fields["shape"], &entry.sizes);
  if (!count.has_value()) return damaged("its shape is no list of possible sizes");
  entry.begin = fields["data_offsets"][0].get<uint64_t>();
  entry.end = fields["data_offsets"][1].get<uint64_t>();
  if (entry.begin > entry.end || entry.end > data_size) {
    return damaged(
        absl::StrCat("lies at bytes ", entry.begin, " to ", entry.end, " of ", data_size));
  }
  const uint64_t bytes = entry.end - entry.begin;
  if (*count * at::elementSize(*type) != bytes) {
    return damaged(
        absl::StrCat("has ", bytes, " bytes, expected ", *count, " elements of ", dtype));
  }
  return entry;
}

// The tensors, in the order of their bytes, fill the data without gap or overlap.
absl::Status CheckCover(const std::string& path, const std::vector<Entry>& entries,
                        uint64_t data_size) {
  uint64_t end = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != end) {
      return Damaged(path, absl::StrCat("tensor ", entry.name, " begins at byte ", entry.begin,
                                        " of the data, the one before it ends at ", end));
    }
    end = entry.end;
  }
  if (end != data_size) {
    return Damaged(path,
                   absl::StrCat("it has ", data_size, " bytes of data, its header says ", end));
  }
  return absl::OkStatus();
}

// The header's text; `data_begin` is where the data begins.
absl::StatusOr<std::string> ReadHeader(const std::string& path, const Reader& file,
                                       uint64_t file_size, uint64_t* data_begin) {
  uint64_t length = 0;
  if (file_size < sizeof(length) || !file.Read(0, sizeof(length), &length)) {
    return Damaged(path, absl::StrCat("it has ", file_size, " bytes, expected 8 or more"));
  }
  if (length > kMostHeaderBytes || length > file_size - sizeof(length)) {
    return Damaged(path, absl::StrCat("its header has ", length, " bytes, the file ", file_size));
  }
  std::string text(length, '\0');
  if (!file.Read(sizeof(length), length, text.data())) return Damaged(path, "reading it failed");
  *data_begin = sizeof(length) + length;
  return text;
}

// The tensors that the header names, in the order of their bytes.
absl::StatusOr<std::vector<Entry>> ParseHeader(const std::string& path, const std::string& text,
                                               uint64_t data_size) {
  // A name that comes twice would hide a tensor: the parser would keep the last.
  std::set<std::string> names;
  std::optional<std::string> twice;
  const auto see = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth == 1) {
      const auto name = parsed.get<std::string>();
      if (!names.insert(name).second) twice = name;
    }
    return true;
  };
  const json header = json::parse(text, see, /*allow_exceptions=*/false);
  if (!header.is_object()) return Damaged(path, "its header is not a JSON object");
  if (twice.has_value()) {
    return Damaged(path, absl::StrCat("the name ", *twice, " comes twice in its header"));
  }
  std::vector<Entry> entries;
  for (const auto& [name, fields] : header.items()) {
    if (name == "__metadata__") continue;
    TESSERA_ASSIGN_OR_RETURN(Entry entry, ParseEntry(path, name, fields, data_size));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  TESSERA_RETURN_IF_ERROR(CheckCover(path, entries, data_size));
  return entries;
}

// The header of a file that holds `tensors` one after the other, padded to a multiple of 8 bytes.
absl::StatusOr<std::string> HeaderText(const std::string& path, const NamedTensorList& tensors,
                                       const std::map<std::string, std::string>& metadata) {
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t offset = 0;
  std::set<std::string> names = {"__metadata__"};
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": two tensors are called ", name));
    }
    ordered_json entry;
    entry["dtype"] = std::string(kDtypes[*RankOf(tensor.scalar_type())].name);
    entry["shape"] = tensor.sizes().vec();
    entry["data_offsets"] = {offset, offset + tensor.nbytes()};
    header.push_back({name, std::move(entry)});
    offset += tensor.nbytes();
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

// CPU copies where needed, in the order in which the file has them.
absl::StatusOr<NamedTensorList> InFileOrder(const std::string& path,
                                            const NamedTensorList& tensors) {
  NamedTensorList sorted;
  for (const auto& [name, tensor] : tensors) {
    if (!RankOf(tensor.scalar_type()).has_value()) {
      return absl::UnimplementedError(
          absl::StrCat(path, ": tensor ", name, " has a type that safetensors files do not hold"));
    }
    try {
      sorted.emplace_back(name, tensor.detach().to(at::kCPU).contiguous());
    } catch (const std::exception& error) {
      return absl::InternalError(absl::StrCat(path, ": tensor ", name, ": ", error.what()));
    }
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const size_t rank_a = *RankOf(a.second.scalar_type()), rank_b = *RankOf(b.second.scalar_type());
    return rank_a != rank_b ? rank_a < rank_b : a.first < b.first;
  });
  return sorted;
}

}  // namespace

absl::Status WriteSafetensors(const std::string& path,
                              const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  TESSERA_ASSIGN_OR_RETURN(const NamedTensorList sorted, InFileOrder(path, tensors));
  TESSERA_ASSIGN_OR_RETURN(const std::string header, HeaderText(path, sorted, metadata));
  const uint64_t length = header.size();
  std::vector<absl::string_view> pieces = {{reinterpret_cast<const char*>(&length), sizeof(length)},
                                           header};
  for (const auto& [name, tensor] : sorted) {
    pieces.emplace_back(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
  }
  return WriteFile(path, pieces, Durability::kSynced);
}

absl::StatusOr<std::map<std::string, at::Tensor>> ReadSafetensors(const std::string& path) {
  const Reader file(path);
  const std::optional<uint64_t> size = file.size();
  if (!size.has_value()) {
    return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  }
  uint64_t data_begin = 0;
  TESSERA_ASSIGN_OR_RETURN(const std::string header, ReadHeader(path, file, *size, &data_begin));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Entry> entries,
                           ParseHeader(path, header, *size - data_begin));
  std::map<std::string, at::Tensor> tensors;
  for (const Entry& entry : entries) {
    at::Tensor tensor;
    try {
      tensor = at::empty(entry.sizes, at::TensorOptions().dtype(entry.type));
    } catch (const std::exception& error) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": no memory for tensor ", entry.name, ": ", error.what()));
    }
    if (!file.Read(data_begin + entry.begin, entry.end - entry.begin, tensor.mutable_data_ptr())) {
      return Damaged(path, absl::StrCat("reading tensor ", entry.name, " failed"));
    }
    tensors.emplace(entry.name, std::move(tensor));
  }
  return tensors;
}

}  // namespace tessera
