#ifndef TESSERA_CONFIGS_RANGES_H_
#define TESSERA_CONFIGS_RANGES_H_

#include <string>

#include "absl/types/span.h"

namespace tessera {

// Numbers from `least` to `most`. An end that is `open` does not belong to it; infinity and not a
// number never do.
struct Interval {
  double least;
  double most;
  bool least_open = false;
  bool most_open = false;

  bool Contains(double value) const;
  std::string ToString() const;  // "more than 0, up to 1"
};

struct FieldRange {
  const char* field;  // path from Experiment
  Interval interval;
};

// The range of every number field whose type allows more than makes sense.
absl::Span<const FieldRange> FieldRanges();

}  // namespace tessera

#endif  // TESSERA_CONFIGS_RANGES_H_
