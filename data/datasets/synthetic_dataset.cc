#include "data/datasets/synthetic_dataset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/image/encode.h"
#include "data/image/image.h"
#include "data/random/philox.h"

namespace tessera {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kShapes = std::size(kSyntheticClasses) - 1;
constexpr double kBorder = 1.0;  // half the width of the void border, in pixels

// Distance to the outline of shape `kind` (1 to kShapes) of size about 1, negative inside. Exact
// near straight edges, near enough elsewhere.
double Distance(int kind, double x, double y) {
  const double ax = std::abs(x), ay = std::abs(y), r = std::hypot(x, y);
  switch (kind) {
    case 1:  // disc
      return r - 0.9;
    case 2:  // square
      return std::max(ax, ay) - 0.75;
    case 3:  // triangle
      return std::max(-y, 0.5 * y + std::sqrt(0.75) * ax) - 0.55;
    case 4:  // ring
      return std::abs(r - 0.7) - 0.22;
    case 5:  // cross
      return std::min(std::max(ax - 1, ay - 0.3), std::max(ax - 0.3, ay - 1));
    case 6:  // bar
      return std::max(ax - 1.1, ay - 0.3);
    default:  // star
      return r - 0.7 - 0.3 * std::cos(5 * std::atan2(y, x));
  }
}

struct Shape {
  int kind = 0;
  double x = 0, y = 0;  // centre, in pixels
  double size = 1;      // in pixels
  double sine = 0, cosine = 1;
  std::array<double, 3> colour{};
  double phase = 0;

  // Coordinates of a pixel in the shape's own frame.
  std::pair<double, double> Local(double px, double py) const {
    const double dx = (px - x) / size, dy = (py - y) / size;
    return {cosine * dx + sine * dy, cosine * dy - sine * dx};
  }
  // Stripes of 5 pixels, in a direction of the class's own that does not turn with the shape.
  double Texture(double px, double py) const {
    const double angle = kind * kPi / kShapes;
    const double along = px * std::cos(angle) + py * std::sin(angle);
    return 45 * std::sin(2 * kPi * along / 5 + phase);
  }
};

Shape DrawShape(int height, int width, Philox& random) {
  Shape shape;
  shape.kind = 1 + static_cast<int>(random.Below(kShapes));
  shape.x = random.Uniform(0.1, 0.9) * width;
  shape.y = random.Uniform(0.1, 0.9) * height;
  shape.size = random.Uniform(0.16, 0.3) * std::min(height, width);
  const double angle = random.Uniform(0, 2 * kPi);
  shape.sine = std::sin(angle);
  shape.cosine = std::cos(angle);
  for (double& channel : shape.colour) channel = random.Uniform(60, 195);
  shape.phase = random.Uniform(0, 2 * kPi);
  return shape;
}

// A plane of light that falls across the ground.
struct Ground {
  explicit Ground(Philox& random) {
    for (double& channel : colour) channel = random.Uniform(60, 195);
    slope_x = random.Uniform(-50, 50);
    slope_y = random.Uniform(-50, 50);
  }
  std::array<double, 3> colour{};
  double slope_x = 0, slope_y = 0;
};

// The one shape of an image that has a class: most of it is inside.
Shape DrawLargeShape(int height, int width, Philox& random) {
  Shape shape = DrawShape(height, width, random);
  shape.x = random.Uniform(0.4, 0.6) * width;
  shape.y = random.Uniform(0.4, 0.6) * height;
  shape.size *= 1.4;
  return shape;
}

void DrawSample(const std::vector<Shape>& shapes, const Ground& ground, Philox& random,
                Image* image, Image* mask) {
  const int height = image->height, width = image->width;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double light =
          ground.slope_x * (double(x) / width - 0.5) + ground.slope_y * (double(y) / height - 0.5);
      std::array<double, 3> colour = ground.colour;
      double texture = 0;
      uint8_t label = 1;
      for (const Shape& shape : shapes) {
        const auto [u, v] = shape.Local(x, y);
        const double distance = Distance(shape.kind, u, v) * shape.size;
        if (distance < 0) {
          colour = shape.colour;
          texture = shape.Texture(x, y);
        }
        if (distance < kBorder) label = distance < -kBorder ? 1 + shape.kind : 0;
      }
      mask->row(y)[x] = label;
      for (int c = 0; c < 3; ++c) {
        const double noise = 30 * (random.Uniform() + random.Uniform() - 1);
        const double value = colour[c] + light + texture + noise;
        image->row(y)[x * 3 + c] = static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
      }
    }
  }
}

class SyntheticDataset : public Dataset {
 public:
  struct Files {
    std::string name, image, mask;
    int64_t label = -1;
  };

  SyntheticDataset(LabelKind kind, std::vector<Files> samples)
      : kind_(kind), samples_(std::make_shared<const std::vector<Files>>(std::move(samples))) {}

  int64_t size() const override { return static_cast<int64_t>(samples_->size()); }
  LabelKind label_kind() const override { return kind_; }
  std::vector<std::string> class_names() const override {
    // Without the background where a shape is the class of its image.
    return {std::begin(kSyntheticClasses) + (kind_ == LabelKind::kClass ? 1 : 0),
            std::end(kSyntheticClasses)};
  }

  absl::StatusOr<Sample> Get(int64_t index) const override {
    const Files& files = (*samples_)[index];
    return Sample{files.name, StoredImage(files.image), StoredImage(files.mask), samples_,
                  files.label};
  }

 private:
  const LabelKind kind_;
  const std::shared_ptr<const std::vector<Files>> samples_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> MakeSyntheticDataset(const SyntheticConfig& config,
                                                                    bool train) {
  const int count = train ? config.train_samples() : config.eval_samples();
  if (count < 1 || config.height() < 8 || config.width() < 8) {
    return absl::InvalidArgumentError(absl::StrCat("data.synthetic: ", count, " samples of ",
                                                   config.height(), " x ", config.width(),
                                                   " found, expected 1 or more of 8 x 8 or more"));
  }
  const bool classes = config.labels() == SyntheticConfig::CLASSES;
  std::vector<SyntheticDataset::Files> samples(count);
  Image image, mask;
  image.Resize(config.height(), config.width(), 3);
  mask.Resize(config.height(), config.width(), 1);
  for (int i = 0; i < count; ++i) {
    Philox random(config.seed(), train ? 0 : 1, i);
    const Ground ground(random);
    std::vector<Shape> shapes(classes ? 1 : 2 + random.Below(3));
    for (Shape& shape : shapes) {
      shape = classes ? DrawLargeShape(config.height(), config.width(), random)
                      : DrawShape(config.height(), config.width(), random);
    }
    DrawSample(shapes, ground, random, &image, &mask);
    samples[i].name = absl::StrCat(train ? "train_" : "eval_", i);
    TESSERA_ASSIGN_OR_RETURN(samples[i].image, EncodePng(image));
    if (classes) {
      samples[i].label = shapes[0].kind - 1;
    } else {
      TESSERA_ASSIGN_OR_RETURN(samples[i].mask, EncodePng(mask));
    }
  }
  return std::make_shared<const SyntheticDataset>(classes ? LabelKind::kClass : LabelKind::kMask,
                                                  std::move(samples));
}

}  // namespace tessera
