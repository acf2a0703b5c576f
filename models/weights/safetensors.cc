#include "models/weights/safetensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

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

// The product of the sizes; nullopt where one is no count, or the product is beyond a file's size.
std::optional<uint64_t> ElementCount(const json& shape, std::vector<int64_t>* sizes) {
  uint64_t count = 1;
  for (const json& size : shape) {
    if (!size.is_number_unsigned()) return std::nullopt;
    const uint64_t value = size.get<uint64_t>();
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    if (value > kMost || (value != 0 && count > kMost / value)) return std::nullopt;
    count *= value;
    sizes->push_back(static_cast<int64_t>(value));
  }
  return count;
}

// Where a tensor's bytes lie in the data.
struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
};

absl::StatusOr<at::Tensor> ReadTensor(const std::string& path, const std::string& name,
                                      const json& entry, absl::string_view data, Span* span) {
  const auto damaged = [&](absl::string_view what) {
    return Damaged(path, absl::StrCat("tensor ", name, ": ", what));
  };
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
      !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2 ||
      !entry["data_offsets"][0].is_number_unsigned() ||
      !entry["data_offsets"][1].is_number_unsigned()) {
    return damaged("expected dtype, shape and two data_offsets");
  }
  const std::string dtype = entry["dtype"].get<std::string>();
  const std::optional<at::ScalarType> type = TypeOf(dtype);
  if (!type.has_value()) return damaged(absl::StrCat("dtype ", dtype, " is not known"));
  std::vector<int64_t> sizes;
  const std::optional<uint64_t> count = ElementCount(entry["shape"], &sizes);
  if (!count.has_value()) return damaged("its shape is no list of sizes");
  *span = {entry["data_offsets"][0].get<uint64_t>(), entry["data_offsets"][1].get<uint64_t>()};
  if (span->begin > span->end || span->end > data.size()) {
    return damaged(
        absl::StrCat("lies at bytes ", span->begin, " to ", span->end, " of ", data.size()));
  }
  const uint64_t bytes = span->end - span->begin;
  if (*count > bytes || *count * at::elementSize(*type) != bytes) {
    return damaged(
        absl::StrCat("has ", bytes, " bytes, expected ", *count, " elements of ", dtype));
  }
  at::Tensor tensor = at::empty(sizes, at::TensorOptions().dtype(*type));
  if (bytes > 0) std::memcpy(tensor.mutable_data_ptr(), data.data() + span->begin, bytes);
  return tensor;
}

// The tensors fill the data, without gap or overlap.
absl::Status CheckCover(const std::string& path, std::vector<Span> spans, uint64_t size) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t end = 0;
  for (const Span& span : spans) {
    if (span.begin != end) return Damaged(path, "tensors overlap, or leave a gap");
    end = span.end;
  }
  if (end != size) {
    return Damaged(path, absl::StrCat("it has ", size, " bytes of data, its header says ", end));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteSafetensors(const std::string& path,
                              const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  std::vector<std::pair<std::string, at::Tensor>> sorted;
  for (const auto& [name, tensor] : tensors) {
    if (!RankOf(tensor.scalar_type()).has_value()) {
      return absl::UnimplementedError(
          absl::StrCat(path, ": tensor ", name, " has a type that safetensors files do not hold"));
    }
    sorted.emplace_back(name, tensor.detach().to(at::kCPU).contiguous());
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const size_t rank_a = *RankOf(a.second.scalar_type()), rank_b = *RankOf(b.second.scalar_type());
    return rank_a != rank_b ? rank_a < rank_b : a.first < b.first;
  });

  ordered_json header = ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const auto& [name, tensor] : sorted) {
    if (header.contains(name)) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": two tensors are called ", name));
    }
    ordered_json& entry = header[name];
    entry["dtype"] = std::string(kDtypes[*RankOf(tensor.scalar_type())].name);
    entry["shape"] = tensor.sizes().vec();
    entry["data_offsets"] = {offset, offset + tensor.nbytes()};
    offset += tensor.nbytes();
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');

  std::string file;
  file.reserve(sizeof(uint64_t) + text.size() + offset);
  const uint64_t length = text.size();
  file.append(reinterpret_cast<const char*>(&length), sizeof(length));
  file += text;
  for (const auto& [name, tensor] : sorted) {
    file.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
  }
  return WriteFile(path, file, Durability::kSynced);
}

absl::StatusOr<std::map<std::string, at::Tensor>> ReadSafetensors(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::string file, ReadFile(path));
  uint64_t length = 0;
  if (file.size() < sizeof(length)) {
    return Damaged(path, absl::StrCat("it has ", file.size(), " bytes, expected 8 or more"));
  }
  std::memcpy(&length, file.data(), sizeof(length));
  if (length > kMostHeaderBytes || length > file.size() - sizeof(length)) {
    return Damaged(path, absl::StrCat("its header has ", length, " bytes, the file ", file.size()));
  }
  const absl::string_view text = absl::string_view(file).substr(sizeof(length), length);
  const absl::string_view data = absl::string_view(file).substr(sizeof(length) + length);
  // A name that comes twice would hide a tensor: the parser would keep the last.
  std::vector<std::string> names;
  bool twice = false;
  const auto see = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth == 1) {
      names.push_back(parsed.get<std::string>());
    }
    return true;
  };
  const json header = json::parse(text.begin(), text.end(), see, /*allow_exceptions=*/false);
  if (!header.is_object()) return Damaged(path, "its header is not a JSON object");
  std::sort(names.begin(), names.end());
  twice = std::adjacent_find(names.begin(), names.end()) != names.end();
  if (twice) return Damaged(path, "a name comes twice in its header");

  std::map<std::string, at::Tensor> tensors;
  std::vector<Span> spans;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    Span span;
    TESSERA_ASSIGN_OR_RETURN(at::Tensor tensor, ReadTensor(path, name, entry, data, &span));
    tensors.emplace(name, std::move(tensor));
    spans.push_back(span);
  }
  TESSERA_RETURN_IF_ERROR(CheckCover(path, std::move(spans), data.size()));
  return tensors;
}

}  // namespace tessera
