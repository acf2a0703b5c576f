#include "data/transforms/label_map.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

absl::Status CheckOptions(const LabelMapOptions& options) {
  const auto error = [](const auto&... parts) {
    return absl::InvalidArgumentError(absl::StrCat(parts...));
  };
  // 255 is no class of a set that numbers its classes from 1: it already means "ignored" there.
  const int max_classes = options.reduce_zero_label && options.subset.empty() ? 254 : 256;
  if (options.num_classes < 1 || options.num_classes > max_classes) {
    return error("num_classes is ", options.num_classes, ": masks of 8 bits hold 1 to ",
                 max_classes, " classes");
  }
  if (options.ignore_index < 0 || options.ignore_index > 255) {
    return error("ignore_index is ", options.ignore_index, ": masks hold 8 bits, give 0 to 255");
  }
  if (options.subset.size() > 256) {
    return error("subset has ", options.subset.size(), " labels: masks hold 8 bits, at most 256");
  }
  for (size_t label = 0; label < options.subset.size(); ++label) {
    const int target = options.subset[label];
    if (target != options.ignore_index && (target < 0 || target >= options.num_classes)) {
      return error("subset maps label ", label, " to ", target, ": give 0 to ",
                   options.num_classes - 1, ", or ", options.ignore_index, " to ignore it");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LabelMap> LabelMap::Create(const LabelMapOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  LabelMap map;
  map.num_classes_ = options.num_classes;
  map.reduce_zero_label_ = options.reduce_zero_label;
  map.ignore_index_ = static_cast<uint8_t>(options.ignore_index);

  const int stored_classes =
      options.subset.empty() ? options.num_classes : static_cast<int>(options.subset.size());
  const int shift = options.reduce_zero_label ? 1 : 0;
  map.max_raw_ = static_cast<uint8_t>(std::min(stored_classes - 1 + shift, 255));
  map.ignored_raw_ = options.reduce_zero_label ? 255 : map.ignore_index_;
  for (int raw = 0; raw < 256; ++raw) {
    const int label = raw - shift;
    const bool is_class = label >= 0 && label < stored_classes && raw != map.ignored_raw_;
    map.label_[raw] = static_cast<uint8_t>(!is_class                ? options.ignore_index
                                           : options.subset.empty() ? label
                                                                    : options.subset[label]);
  }
  for (int label = 0; label < 256; ++label) map.raw_[label] = static_cast<uint8_t>(label);
  for (int raw = 255; raw >= 0; --raw) {
    if (map.IsValid(static_cast<uint8_t>(raw))) {
      map.raw_[map.label_[raw]] = static_cast<uint8_t>(raw);
    }
  }
  return map;
}

absl::Status LabelMap::Check(absl::Span<const uint8_t> raw) const {
  const uint8_t max_raw = max_raw_, ignored_raw = ignored_raw_;
  uint8_t invalid = 0;
  for (const uint8_t value : raw) {
    invalid |= static_cast<uint8_t>(value > max_raw) & static_cast<uint8_t>(value != ignored_raw);
  }
  return invalid == 0 ? absl::OkStatus() : OutOfRange(raw);
}

absl::Status LabelMap::Apply(absl::Span<const uint8_t> raw, uint8_t* labels) const {
  if (absl::Status status = Check(raw); !status.ok()) return status;
  for (size_t i = 0; i < raw.size(); ++i) labels[i] = label_[raw[i]];
  return absl::OkStatus();
}

absl::Status LabelMap::OutOfRange(absl::Span<const uint8_t> raw) const {
  std::array<int64_t, 256> counts{};
  for (const uint8_t value : raw) ++counts[value];
  int first = -1;
  int64_t pixels = 0;
  for (int value = 0; value < 256; ++value) {
    if (IsValid(static_cast<uint8_t>(value)) || counts[value] == 0) continue;
    if (first < 0) first = value;
    pixels += counts[value];
  }
  std::string message = absl::StrCat("mask value ", first, " in ", counts[first],
                                     counts[first] == 1 ? " pixel" : " pixels");
  if (pixels > counts[first]) {
    absl::StrAppend(&message, " (and ", pixels - counts[first], " pixels with others)");
  }
  absl::StrAppend(&message, " is out of range: ");
  if (reduce_zero_label_) {
    absl::StrAppend(&message, "classes are 1 to ", int{max_raw_}, ", 0 and 255 are ignored");
  } else {
    absl::StrAppend(&message, "classes are 0 to ", int{max_raw_}, ", ", int{ignore_index_},
                    " is ignored");
  }
  return absl::InvalidArgumentError(
      absl::StrCat(message, "; check model.num_classes and data.reduce_zero_label"));
}

}  // namespace tessera
