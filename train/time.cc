#include "train/time.h"

#include <algorithm>
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

// Counts up to here are exact in a double, and their products with a batch size fit 64 bits.
constexpr double kMaxCount = 1e15;

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
  for (const UnitName& name : kUnits) {
    if (name.unit != unit) continue;
    if (unit == Unit::kDuration) return absl::StrCat(value, name.name);
    return absl::StrCat(static_cast<int64_t>(value), name.name);
  }
  return "";
}

int64_t TrainingLength::Batches(const Time& time) const {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto batches_of_epochs = [&](int64_t epochs) {
    return batches_per_epoch > 0 && epochs > kMost / 2 / batches_per_epoch
               ? kMost / 2
               : epochs * batches_per_epoch;
  };
  const auto whole = static_cast<int64_t>(time.value);
  switch (time.unit) {
    case Time::Unit::kEpoch:
      return batches_of_epochs(whole);
    case Time::Unit::kBatch:
      return whole;
    case Time::Unit::kSample: {
      if (samples_per_epoch == 0 || batch_size == 0) return 0;
      const int64_t rest = whole % samples_per_epoch;
      return batches_of_epochs(whole / samples_per_epoch) + (rest + batch_size - 1) / batch_size;
    }
    case Time::Unit::kDuration:
      // A share such as 0.1 has no exact double: 0.1 x 30 batches are 3, not 4.
      return static_cast<int64_t>(std::ceil(time.value * max_batches * (1 - 1e-12)));
  }
  return 0;
}

}  // namespace tessera
