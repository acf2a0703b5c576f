#ifndef TESSERA_TRAIN_TIME_H_
#define TESSERA_TRAIN_TIME_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// A length of training with its unit, as Composer's time strings: "128ep", "500ba", "2048sp",
// "0.5dur".
struct Time {
  enum class Unit { kEpoch, kBatch, kSample, kDuration };

  double value = 0;  // whole for epochs, batches and samples; a share for "dur"
  Unit unit = Unit::kBatch;

  friend bool operator==(const Time&, const Time&) = default;

  // Parses a time string. `field` is named in the error. Refused: no unit, no number, negative, not
  // finite, a fraction of an epoch, batch or sample, blanks, capitals.
  static absl::StatusOr<Time> Parse(absl::string_view text, absl::string_view field);

  // The shortest text that parses to the same time.
  std::string ToString() const;
};

// How far a training has come: counts of what was trained on.
struct Timestamp {
  int64_t epoch = 0;  // finished epochs
  int64_t batch = 0;  // finished batches in all
  int64_t batch_in_epoch = 0;
  int64_t sample = 0;  // samples in all
  int64_t sample_in_epoch = 0;

  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

// Lengths of one training, that turn a Time into batches.
struct TrainingLength {
  int64_t batches_per_epoch = 0;
  int64_t samples_per_epoch = 0;
  int64_t batch_size = 0;
  int64_t max_batches = 0;  // the whole duration

  // The batches that `time` spans, rounded up to a whole batch: samples count epoch by epoch, as
  // the last batch of each may be smaller, and "dur" is a share of max_batches. Longer than 2^62
  // batches is 2^62.
  int64_t Batches(const Time& time) const;
};

// The lengths of a training of `max_duration`. An error where that is no batch, so many that counts
// of batches or samples could overflow, or a share ("dur").
absl::StatusOr<TrainingLength> MakeTrainingLength(const Time& max_duration,
                                                  int64_t batches_per_epoch,
                                                  int64_t samples_per_epoch, int64_t batch_size);

}  // namespace tessera

#endif  // TESSERA_TRAIN_TIME_H_
