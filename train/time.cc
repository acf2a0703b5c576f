#include "train/time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

struct UnitName {
  absl::string_view name;
  Time::Unit unit;
};
constexpr UnitName kUnits[] = {{"ep", Time::Unit::kEpoch},
                               {"ba", Time::Unit::kBatch},
                               {"sp", Time::Unit::kSample},
                               {"dur", Time::Unit::kDuration}};

// Counts up to here are exact in a double.
constexpr double kMaxCount = 1e15;

// Beyond any training, and so far from the largest integer that sums of two do not overflow.
constexpr int64_t kMostBatches = int64_t{1} << 62;

bool IsDecimal(absl::string_view text) {
  return !text.empty() && absl::ascii_isdigit(text.front()) && absl::ascii_isdigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
}

}  // namespace

absl::StatusOr<Time> Time::Parse(absl::string_view text, absl::string_view field) {
  const auto refuse = [&](absl::string_view reason) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, ": \"", text, "\" ", reason,
                     "; expected a number and a unit, as 128ep, 500ba, 2048sp or 0.5dur"));
  };
  for (const UnitName& unit : kUnits) {
    if (!absl::EndsWith(text, unit.name)) continue;
    const absl::string_view number = text.substr(0, text.size() - unit.name.size());
    double value = 0;
    if (!IsDecimal(number) || !absl::SimpleAtod(number, &value)) {
      return refuse("has no plain number before the unit");
    }
    if (unit.unit != Unit::kDuration && absl::StrContains(number, ".")) {
      return refuse("is a fraction of a unit that is counted");
    }
    if (value > kMaxCount) return refuse("is too large");
    return Time{value, unit.unit};
  }
  return refuse("has no unit");
}

std::string Time::ToString() const {
  std::array<char, 512> digits;  // fixed notation of the smallest double has about 340
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed)
          .ptr;
  std::string text(digits.data(), end);
  for (const UnitName& name : kUnits) {
    if (name.unit == unit) absl::StrAppend(&text, name.name);
  }
  return text;
}

int64_t TrainingLength::Batches(const Time& time) const {
  const auto batches_of_epochs = [&](int64_t epochs) {
    return batches_per_epoch > 0 && epochs > kMostBatches / batches_per_epoch
               ? kMostBatches
               : epochs * batches_per_epoch;
  };
  switch (time.unit) {
    case Time::Unit::kEpoch:
      return batches_of_epochs(static_cast<int64_t>(time.value));
    case Time::Unit::kBatch:
      return static_cast<int64_t>(time.value);
    case Time::Unit::kSample: {
      if (samples_per_epoch == 0 || batch_size == 0) return 0;
      const auto samples = static_cast<int64_t>(time.value);
      const int64_t rest = samples % samples_per_epoch;
      return std::min(kMostBatches, batches_of_epochs(samples / samples_per_epoch) +
                                        (rest + batch_size - 1) / batch_size);
    }
    case Time::Unit::kDuration: {
      // A share such as 0.1 has no exact double: 0.1 x 30 batches are 3, not 4.
      constexpr double kRounding = 2 * std::numeric_limits<double>::epsilon();
      const double batches = time.value * static_cast<double>(max_batches);
      return static_cast<int64_t>(
          std::min(static_cast<double>(kMostBatches), std::ceil(batches * (1 - kRounding))));
    }
  }
  return 0;
}

absl::StatusOr<TrainingLength> MakeTrainingLength(const Time& max_duration,
                                                  int64_t batches_per_epoch,
                                                  int64_t samples_per_epoch, int64_t batch_size) {
  const auto refuse = [&](auto... reason) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_duration: \"", max_duration.ToString(), "\" ", reason...));
  };
  if (max_duration.unit == Time::Unit::kDuration) {
    return refuse("is a share of itself; give it in ep, ba or sp");
  }
  TrainingLength length = {.batches_per_epoch = batches_per_epoch,
                           .samples_per_epoch = samples_per_epoch,
                           .batch_size = batch_size};
  length.max_batches = length.Batches(max_duration);
  if (length.max_batches == 0) {
    return refuse("is no batch, at ", batches_per_epoch, " batches an epoch");
  }
  if (static_cast<double>(length.max_batches) * std::max<double>(1, batch_size) > kMaxCount) {
    return refuse("is too large, at ", batches_per_epoch, " batches an epoch and ", batch_size,
                  " samples a batch; expected up to 1e15 samples");
  }
  return length;
}

}  // namespace tessera
