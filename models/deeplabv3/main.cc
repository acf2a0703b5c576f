// Builds the model of a config and says what it is made of and how fast it runs.

#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gflags/gflags.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "configs/cli.h"
#include "models/build_model.h"
#include "models/conv_summary.h"
#include "models/losses/segmentation_loss.h"
#include "models/segmentation_model.h"

DEFINE_bool(benchmark, false, "Also time evaluation and training, at the config's batch size.");
DEFINE_double(seconds, 5, "Least time of each measurement of --benchmark.");

namespace tessera {
namespace {

at::Tensor MakeImages(const Experiment& experiment, int64_t samples) {
  const TrainTransforms& transforms = experiment.data().train_transforms();
  return at::randn({samples, 3, transforms.crop_height(), transforms.crop_width()})
      .contiguous(at::MemoryFormat::ChannelsLast);
}

void PrintTable(SegmentationModel& model, const at::Tensor& image) {
  model.eval();
  const std::vector<ConvSummary> convs = SummarizeConvs(model, image);
  size_t width = 11;
  for (const ConvSummary& conv : convs) width = std::max(width, conv.name.size());
  int64_t in_convs = 0, total = 0, multiply_adds = 0;
  absl::PrintF("%-*s  %-18s %12s %14s\n", width, "convolution", "output", "parameters",
               "multiply-adds");
  for (const ConvSummary& conv : convs) {
    absl::PrintF("%-*s  %-18s %12d %14d\n", width, conv.name, absl::StrJoin(conv.output, " x "),
                 conv.parameters, conv.multiply_adds);
    in_convs += conv.parameters;
    multiply_adds += conv.multiply_adds;
  }
  for (const at::Tensor& parameter : model.parameters()) total += parameter.numel();
  const at::NoGradGuard no_grad;
  absl::PrintF("\nparameters     %d (%d in batch norms)\n", total, total - in_convs);
  absl::PrintF("multiply-adds  %.2f G for an image of %s\n", multiply_adds * 1e-9,
               absl::StrJoin(image.sizes().slice(2), " x "));
  absl::PrintF("logits         %s\n", absl::StrJoin(model.forward(image).sizes(), " x "));
}

// Images per second of `step`, which handles `images` of them, after one call to warm up.
double MeasureSpeed(int64_t images, const std::function<void()>& step) {
  using Clock = std::chrono::steady_clock;
  step();
  const Clock::time_point start = Clock::now();
  std::chrono::duration<double> elapsed{};
  int64_t done = 0;
  do {
    step();
    done += images;
    elapsed = Clock::now() - start;
  } while (elapsed.count() < FLAGS_seconds);
  return done / elapsed.count();
}

void Benchmark(const Experiment& experiment, SegmentationModel& model) {
  const int64_t batch = experiment.train_batch_size();
  const at::Tensor images = MakeImages(experiment, batch);
  model.eval();
  const double evaluation = MeasureSpeed(batch, [&] {
    const at::NoGradGuard no_grad;
    model.forward(images);
  });
  absl::PrintF("forward        %.2f images/s (batch %d)\n", evaluation, batch);

  model.train();
  const at::Tensor labels = at::randint(0, experiment.model().num_classes(),
                                        {batch, images.size(2), images.size(3)}, at::kByte);
  SegmentationLossOptions options;
  options.align_corners = model.align_corners();
  const double training = MeasureSpeed(batch, [&] {
    model.zero_grad();
    SegmentationLoss(model.forward(images), labels, options).backward();
  });
  absl::PrintF("training       %.2f images/s (forward, loss, backward)\n", training);
}

absl::Status Run(const Experiment& experiment) {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<SegmentationModel> model,
                           BuildSegmentationModel(experiment.model(), experiment.seed()));
  if (FLAGS_benchmark && experiment.train_batch_size() < model->min_train_batch()) {
    return absl::InvalidArgumentError(
        absl::StrCat("train_batch_size is ", experiment.train_batch_size(),
                     ": this model trains with batches of at least ", model->min_train_batch()));
  }
  try {
    PrintTable(*model, MakeImages(experiment, 1));
    if (FLAGS_benchmark) Benchmark(experiment, *model);
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("cannot run the model: ", error.what()));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunWithConfig(
      argc, argv,
      {.summary = "Builds the model of a config: layers, parameters, work, output, speed.",
       .examples = "bazel run //models:deeplabv3 -- --config=configs/deeplabv3_ade20k.textproto\n"
                   "bazel run //models:deeplabv3 -- --config=configs/quickstart.textproto "
                   "--benchmark train_batch_size=4"},
      tessera::Run);
}
