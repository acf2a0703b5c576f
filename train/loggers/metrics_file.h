#ifndef TESSERA_TRAIN_LOGGERS_METRICS_FILE_H_
#define TESSERA_TRAIN_LOGGERS_METRICS_FILE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "train/events.h"

namespace tessera {

// Writes a run's numbers to a file of JSON lines, one object a line, under Composer's names where
// it has one. Lines of training batches:
//   batch epoch sample          trained on so far, this batch included
//   wall_s                      since this process started to train
//   loss/train/total lr         of this batch; `lr` is the rate that its step used
//   throughput/samples_per_sec data_wait   over the last 50 batches; data_wait is a share of 1
//   empty_batches               batches of this process without a valid pixel, so far
// Lines of evaluations: batch epoch sample wall_s and
//   metrics/eval/MIoU metrics/eval/CrossEntropy metrics/eval/PixelAccuracy loss/eval/total
//   metrics/eval/IoU/NAME       one a class; null for a class without a pixel
// Numbers are written so that they read back as the same bits.
class MetricsFile : public Callback {
 public:
  // A training line every `log_interval` batches and after the last one. The file is made, or
  // continued, with the first line.
  MetricsFile(std::string path, int64_t log_interval, std::vector<std::string> class_names);

  absl::Status Run(Event event, const State& state) override;

 private:
  absl::Status Append(const std::string& line) const;

  const std::string path_;
  const int64_t log_interval_;
  const std::vector<std::string> class_names_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Cuts off what was logged after batch `batch`, which a resumed run will do again, and a line that
// a kill left unfinished. A missing file is fine. The file is replaced in one rename.
absl::Status TruncateMetricsFile(const std::string& path, int64_t batch);

}  // namespace tessera

#endif  // TESSERA_TRAIN_LOGGERS_METRICS_FILE_H_
