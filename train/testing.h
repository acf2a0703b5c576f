#ifndef TESSERA_TRAIN_TESTING_H_
#define TESSERA_TRAIN_TESTING_H_

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/dropout.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/loader/data_loader.h"
#include "data/random/philox.h"
#include "models/segmentation_model.h"
#include "train/events.h"
#include "train/optimizers/optimizer.h"
#include "train/schedules/schedule.h"
#include "train/train_step.h"

// Small pieces for tests of the training loop.
namespace tessera::testing {

constexpr int kClasses = 3;
constexpr int kIgnored = 255;

// A convolution, and where asked a batch norm and dropout, before the classifier.
class TinyModel : public SegmentationModel {
 public:
  struct Options {
    bool batch_norm = true;
    double dropout = 0.5;
  };
  explicit TinyModel(Options options)
      : options_(options),
        conv_(register_module("conv", Conv(3, 8, 3))),
        norm_(register_module("norm", torch::nn::BatchNorm2d(8))),
        classifier_(register_module("classifier", Conv(8, kClasses, 1))) {
    const at::NoGradGuard no_grad;
    Philox random(7, 0, 0);
    for (at::Tensor& parameter : parameters()) {
      if (parameter.dim() != 4) continue;
      float* const values = parameter.mutable_data_ptr<float>();
      for (int64_t i = 0; i < parameter.numel(); ++i) values[i] = random.Uniform(-1, 1);
    }
    train();
  }

  at::Tensor forward(const at::Tensor& images) override {
    at::Tensor x = conv_->forward(images);
    if (options_.batch_norm) x = norm_->forward(x);
    return classifier_->forward(at::dropout(x, options_.dropout, is_training()));
  }
  bool align_corners() const override { return false; }

 private:
  static torch::nn::Conv2d Conv(int64_t in, int64_t out, int64_t kernel) {
    return torch::nn::Conv2d(
        torch::nn::Conv2dOptions(in, out, kernel).stride(2).padding(kernel / 2).bias(false));
  }

  const Options options_;
  torch::nn::Conv2d conv_;
  torch::nn::BatchNorm2d norm_;
  torch::nn::Conv2d classifier_;
};

inline NamedTensors Parameters(const SegmentationModel& model) {
  NamedTensors parameters;
  for (const auto& item : model.named_parameters())
    parameters.emplace_back(item.key(), item.value());
  return parameters;
}

// Copies of all parameters and buffers.
inline std::vector<at::Tensor> Snapshot(const SegmentationModel& model) {
  std::vector<at::Tensor> copies;
  for (const at::Tensor& t : model.parameters()) copies.push_back(t.detach().clone());
  for (const at::Tensor& t : model.buffers()) copies.push_back(t.clone());
  return copies;
}

inline bool BitEqual(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const at::Tensor& x, const at::Tensor& y) { return x.equal(y); });
}

// A sample of 8 x 8 pixels drawn from its id; a sample in `ignored` has no pixel that counts.
inline Batch MakeBatch(const std::vector<int64_t>& ids, const std::vector<int64_t>& ignored = {}) {
  constexpr int kSide = 8, kPixels = kSide * kSide;
  Batch batch;
  batch.size = static_cast<int64_t>(ids.size());
  batch.height = batch.width = kSide;
  batch.sample_ids = ids;
  batch.images = std::shared_ptr<float[]>(new float[batch.size * kPixels * 3]);
  batch.labels = std::shared_ptr<uint8_t[]>(new uint8_t[batch.size * kPixels]);
  for (int64_t i = 0; i < batch.size; ++i) {
    Philox random(1, 0, ids[i]);
    const bool counts = std::find(ignored.begin(), ignored.end(), ids[i]) == ignored.end();
    for (int p = 0; p < kPixels; ++p) {
      const int label = static_cast<int>(random.Below(kClasses + 1));
      batch.labels[i * kPixels + p] = counts && label < kClasses ? label : kIgnored;
      for (int c = 0; c < 3; ++c) {
        batch.images[(i * kPixels + p) * 3 + c] = random.Uniform(-1, 1) + (label == c);
      }
    }
  }
  return batch;
}

// Samples 0 to num_samples - 1, each epoch rotated by its number so that epochs differ.
class TinyLoader : public DataLoader {
 public:
  TinyLoader(int64_t num_samples, int64_t batch_size, std::vector<int64_t> ignored = {})
      : num_samples_(num_samples), batch_size_(batch_size), ignored_(std::move(ignored)) {}

  int64_t num_samples() const override { return num_samples_; }
  int64_t batch_size() const override { return batch_size_; }
  int64_t num_batches() const override { return (num_samples_ + batch_size_ - 1) / batch_size_; }
  int64_t samples_per_epoch() const override { return num_samples_; }
  int64_t skipped_samples() const override { return 0; }

  absl::Status StartEpoch(int64_t epoch, int64_t first_sample) override {
    epoch_ = epoch;
    next_ = first_sample;
    return absl::OkStatus();
  }
  absl::StatusOr<std::optional<Batch>> Next() override {
    std::vector<int64_t> ids;
    for (; next_ < num_samples_ && static_cast<int64_t>(ids.size()) < batch_size_; ++next_) {
      ids.push_back((next_ + epoch_) % num_samples_);
    }
    if (ids.empty()) return std::optional<Batch>();
    return std::optional<Batch>(MakeBatch(ids, ignored_));
  }

 private:
  const int64_t num_samples_;
  const int64_t batch_size_;
  const std::vector<int64_t> ignored_;
  int64_t epoch_ = 0;
  int64_t next_ = 0;
};

inline ComputeOptions Compute(int64_t microbatch_size = 0, double dice_weight = 1) {
  return {.cross_entropy_weight = 1,
          .dice_weight = dice_weight,
          .num_classes = kClasses,
          .ignore_index = kIgnored,
          .microbatch_size = microbatch_size};
}

inline void Seed(uint64_t seed) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(seed);
}

// A training of `max_batches` on 6 samples in batches of 2, so 3 batches an epoch.
inline State MakeState(int64_t max_batches, std::vector<int64_t> ignored = {}) {
  OptimizerConfig optimizer;
  optimizer.mutable_sgd()->set_lr(0.1);
  optimizer.mutable_sgd()->set_weight_decay(0.01);
  ScheduleConfig schedule;
  schedule.mutable_cosine();
  State state;
  state.length = {
      .batches_per_epoch = 3, .samples_per_epoch = 6, .batch_size = 2, .max_batches = max_batches};
  state.model = std::make_shared<TinyModel>(TinyModel::Options{});
  state.optimizer = BuildOptimizer(optimizer, Parameters(*state.model)).value();
  state.schedule = BuildSchedule(schedule, state.length).value();
  state.train_loader = std::make_unique<TinyLoader>(6, 2, ignored);
  state.eval_loader = std::make_unique<TinyLoader>(5, 2);
  Seed(3);
  return state;
}

// Notes what the loop does.
struct Log {
  std::string events;                  // a letter an event
  std::vector<double> losses;          // of each batch
  std::vector<double> learning_rates;  // of each batch
  std::vector<int64_t> samples;        // ids in the order of training
};

class Recorder : public Callback {
 public:
  explicit Recorder(Log* log) : log_(*log) {}
  absl::Status Run(Event event, const State& state) override {
    log_.events += "FEbgBxVvWf"[static_cast<int>(event)];
    if (event == Event::kBatchEnd) {
      log_.losses.push_back(state.step.loss);
      log_.learning_rates.push_back(state.step.learning_rate);
      const std::vector<int64_t>& ids = state.batch.sample_ids;
      log_.samples.insert(log_.samples.end(), ids.begin(), ids.end());
    }
    return absl::OkStatus();
  }

 private:
  Log& log_;
};

}  // namespace tessera::testing

#endif  // TESSERA_TRAIN_TESTING_H_
