#include "data/formats/mds/mds_schema.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "data/formats/mds/mds_encoding.h"

namespace tessera {
absl::StatusOr<MdsColumn> MakeMdsColumn(const std::string& name, const std::string& encoding) {
  const absl::StatusOr<MdsEncoding> parsed = ParseMdsEncoding(encoding);
  if (parsed.ok()) return MdsColumn{name, encoding, parsed->size};
  return absl::Status(parsed.status().code(),
                      absl::StrCat("column ", name, ": ", parsed.status().message()));
}

absl::Status SplitMdsSample(const MdsSchema& schema, absl::string_view sample,
                            absl::Span<absl::string_view> payloads) {
  size_t lengths = 0;
  for (const MdsColumn& column : schema) lengths += column.size == 0 ? sizeof(uint32_t) : 0;
  if (lengths > sample.size()) {
    return absl::DataLossError(absl::StrCat("a sample of ", sample.size(),
                                            " bytes cannot hold the ", lengths,
                                            " bytes of its columns' lengths"));
  }
  size_t length_at = 0, payload_at = lengths;
  for (size_t i = 0; i < schema.size(); ++i) {
    uint32_t size = schema[i].size;
    if (size == 0) {
      std::memcpy(&size, sample.data() + length_at, sizeof(size));
      length_at += sizeof(size);
    }
    if (size > sample.size() - payload_at) {
      return absl::DataLossError(absl::StrCat("column ", schema[i].name, " has ", size,
                                              " bytes, but ", sample.size() - payload_at,
                                              " are left of its sample"));
    }
    payloads[i] = sample.substr(payload_at, size);
    payload_at += size;
  }
  if (payload_at != sample.size()) {
    return absl::DataLossError(
        absl::StrCat("a sample has ", sample.size(), " bytes, its columns take ", payload_at));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> JoinMdsSample(const MdsSchema& schema,
                                          absl::Span<const absl::string_view> payloads) {
  if (payloads.size() != schema.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sample has ", payloads.size(), " payloads, expected ", schema.size()));
  }
  std::string sample;
  for (size_t i = 0; i < schema.size(); ++i) {
    const auto size = static_cast<uint32_t>(payloads[i].size());
    if (payloads[i].size() > UINT32_MAX || (schema[i].size != 0 && schema[i].size != size)) {
      return absl::InvalidArgumentError(
          absl::StrCat("column ", schema[i].name, " has ", payloads[i].size(), " bytes, expected ",
                       schema[i].size == 0 ? "less than 4 GiB" : absl::StrCat(schema[i].size)));
    }
    if (schema[i].size == 0) {
      sample.append(reinterpret_cast<const char*>(&size), sizeof(size));
    }
  }
  for (const absl::string_view payload : payloads) absl::StrAppend(&sample, payload);
  return sample;
}

std::string EncodeMdsInt(int64_t value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace tessera
