#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/compression/compression.h"
#include "data/formats/mds/mds_index.h"
#include "data/formats/mds/mds_names.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;

// A JSON value that has no parts, or whose parts do not matter ("[...]").
struct Scalar {
  enum class Type { kNull, kNatural, kString, kOther };
  Type type = Type::kNull;
  uint64_t number = 0;    // kNatural
  std::string text = {};  // kString, and kOther as it is written

  bool IsString(absl::string_view value) const { return type == Type::kString && text == value; }
  friend bool operator==(const Scalar&, const Scalar&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const Scalar& value) {
    return H::combine(std::move(state), value.type, value.number, value.text);
  }
};

// As an index writes it.
std::string Printed(const Scalar& value) {
  switch (value.type) {
    case Scalar::Type::kNull:
      return "null";
    case Scalar::Type::kNatural:
      return absl::StrCat(value.number);
    case Scalar::Type::kString:
      return json(value.text).dump();
    case Scalar::Type::kOther:
      return value.text;
  }
  return "";
}

template <typename... Args>
absl::Status Bad(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

// The columns as the three lists of a shard give them.
struct ColumnLists {
  std::vector<Scalar> names, encodings, sizes;

  void Clear() {
    names.clear();
    encodings.clear();
    sizes.clear();
  }

  friend bool operator==(const ColumnLists&, const ColumnLists&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const ColumnLists& lists) {
    return H::combine(std::move(state), lists.names, lists.encodings, lists.sizes);
  }
};

absl::StatusOr<MdsSchema> MakeSchema(const ColumnLists& lists) {
  const size_t count = lists.names.size();
  if (count == 0 || lists.encodings.size() != count || lists.sizes.size() != count) {
    return Bad("expected column_names, column_encodings and column_sizes, lists of one length");
  }
  MdsSchema schema;
  for (size_t i = 0; i < count; ++i) {
    const Scalar& name = lists.names[i];
    const Scalar& encoding = lists.encodings[i];
    const Scalar& size = lists.sizes[i];
    if (name.type != Scalar::Type::kString || encoding.type != Scalar::Type::kString) {
      return Bad("a column's name or encoding is not a string");
    }
    TESSERA_ASSIGN_OR_RETURN(MdsColumn column, MakeMdsColumn(name.text, encoding.text));
    // The Python reader takes a size of 0 for one that varies, too.
    const bool varies = size.type == Scalar::Type::kNull ||
                        (size.type == Scalar::Type::kNatural && size.number == 0);
    const bool equal = column.size == 0
                           ? varies
                           : size.type == Scalar::Type::kNatural && size.number == column.size;
    if (!equal) {
      return Bad("column ", column.name, " has size ", Printed(size), ", its encoding ",
                 column.encoding, " has ", column.size == 0 ? "null" : absl::StrCat(column.size));
    }
    schema.push_back(std::move(column));
  }
  return schema;
}

// raw_data or zip_data.
struct FileDraft {
  FileInfo info;
  bool given = false, has_name = false, has_bytes = false;
};

// What the object of a shard has said so far.
struct ShardDraft {
  FileDraft raw, zip;
  std::optional<uint64_t> samples;
  std::optional<std::string> compression;
  uint64_t size_limit = 0;
  absl::Status status;  // the first error
};

absl::Status CheckFile(absl::string_view key, const FileDraft& file) {
  if (!file.has_name || !file.has_bytes) {
    return Bad("expected ", key, " with basename and bytes");
  }
  if (IsPlainPath(file.info.name)) return absl::OkStatus();
  return Bad("the basename ", json(file.info.name).dump(),
             " leads out of the folder or is no plain relative path");
}

absl::Status CheckShard(const ShardDraft& shard) {
  TESSERA_RETURN_IF_ERROR(shard.status);
  TESSERA_RETURN_IF_ERROR(CheckFile("raw_data", shard.raw));
  if (shard.compression.has_value() != shard.zip.given) {
    return Bad("compression is ", shard.compression.value_or("null"), ", but zip_data is ",
               shard.zip.given ? "given" : "null", "; expected both or none");
  }
  if (shard.zip.given) {
    TESSERA_RETURN_IF_ERROR(CheckFile("zip_data", shard.zip));
  }
  if (!shard.samples.has_value()) return Bad("expected samples, a number");
  const uint64_t bytes = shard.raw.info.bytes, words = bytes / sizeof(uint32_t);
  if (bytes <= UINT32_MAX && words >= 2 && words - 2 >= *shard.samples) return absl::OkStatus();
  return Bad("its raw file has ", bytes, " bytes; expected less than 4 GiB, and 4 for each of its ",
             *shard.samples, " samples and 8 more");
}

// Takes the events of nlohmann's parser, and keeps of an index but its shards.
class IndexHandler {
 public:
  // After the last event, if all was JSON. `path` is that of the index.
  absl::StatusOr<std::vector<MdsShardInfo>> Finish(const std::string& path);

  bool null() { return Value({}); }
  bool boolean(bool value) {
    return Value({.type = Scalar::Type::kOther, .text = value ? "true" : "false"});
  }
  bool number_integer(int64_t value) {
    return Value({.type = Scalar::Type::kOther, .text = absl::StrCat(value)});
  }
  bool number_unsigned(uint64_t value) {
    return Value({.type = Scalar::Type::kNatural, .number = value});
  }
  bool number_float(double, const std::string& text) {
    return Value({.type = Scalar::Type::kOther, .text = text});
  }
  bool string(std::string& text) {
    return Value({.type = Scalar::Type::kString, .text = std::move(text)});
  }
  bool binary(json::binary_t&) { return false; }  // not in text
  bool key(std::string& text) {
    key_ = std::move(text);
    return true;
  }
  bool start_object(size_t);
  bool end_object();
  bool start_array(size_t);
  bool end_array();
  bool parse_error(size_t, const std::string&, const json::exception&) { return false; }

 private:
  // Where in the index the next event lies.
  enum class Place { kIndex, kShards, kShard, kFile, kHashes, kColumns, kElsewhere };

  bool Value(Scalar value);
  void ShardValue(Scalar value);
  void FileValue(Scalar value);
  absl::StatusOr<std::shared_ptr<const MdsSchema>> FindSchema();
  absl::Status FinishShard();
  void Fail(absl::Status status) {
    if (shard_.status.ok()) shard_.status = std::move(status);
  }
  bool At(Place place) const { return !places_.empty() && places_.back() == place; }
  bool Enter(Place place) {
    places_.push_back(place);
    return true;
  }

  std::vector<Place> places_;
  std::string key_;  // the last one
  bool has_shards_ = false;
  Scalar version_ = {.type = Scalar::Type::kNatural, .number = 2};
  std::vector<MdsShardInfo> shards_;
  absl::Status status_;  // of the first shard with an error

  // Of the shard under way.
  ShardDraft shard_;
  FileDraft* file_ = nullptr;
  ColumnLists columns_;
  std::vector<Scalar>* list_ = nullptr;

  // What was found good before: shards mostly repeat each other.
  absl::flat_hash_map<ColumnLists, std::shared_ptr<const MdsSchema>> schemas_;
  std::string compression_;
};

bool IndexHandler::start_object(size_t) {
  if (places_.empty()) return Enter(Place::kIndex);
  if (At(Place::kShards)) {
    shard_ = ShardDraft();
    columns_.Clear();
    return Enter(Place::kShard);
  }
  if (At(Place::kShard) && (key_ == "raw_data" || key_ == "zip_data")) {
    file_ = key_ == "raw_data" ? &shard_.raw : &shard_.zip;
    file_->given = true;
    return Enter(Place::kFile);
  }
  if (At(Place::kFile) && key_ == "hashes") return Enter(Place::kHashes);
  Value({.type = Scalar::Type::kOther, .text = "{...}"});
  return Enter(Place::kElsewhere);
}

bool IndexHandler::end_object() {
  if (At(Place::kShard) && status_.ok()) {
    const absl::Status status = FinishShard();
    if (!status.ok()) {
      status_ = absl::Status(status.code(),
                             absl::StrCat("shard ", shards_.size(), ": ", status.message()));
    }
  }
  places_.pop_back();
  return true;
}

bool IndexHandler::start_array(size_t) {
  if (At(Place::kIndex) && key_ == "shards") {
    has_shards_ = true;
    return Enter(Place::kShards);
  }
  if (At(Place::kShard)) {
    list_ = key_ == "column_names"       ? &columns_.names
            : key_ == "column_encodings" ? &columns_.encodings
            : key_ == "column_sizes"     ? &columns_.sizes
                                         : nullptr;
    if (list_ != nullptr) return Enter(Place::kColumns);
  }
  Value({.type = Scalar::Type::kOther, .text = "[...]"});
  return Enter(Place::kElsewhere);
}

bool IndexHandler::end_array() {
  places_.pop_back();
  return true;
}

bool IndexHandler::Value(Scalar value) {
  if (places_.empty()) return true;
  switch (places_.back()) {
    case Place::kIndex:
      if (key_ == "version") version_ = std::move(value);
      break;
    case Place::kShards:
      if (status_.ok()) status_ = Bad("shard ", shards_.size(), ": expected an object");
      break;
    case Place::kShard:
      ShardValue(std::move(value));
      break;
    case Place::kFile:
      FileValue(std::move(value));
      break;
    case Place::kHashes:
      if (value.type != Scalar::Type::kString) {
        Fail(Bad("the ", key_, " of a file is ", Printed(value), ", expected a string"));
      }
      file_->info.hashes.push_back({key_, std::move(value.text)});
      break;
    case Place::kColumns:
      list_->push_back(std::move(value));
      break;
    case Place::kElsewhere:
      break;
  }
  return true;
}

void IndexHandler::ShardValue(Scalar value) {
  if (key_ == "format" && !value.IsString("mds")) {
    Fail(absl::UnimplementedError(absl::StrCat(
        "its format is ", Printed(value), ", expected \"mds\": write the set with MDSWriter")));
  } else if (key_ == "version" && (value.type != Scalar::Type::kNatural || value.number != 2)) {
    Fail(absl::UnimplementedError(absl::StrCat("its version is ", Printed(value), ", expected 2")));
  } else if (key_ == "samples") {
    if (value.type != Scalar::Type::kNatural) {
      Fail(Bad("samples is ", Printed(value), ", expected a number"));
    }
    shard_.samples = value.number;
  } else if (key_ == "size_limit") {
    shard_.size_limit = value.number;
  } else if (key_ == "compression" && value.type != Scalar::Type::kNull) {
    shard_.compression = std::move(value.text);
  }
}

void IndexHandler::FileValue(Scalar value) {
  if (key_ == "basename" && value.type == Scalar::Type::kString) {
    file_->info.name = std::move(value.text);
    file_->has_name = true;
  } else if (key_ == "bytes" && value.type == Scalar::Type::kNatural) {
    file_->info.bytes = value.number;
    file_->has_bytes = true;
  }
}

absl::StatusOr<std::shared_ptr<const MdsSchema>> IndexHandler::FindSchema() {
  const auto found = schemas_.find(columns_);
  if (found != schemas_.end()) return found->second;
  TESSERA_ASSIGN_OR_RETURN(MdsSchema schema, MakeSchema(columns_));
  return schemas_[columns_] = std::make_shared<const MdsSchema>(std::move(schema));
}

absl::Status IndexHandler::FinishShard() {
  TESSERA_RETURN_IF_ERROR(CheckShard(shard_));
  MdsShardInfo info;
  info.file.compression = std::move(shard_.compression).value_or("");
  if (info.file.compression != compression_) {
    if (shard_.zip.given) {
      TESSERA_RETURN_IF_ERROR(Codec::Parse(info.file.compression).status());
    }
    compression_ = info.file.compression;
  }
  TESSERA_ASSIGN_OR_RETURN(info.schema, FindSchema());
  info.file.raw = std::move(shard_.raw.info);
  if (shard_.zip.given) info.file.zip = std::move(shard_.zip.info);
  info.samples = *shard_.samples;
  info.size_limit = shard_.size_limit;
  shards_.push_back(std::move(info));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MdsShardInfo>> IndexHandler::Finish(const std::string& path) {
  if (!has_shards_) {
    return absl::DataLossError(
        absl::StrCat(path, " is not an MDS index: expected an object with a list of shards"));
  }
  // It says more than what another version's shards look like.
  if (version_.type != Scalar::Type::kNatural || version_.number != 2) {
    return absl::UnimplementedError(
        absl::StrCat(path, " has version ", Printed(version_), ", expected 2"));
  }
  if (status_.ok()) status_ = CheckNamesAreUnique(shards_);
  if (status_.ok()) return std::move(shards_);
  return absl::Status(status_.code(), absl::StrCat(path, ", ", status_.message()));
}

}  // namespace

absl::StatusOr<std::vector<MdsShardInfo>> ParseMdsIndex(absl::string_view text,
                                                        const std::string& path) {
  if (text.empty()) {
    return absl::DataLossError(absl::StrCat(path, " is empty: expected an MDS index"));
  }
  IndexHandler handler;
  if (!json::sax_parse(text.begin(), text.end(), &handler)) {
    return absl::DataLossError(
        absl::StrCat(path, " is not an MDS index: expected JSON; it may have been cut short"));
  }
  return handler.Finish(path);
}

}  // namespace tessera
