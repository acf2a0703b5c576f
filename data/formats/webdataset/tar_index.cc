#include "data/formats/webdataset/tar_index.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "data/formats/webdataset/expand_tar.h"
#include "data/formats/webdataset/sample_key.h"
#include "data/formats/webdataset/tar_header.h"
#include "data/formats/webdataset/tar_reader.h"

namespace tessera {
namespace {

// Gathers the files of a tar into samples.
class Builder {
 public:
  explicit Builder(uint64_t tar_bytes) { tables_.tar_bytes = tar_bytes; }

  // Returns what is wrong with a file, or nothing.
  std::optional<TarDamage> Add(const TarMember& member) {
    const std::optional<SampleKey> name = SplitSampleName(member.name);
    if (!name.has_value()) return std::nullopt;
    if (starts_.empty() || name->key != key_) {
      const auto [first, is_new] = samples_.try_emplace(name->key, starts_.size());
      if (!is_new) return KeyAgain(member, *name, first->second);
      BeginSample(name->key, member.header);
    }
    const uint32_t extension = ExtensionNumber(name->extension);
    if (std::exchange(last_samples_[extension], starts_.size()) == starts_.size()) {
      return TarDamage{member.header, absl::StrCat("found ", member.name, ", a second file \"",
                                                   name->extension, "\" of the key \"", name->key,
                                                   "\", expected one of each extension")};
    }
    AddField(member, extension);
    return std::nullopt;
  }

  // Says that the sample under way has come to its end.
  void End() { whole_ = starts_.size(); }

  // The samples that are known to be whole.
  TarTables Take() && { return std::move(tables_); }

  // Leaves out what is not known to be whole; a file that cannot be used begins at `offset`.
  void LeaveOut(uint64_t offset, std::string reason) {
    const uint64_t begin = whole_ < starts_.size() ? std::min(starts_[whole_], offset) : offset;
    tables_.left_out = {starts_.size() - whole_, tables_.tar_bytes - begin, std::move(reason)};
    tables_.key_ends.resize(whole_);
    tables_.field_ends.resize(whole_);
    const size_t fields = whole_ == 0 ? 0 : tables_.field_ends.back();
    tables_.offsets.resize(fields);
    tables_.sizes.resize(fields);
    tables_.extensions.resize(fields);
    tables_.keys.resize(whole_ == 0 ? 0 : tables_.key_ends.back());
  }

 private:
  TarDamage KeyAgain(const TarMember& member, const SampleKey& name, size_t first) {
    whole_ = first;  // that sample has not all its files
    return {member.header, absl::StrCat("found ", member.name, " of the key \"", name.key,
                                        "\", whose sample stands at byte ", starts_[first],
                                        ", expected the files of a sample one after the other")};
  }

  void BeginSample(absl::string_view key, uint64_t header) {
    End();
    key_ = std::string(key);
    starts_.push_back(header);
    tables_.keys += key_;
    tables_.key_ends.push_back(tables_.keys.size());
    tables_.field_ends.push_back(tables_.offsets.size());
  }

  uint32_t ExtensionNumber(const std::string& extension) {
    const auto [at, is_new] =
        extensions_.try_emplace(extension, static_cast<uint32_t>(tables_.extension_names.size()));
    if (is_new) {
      tables_.extension_names.push_back(extension);
      last_samples_.push_back(0);
    }
    return at->second;
  }

  void AddField(const TarMember& member, uint32_t extension) {
    tables_.offsets.push_back(member.sparse.has_value() ? tables_.tar_bytes + tables_.sparse.size()
                                                        : member.offset);
    tables_.sizes.push_back(member.size);
    tables_.extensions.push_back(extension);
    if (member.sparse.has_value()) tables_.sparse += *member.sparse;
    tables_.field_ends.back() = tables_.offsets.size();
  }

  TarTables tables_;
  std::string key_;               // of the sample under way
  std::vector<uint64_t> starts_;  // of each sample in the tar
  size_t whole_ = 0;              // samples known to be whole: those before the one under way
  absl::flat_hash_map<std::string, size_t> samples_;  // by their keys
  absl::flat_hash_map<std::string, uint32_t> extensions_;
  std::vector<size_t> last_samples_;  // one an extension: the last sample that has it, from 1
};

// What is wrong with a tar of which all files that can be used are in `builder`.
std::optional<TarDamage> FindDamage(const TarReader& reader, Builder& builder) {
  if (const TarMember* const member = reader.damaged_member()) {
    // If it begins another sample, the one before it is whole.
    const std::optional<TarDamage> earlier = builder.Add(*member);
    return earlier.has_value() ? earlier : reader.damage();
  }
  if (!reader.damage().has_value() || reader.damage()->after_end) builder.End();
  return reader.damage();
}

absl::Status Misfit(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("a tar's index is damaged: ", what));
}

bool Ascending(const std::vector<uint64_t>& ends, uint64_t last) {
  return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == last;
}

// Whether `size` bytes from `offset` on lie within the bytes from `begin` to `end`.
bool Within(uint64_t offset, uint64_t size, uint64_t begin, uint64_t end) {
  return offset >= begin && offset <= end && size <= end - offset;
}

}  // namespace

absl::StatusOr<TarIndex> TarIndex::Build(absl::string_view tar, absl::string_view path,
                                         BadShard bad_shard) {
  if (const absl::string_view compression = FindCompression(tar); !compression.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is compressed (", compression, "), expected a plain tar"));
  }
  TarReader reader(tar);
  Builder builder(tar.size());
  std::optional<TarDamage> damage;
  while (const TarMember* const member = reader.Next()) {
    damage = builder.Add(*member);
    if (damage.has_value()) break;
  }
  if (!damage.has_value()) damage = FindDamage(reader, builder);
  if (damage.has_value()) {
    std::string reason = absl::StrCat(path, ", byte ", damage->offset, ": ", damage->reason);
    if (bad_shard == BadShard::kStop) return absl::DataLossError(reason);
    builder.LeaveOut(damage->offset, std::move(reason));
  }
  return TarIndex(std::move(builder).Take());
}

absl::StatusOr<TarIndex> TarIndex::Create(TarTables tables) {
  const size_t fields = tables.offsets.size();
  if (tables.sizes.size() != fields || tables.extensions.size() != fields ||
      tables.field_ends.size() != tables.key_ends.size()) {
    return Misfit("its tables differ in length");
  }
  if (!Ascending(tables.key_ends, tables.keys.size()) || !Ascending(tables.field_ends, fields)) {
    return Misfit("its samples are not in order");
  }
  const uint64_t tar_end = tables.tar_bytes;
  const uint64_t sparse_end = tar_end + tables.sparse.size();
  for (size_t i = 0; i < fields; ++i) {
    if (!Within(tables.offsets[i], tables.sizes[i], 0, tar_end) &&
        !Within(tables.offsets[i], tables.sizes[i], tar_end, sparse_end)) {
      return Misfit(absl::StrCat("field ", i, " has ", tables.sizes[i], " bytes from ",
                                 tables.offsets[i], " on, beyond the ", tar_end, " of the tar"));
    }
    if (tables.extensions[i] >= tables.extension_names.size()) {
      return Misfit(absl::StrCat("field ", i, " has no extension"));
    }
  }
  return TarIndex(std::move(tables));
}

TarIndex::TarIndex(TarTables tables) : tables_(std::move(tables)) {}

absl::string_view TarIndex::key(uint64_t sample) const {
  const uint64_t begin = sample == 0 ? 0 : tables_.key_ends[sample - 1];
  return absl::string_view(tables_.keys).substr(begin, tables_.key_ends[sample] - begin);
}

absl::string_view TarIndex::Contents(absl::string_view tar, uint64_t field) const {
  const uint64_t offset = tables_.offsets[field];
  const uint64_t size = tables_.sizes[field];
  // Not by the end of the tar alone: a file of no bytes may end there.
  if (offset >= tar.size() && size > 0) {
    return absl::string_view(tables_.sparse).substr(offset - tar.size(), size);
  }
  return tar.substr(offset, size);
}

bool TarIndex::HasHeaders(absl::string_view tar, uint64_t sample) const {
  if (tar.size() != tables_.tar_bytes) return false;
  for (uint64_t i = fields_begin(sample); i < fields_begin(sample + 1); ++i) {
    const uint64_t offset = tables_.offsets[i];
    if (offset > tar.size() || (offset == tar.size() && tables_.sizes[i] > 0)) continue;  // sparse
    if (offset < kTarBlock || !IsTarHeader(tar.substr(offset - kTarBlock, kTarBlock))) return false;
  }
  return true;
}

}  // namespace tessera
