#include "configs/ranges.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kMaxSide = 65535;  // pixels; what JPEG can hold
constexpr double kMaxThreads = 1024;

constexpr Interval AtLeast(double least) { return {least, kUnbounded}; }
constexpr Interval Between(double least, double most) { return {least, most}; }
constexpr Interval Positive(double most = kUnbounded) { return {0, most, /*least_open=*/true}; }
constexpr Interval Below(double most) {
  return {0, most, /*least_open=*/false, /*most_open=*/true};
}
constexpr Interval Finite() { return {-kUnbounded, kUnbounded}; }

constexpr FieldRange kRanges[] = {
    {"train_batch_size", AtLeast(1)},
    {"eval_batch_size", AtLeast(1)},

    {"data.synthetic.train_samples", AtLeast(1)},
    {"data.synthetic.eval_samples", AtLeast(1)},
    {"data.synthetic.height", Between(8, kMaxSide)},
    {"data.synthetic.width", Between(8, kMaxSide)},
    {"data.streaming.shuffle_block_size", AtLeast(0)},
    {"data.streaming.num_canonical_nodes", AtLeast(0)},
    {"data.streaming.sampling_granularity", AtLeast(1)},
    {"data.streaming.epoch_size", AtLeast(0)},
    {"data.streaming.replication", AtLeast(1)},
    {"data.streaming.download_retry", AtLeast(0)},
    {"data.streaming.download_timeout", Positive(86400)},
    {"data.streaming.download_threads", Between(1, kMaxThreads)},
    {"data.streaming.predownload", AtLeast(0)},
    {"data.streaming.max_open_shards", AtLeast(1)},
    {"data.ignore_index", Between(0, 255)},  // a mask holds 8 bits
    {"data.num_threads", Between(0, kMaxThreads)},
    {"data.prefetch_batches", Between(1, 1024)},
    {"data.train_transforms.base_height", Between(0, kMaxSide)},
    {"data.train_transforms.base_width", Between(0, kMaxSide)},
    {"data.train_transforms.min_scale", Positive(1000)},
    {"data.train_transforms.max_scale", Positive(1000)},
    {"data.train_transforms.crop_height", Between(1, kMaxSide)},
    {"data.train_transforms.crop_width", Between(1, kMaxSide)},
    {"data.train_transforms.class_max_share", Positive(1)},
    {"data.train_transforms.horizontal_flip", Between(0, 1)},
    {"data.train_transforms.brightness", Between(0, 1)},
    {"data.train_transforms.contrast", Between(0, 1)},
    {"data.train_transforms.saturation", Between(0, 1)},
    {"data.train_transforms.hue", Between(0, 0.5)},
    {"data.eval_transforms.height", Between(0, kMaxSide)},
    {"data.eval_transforms.width", Between(0, kMaxSide)},
    {"data.label_map", Between(0, 255)},
    {"data.classification_transforms.train_height", Between(1, kMaxSide)},
    {"data.classification_transforms.train_width", Between(1, kMaxSide)},
    {"data.classification_transforms.eval_height", Between(1, kMaxSide)},
    {"data.classification_transforms.eval_width", Between(1, kMaxSide)},
    {"data.classification_transforms.eval_resize", Between(0, kMaxSide)},
    {"data.classification_transforms.horizontal_flip", Between(0, 1)},
    {"data.classification_transforms.random_resized_crop.min_area", Positive(1)},
    {"data.classification_transforms.random_resized_crop.max_area", Positive(1)},
    {"data.classification_transforms.random_resized_crop.min_aspect", Positive(1000)},
    {"data.classification_transforms.random_resized_crop.max_aspect", Positive(1000)},
    {"data.classification_transforms.padded_crop.padding", Between(0, kMaxSide)},
    {"data.normalization.mean", Finite()},
    {"data.normalization.std", Positive()},

    {"model.num_classes", AtLeast(2)},
    {"model.deeplabv3.backbone.width", AtLeast(1)},
    {"model.deeplabv3.head_channels", AtLeast(1)},
    {"model.deeplabv3.aspp_dilations", AtLeast(1)},
    {"model.deeplabv3.dropout", Below(1)},
    {"model.resnet.backbone.width", AtLeast(1)},
    {"model.resnet_cifar.depth", AtLeast(8)},
    {"model.resnet_cifar.width", AtLeast(1)},
    {"model.deeplabv3_plus.backbone.width", AtLeast(1)},
    {"model.deeplabv3_plus.head_channels", AtLeast(1)},
    {"model.deeplabv3_plus.aspp_dilations", AtLeast(1)},
    {"model.deeplabv3_plus.dropout", Below(1)},
    {"model.deeplabv3_plus.low_level_channels", AtLeast(1)},

    {"loss.cross_entropy_weight", AtLeast(0)},
    {"loss.dice_weight", AtLeast(0)},

    {"optimizer.decoupled_sgd.lr", AtLeast(0)},
    {"optimizer.decoupled_sgd.momentum", Below(1)},
    {"optimizer.decoupled_sgd.dampening", Between(0, 1)},
    {"optimizer.decoupled_sgd.weight_decay", AtLeast(0)},
    {"optimizer.sgd.lr", AtLeast(0)},
    {"optimizer.sgd.momentum", Below(1)},
    {"optimizer.sgd.dampening", Between(0, 1)},
    {"optimizer.sgd.weight_decay", AtLeast(0)},

    {"schedule.constant.alpha", AtLeast(0)},
    {"schedule.cosine.alpha_f", AtLeast(0)},
    {"schedule.poly.power", AtLeast(0)},
    {"schedule.poly.alpha_f", AtLeast(0)},
    {"schedule.multi_step.gamma", AtLeast(0)},

    {"train.microbatch_size", AtLeast(0)},
    {"train.save_num_checkpoints_to_keep", AtLeast(0)},
    {"train.image_samples", AtLeast(0)},
    {"train.log_interval", AtLeast(1)},
    {"train.num_threads", Between(0, kMaxThreads)},
};

}  // namespace

bool Interval::Contains(double value) const {
  if (!std::isfinite(value)) return false;
  return (least_open ? value > least : value >= least) &&
         (most_open ? value < most : value <= most);
}

std::string Interval::ToString() const {
  const bool bounded = std::isfinite(most);
  if (!std::isfinite(least)) return "a finite number";
  if (least_open) {
    return absl::StrCat("more than ", least, bounded ? absl::StrCat(", up to ", most) : "");
  }
  if (!bounded) return absl::StrCat(least, " or more");
  return absl::StrCat(least, " to ", most_open ? "below " : "", most);
}

absl::Span<const FieldRange> FieldRanges() { return kRanges; }

}  // namespace tessera
