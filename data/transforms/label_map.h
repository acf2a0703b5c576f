#ifndef TESSERA_DATA_TRANSFORMS_LABEL_MAP_H_
#define TESSERA_DATA_TRANSFORMS_LABEL_MAP_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera {

struct LabelMapOptions {
  // Labels of the model are 0 to num_classes - 1.
  int num_classes = 0;

  // Masks store 0 for "other" and classes from 1 (ADE20K): 0 becomes `ignore_index`, 255 too, and
  // every other value is lowered by one.
  bool reduce_zero_label = false;

  // Label of the pixels that count nowhere, 0 to 255. Below num_classes it leaves that class out.
  int ignore_index = 255;

  // The class that each label becomes, *after* reduce_zero_label; `ignore_index` leaves a label
  // out. Empty: labels are kept.
  std::vector<int> subset = {};
};

// From the values that a mask stores to the labels that a model learns, by a table of 256 entries.
class LabelMap {
 public:
  // An error if the options contradict each other or 8 bits.
  static absl::StatusOr<LabelMap> Create(const LabelMapOptions& options);

  // An error if one of `raw` has no label; it says which value, in how many pixels, and what is
  // allowed.
  absl::Status Check(absl::Span<const uint8_t> raw) const;

  // Checks `raw` and writes the label of each to `labels`, which may be the same memory.
  absl::Status Apply(absl::Span<const uint8_t> raw, uint8_t* labels) const;

  // The label of each value that a mask may store; `ignore_index` for those that it may not.
  const std::array<uint8_t, 256>& table() const { return label_; }

  // The value that a mask stores for `label`, for writing predictions in the set's own form: 1 for
  // class 0 of ADE20K. Of several values the smallest; a label that no mask value has gives itself.
  uint8_t Raw(uint8_t label) const { return raw_[label]; }

  int num_classes() const { return num_classes_; }
  uint8_t ignore_index() const { return ignore_index_; }

 private:
  LabelMap() = default;
  bool IsValid(uint8_t raw) const { return raw <= max_raw_ || raw == ignored_raw_; }
  absl::Status OutOfRange(absl::Span<const uint8_t> raw) const;

  int num_classes_ = 0;
  bool reduce_zero_label_ = false;
  uint8_t ignore_index_ = 255;
  // The values that a mask may store: up to max_raw_, and this one.
  uint8_t max_raw_ = 0;
  uint8_t ignored_raw_ = 255;
  std::array<uint8_t, 256> label_{};  // by raw value
  std::array<uint8_t, 256> raw_{};    // by label
};

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_LABEL_MAP_H_
