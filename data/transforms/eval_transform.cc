#include "data/transforms/eval_transform.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/transforms/check_sample.h"
#include "data/transforms/resample.h"

namespace tessera {

absl::StatusOr<EvalTransform> EvalTransform::Create(const EvalTransforms& config,
                                                    const Normalization& normalization,
                                                    const LabelMap& label_map) {
  for (const auto& [name, value] :
       {std::pair("height", config.height()), {"width", config.width()}}) {
    if (value < 0) {
      return absl::InvalidArgumentError(absl::StrCat("eval_transforms.", name, " is ", value,
                                                     ": give a size, or 0 for the image's own"));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(const Normalizer normalizer, Normalizer::Create(normalization));
  return EvalTransform(config, normalizer, label_map);
}

ImageSize EvalTransform::OutputSize(ImageSize size) const {
  return {config_.height() > 0 ? config_.height() : size.height,
          config_.width() > 0 ? config_.width() : size.width};
}

absl::Status EvalTransform::Apply(const Image& image, const Image& mask, TransformScratch* scratch,
                                  float* out_image, uint8_t* out_labels) const {
  TESSERA_RETURN_IF_ERROR(CheckSample(image, mask));
  TESSERA_RETURN_IF_ERROR(label_map_.Check(mask.pixels));

  const ImageSize size = OutputSize({image.height, image.width});
  PlanNearest(mask.height, size.height, 0, size.height, /*reverse=*/false, &scratch->mask_rows);
  PlanNearest(mask.width, size.width, 0, size.width, /*reverse=*/false, &scratch->mask_columns);
  ResampleLabels(mask, scratch->mask_rows, scratch->mask_columns, label_map_.table(), out_labels,
                 size.width);
  return ApplyImage(image, scratch, out_image);
}

absl::Status EvalTransform::ApplyImage(const Image& image, TransformScratch* scratch,
                                       float* out_image) const {
  TESSERA_RETURN_IF_ERROR(CheckImage(image));
  const ImageSize size = OutputSize({image.height, image.width});
  PlanBilinear(image.height, size.height, 0, size.height, config_.antialias(), /*reverse=*/false,
               &scratch->rows);
  PlanBilinear(image.width, size.width, 0, size.width, config_.antialias(), /*reverse=*/false,
               &scratch->columns);
  Resample(image, scratch->rows, scratch->columns, &scratch->resample, out_image,
           3 * static_cast<int64_t>(size.width),
           [&](float* row) { normalizer_.Apply(row, size.width); });
  return absl::OkStatus();
}

}  // namespace tessera
