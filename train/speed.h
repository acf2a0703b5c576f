#ifndef TESSERA_TRAIN_SPEED_H_
#define TESSERA_TRAIN_SPEED_H_

#include <cstddef>
#include <cstdint>
#include <deque>

namespace tessera {

// Samples a second and the share of time spent waiting for data, over the last batches.
class Speed {
 public:
  // Of one batch: `seconds` in all, of which `wait_seconds` for its data.
  void Add(int64_t samples, double seconds, double wait_seconds) {
    batches_.push_back({samples, seconds, wait_seconds});
    if (batches_.size() > kWindow) batches_.pop_front();
    sums_ = {};
    for (const Entry& batch : batches_) {
      sums_.samples += batch.samples;
      sums_.seconds += batch.seconds;
      sums_.wait_seconds += batch.wait_seconds;
    }
  }

  // 0 before the first batch.
  double samples_per_second() const {
    return sums_.seconds > 0 ? static_cast<double>(sums_.samples) / sums_.seconds : 0;
  }
  double wait_share() const { return sums_.seconds > 0 ? sums_.wait_seconds / sums_.seconds : 0; }

 private:
  static constexpr size_t kWindow = 50;  // Composer's SpeedMonitor in its recipes

  struct Entry {
    int64_t samples = 0;
    double seconds = 0;
    double wait_seconds = 0;
  };

  std::deque<Entry> batches_;
  Entry sums_;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_SPEED_H_
