#ifndef TESSERA_DATA_LOADER_THREADED_LOADER_H_
#define TESSERA_DATA_LOADER_THREADED_LOADER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "data/loader/batch_pool.h"
#include "data/loader/data_loader.h"
#include "data/loader/sample_pipeline.h"
#include "data/order/sample_order.h"

namespace tessera {

// What a sample that cannot be read, decoded or transformed does.
enum class BadSamples {
  kStop,     // Next() returns its error
  kReplace,  // the next sample of the order that can be used stands in its place; after 100 bad
             // ones in a row the error of the first
  kIgnore,   // it is left out: its pixels are 0 and its labels ignored
};

struct LoaderOptions {
  int64_t batch_size = 1;
  bool drop_last = false;
  int num_threads = 2;  // 0: Next() does the work itself
  int prefetch_batches = 2;
  BadSamples bad_samples = BadSamples::kStop;
  uint8_t ignore_index = 255;
};

// Threads decode and transform samples straight into the memory of the batches, at most
// `prefetch_batches` ahead of the one in use. A thread takes the next sample of the epoch by one
// atomic addition; it locks only when it goes on to another batch. Batches are the same bit for bit
// for any number of threads, since a sample's random numbers depend on (seed, epoch, id) alone.
class ThreadedLoader : public DataLoader {
 public:
  // An error if an epoch would have no batch.
  static absl::StatusOr<std::unique_ptr<ThreadedLoader>> Create(
      const LoaderOptions& options, std::unique_ptr<const SampleOrder> order,
      SamplePipeline pipeline);
  ~ThreadedLoader() override;

  LabelKind label_kind() const override { return pipeline_.dataset().label_kind(); }
  int64_t num_samples() const override { return pipeline_.dataset().size(); }
  int64_t batch_size() const override { return options_.batch_size; }
  int64_t num_batches() const override;
  int64_t samples_per_epoch() const override;
  absl::Status StartEpoch(int64_t epoch, int64_t first_sample) override;
  absl::StatusOr<std::optional<Batch>> Next() override;
  int64_t skipped_samples() const override { return skipped_.load(); }

 private:
  class Epoch;

  ThreadedLoader(const LoaderOptions& options, std::unique_ptr<const SampleOrder> order,
                 SamplePipeline pipeline);

  LoaderOptions options_;
  std::unique_ptr<const SampleOrder> order_;
  SamplePipeline pipeline_;
  BatchPool pool_;
  std::atomic<int64_t> skipped_ = 0;
  std::unique_ptr<Epoch> epoch_;  // ends its threads when it goes
};

}  // namespace tessera

#endif  // TESSERA_DATA_LOADER_THREADED_LOADER_H_
