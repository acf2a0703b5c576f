#ifndef TESSERA_DATA_DATASETS_DATASET_H_
#define TESSERA_DATA_DATASETS_DATASET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/image/stored_image.h"
#include "data/order/sample_order.h"

namespace tessera {

// What a set says of its images.
enum class LabelKind {
  kMask,   // a class for each pixel: segmentation
  kClass,  // a class for each image: classification
};

// One sample as it is stored: views that `owner` and the set keep alive.
struct Sample {
  absl::string_view name;  // for messages: a file name or a key
  StoredImage image;
  StoredImage mask;  // kMask: a PNG file, or pixels of 1 channel
  std::shared_ptr<const void> owner;
  int64_t label = -1;  // kClass: from 0
};

// Fetches samples ahead of their use, with threads of its own, until it goes.
class Readahead {
 public:
  virtual ~Readahead() = default;

  // The samples before `position` have been used.
  virtual void Advance(int64_t position) = 0;
};

// A set of samples with random access. All methods may be called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual int64_t size() const = 0;

  virtual LabelKind label_kind() const { return LabelKind::kMask; }

  // Names of the classes by label, where the set's files tell them; else empty.
  virtual std::vector<std::string> class_names() const { return {}; }

  // The sample at `index`, 0 to size() - 1. The index is the sample's id: the order of samples,
  // their random numbers and messages refer to it.
  virtual absl::StatusOr<Sample> Get(int64_t index) const = 0;

  // Starts to fetch what the samples of `order` from `first` on need; null for a set that has
  // nothing to fetch. The set and `order` outlive it.
  virtual std::unique_ptr<Readahead> StartReadahead(const EpochOrder& order, int64_t first,
                                                    int64_t batch_size) const {
    return nullptr;
  }
};

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_DATASET_H_
