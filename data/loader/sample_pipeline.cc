#include "data/loader/sample_pipeline.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/image/decode.h"
#include "data/random/philox.h"

namespace tessera {
namespace {

absl::Status InSample(const Sample& sample, int64_t id, const absl::Status& status) {
  if (status.ok()) return status;
  const std::string name = sample.name.empty() ? "" : absl::StrCat(" (", sample.name, ")");
  return absl::Status(status.code(), absl::StrCat("sample ", id, name, ": ", status.message()));
}

absl::Status InImage(absl::string_view what, const StoredImage& stored,
                     const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(what, stored.path.empty() ? "" : " ", stored.path,
                                                  ": ", status.message()));
}

absl::Status CheckSize(ImageSize own, const Batch& batch) {
  if (own == ImageSize{batch.height, batch.width}) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "its size is ", own.height, " x ", own.width, ", that of its batch ", batch.height, " x ",
      batch.width, "; set data.eval_transforms.height and width, or eval_batch_size: 1"));
}

absl::Status CheckClass(int64_t label, int num_classes) {
  if (label >= 0 && label < num_classes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its class is ", label, ", expected 0 to ",
                                                 num_classes - 1, " (model.num_classes)"));
}

absl::StatusOr<ImageSize> SizeOf(const StoredImage& image) {
  if (!image.is_file()) return ImageSize{image.height, image.width};
  TESSERA_ASSIGN_OR_RETURN(const ImageInfo info, ReadImageInfo(image.bytes));
  return ImageSize{info.height, info.width};
}

}  // namespace

absl::StatusOr<ImageSize> SamplePipeline::OutputSize(int64_t id) const {
  if (const auto* const train = std::get_if<TrainTransform>(&transform_)) {
    return ImageSize{train->height(), train->width()};
  }
  if (const auto* const transform = std::get_if<ClassificationTransform>(&transform_)) {
    return ImageSize{transform->height(), transform->width()};
  }
  const EvalTransform& eval = std::get<EvalTransform>(transform_);
  // The same for every image, unless the images' own sizes are kept.
  const ImageSize a = eval.OutputSize({1, 1});
  if (a == eval.OutputSize({2, 2})) return a;
  TESSERA_ASSIGN_OR_RETURN(const Sample sample, dataset_->Get(id));
  const absl::StatusOr<ImageSize> size = SizeOf(sample.image);
  if (!size.ok()) return InSample(sample, id, InImage("image", sample.image, size.status()));
  return eval.OutputSize(*size);
}

absl::Status SamplePipeline::Decode(const Sample& sample, WorkerScratch* scratch) const {
  TESSERA_RETURN_IF_ERROR(InImage("image", sample.image, DecodeRgb(sample.image, &scratch->image)));
  if (dataset_->label_kind() == LabelKind::kClass) return CheckClass(sample.label, num_classes_);
  if (sample.mask.empty()) return absl::InvalidArgumentError("mask: there is none, or it is empty");
  return InImage("mask", sample.mask, DecodeMask(sample.mask, &scratch->mask));
}

absl::Status SamplePipeline::Transformed(const Sample& sample, int64_t id, int64_t epoch,
                                         WorkerScratch* scratch, int64_t slot, Batch* batch) const {
  const int64_t pixels = int64_t{batch->height} * batch->width;
  float* const images = batch->images.get() + slot * pixels * 3;
  Philox random(seed_, static_cast<uint32_t>(epoch), static_cast<uint64_t>(id));
  if (const auto* const transform = std::get_if<ClassificationTransform>(&transform_)) {
    batch->classes[slot] = sample.label;
    return transform->Apply(scratch->image, random, &scratch->transform, images);
  }
  uint8_t* const labels = batch->labels.get() + slot * pixels;
  if (const auto* const train = std::get_if<TrainTransform>(&transform_)) {
    return train->Apply(scratch->image, scratch->mask, random, &scratch->transform, images, labels);
  }
  const EvalTransform& eval = std::get<EvalTransform>(transform_);
  TESSERA_RETURN_IF_ERROR(
      CheckSize(eval.OutputSize({scratch->image.height, scratch->image.width}), *batch));
  return eval.Apply(scratch->image, scratch->mask, &scratch->transform, images, labels);
}

absl::Status SamplePipeline::Run(int64_t id, int64_t epoch, WorkerScratch* scratch, int64_t slot,
                                 Batch* batch) const {
  batch->sample_ids[slot] = id;
  TESSERA_ASSIGN_OR_RETURN(const Sample sample, dataset_->Get(id));
  TESSERA_RETURN_IF_ERROR(InSample(sample, id, Decode(sample, scratch)));
  return InSample(sample, id, Transformed(sample, id, epoch, scratch, slot, batch));
}

}  // namespace tessera
