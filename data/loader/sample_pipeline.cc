#include "data/loader/sample_pipeline.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/image/decode.h"
#include "data/random/philox.h"

namespace tessera {
namespace {

absl::Status InSample(const Sample& sample, int64_t id, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("sample ", id, " (", sample.name, "): ", status.message()));
}

absl::Status Prefixed(absl::string_view what, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(what, ": ", status.message()));
}

}  // namespace

absl::StatusOr<ImageSize> SamplePipeline::OutputSize(int64_t id) const {
  if (const auto* const train = std::get_if<TrainTransform>(&transform_)) {
    return ImageSize{train->height(), train->width()};
  }
  const EvalTransform& eval = std::get<EvalTransform>(transform_);
  // The same for every image, unless the images' own sizes are kept.
  const ImageSize a = eval.OutputSize({1, 1});
  if (a == eval.OutputSize({2, 2})) return a;
  TESSERA_ASSIGN_OR_RETURN(const Sample sample, dataset_->Get(id));
  const absl::StatusOr<ImageInfo> info = ReadImageInfo(sample.image);
  if (!info.ok()) return InSample(sample, id, Prefixed("image", info.status()));
  return eval.OutputSize({info->height, info->width});
}

absl::Status SamplePipeline::Decode(const Sample& sample, WorkerScratch* scratch) const {
  TESSERA_RETURN_IF_ERROR(Prefixed("image", DecodeRgb(sample.image, &scratch->image)));
  if (sample.mask.empty()) return absl::InvalidArgumentError("mask: there is none, or it is empty");
  return Prefixed("mask", DecodeMask(sample.mask, &scratch->mask));
}

absl::Status SamplePipeline::Run(int64_t id, int64_t epoch, ImageSize size, WorkerScratch* scratch,
                                 float* images, uint8_t* labels) const {
  TESSERA_ASSIGN_OR_RETURN(const Sample sample, dataset_->Get(id));
  TESSERA_RETURN_IF_ERROR(InSample(sample, id, Decode(sample, scratch)));
  if (const auto* const train = std::get_if<TrainTransform>(&transform_)) {
    Philox random(seed_, static_cast<uint32_t>(epoch), static_cast<uint64_t>(id));
    return InSample(
        sample, id,
        train->Apply(scratch->image, scratch->mask, random, &scratch->transform, images, labels));
  }
  const EvalTransform& eval = std::get<EvalTransform>(transform_);
  const ImageSize own = eval.OutputSize({scratch->image.height, scratch->image.width});
  if (own != size) {
    return InSample(sample, id,
                    absl::InvalidArgumentError(absl::StrCat(
                        "its size is ", own.height, " x ", own.width, ", that of its batch ",
                        size.height, " x ", size.width,
                        "; set data.eval_transforms.height and width, or eval_batch_size: 1")));
  }
  return InSample(sample, id,
                  eval.Apply(scratch->image, scratch->mask, &scratch->transform, images, labels));
}

}  // namespace tessera
