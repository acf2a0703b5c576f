#include "tools/convert/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_value.h"
#include "data/image/decode.h"
#include "data/image/encode.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Stored {
  std::string name;
  StoredImage image;
  std::string mask = {};
  int64_t label = -1;
};

class ListDataset : public Dataset {
 public:
  ListDataset(LabelKind kind, std::vector<Stored> samples)
      : kind_(kind), samples_(std::move(samples)) {}

  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  LabelKind label_kind() const override { return kind_; }
  absl::StatusOr<Sample> Get(int64_t index) const override {
    const Stored& stored = samples_[index];
    return Sample{stored.name, stored.image, StoredImage(stored.mask, "m/a.png"), nullptr,
                  stored.label};
  }

 private:
  const LabelKind kind_;
  const std::vector<Stored> samples_;
};

Image Gradient(int height, int width, int channels) {
  Image image;
  image.Resize(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * channels; ++i) {
      image.row(y)[i] = static_cast<uint8_t>(2 * y + i);
    }
  }
  return image;
}

std::unique_ptr<Rows> Make(LabelKind kind, std::vector<Stored> samples, RowOptions options = {}) {
  return MakeDatasetRows(std::make_shared<ListDataset>(kind, std::move(samples)), options).value();
}

std::vector<std::string> Names(const Rows& rows) {
  std::vector<std::string> names;
  for (const RowColumn& column : rows.columns()) {
    names.push_back(column.name + (column.encoding.empty() ? "" : ":" + column.encoding));
  }
  return names;
}

class RowsTest : public ::testing::Test {
 protected:
  const std::string jpeg_ = EncodeJpeg(Gradient(20, 30, 3), 100).value();
  const std::string png_ = EncodePng(Gradient(20, 30, 1)).value();
  RowOptions web_ = {.format = ShardFormat::kWebDataset};
};

TEST_F(RowsTest, MasksHaveTheColumnsOfAde20k) {
  const std::vector<Stored> samples = {{"a.b", StoredImage(jpeg_), png_}};
  const auto mds = Make(LabelKind::kMask, samples);
  EXPECT_EQ(Names(*mds), (std::vector<std::string>{"uid:bytes", "x:jpeg", "y:png"}));
  EXPECT_EQ(mds->settings(), "");
  EXPECT_EQ(mds->Get(0)->payloads, (std::vector<std::string>{"a.b", jpeg_, png_}));
  EXPECT_EQ(mds->Get(0)->source_bytes, jpeg_.size() + png_.size());

  const auto web = Make(LabelKind::kMask, samples, web_);
  EXPECT_EQ(Names(*web), (std::vector<std::string>{"image.jpg", "mask.png"}));
  EXPECT_EQ(web->Get(0)->key, "a_b");
  EXPECT_EQ(web->Get(0)->payloads, (std::vector<std::string>{jpeg_, png_}));
  EXPECT_THAT(web->settings(), HasSubstr("image_column: \"image.jpg\" mask_column: \"mask.png\""));
}

TEST_F(RowsTest, ClassesHaveTheColumnsOfImageNet) {
  const std::vector<Stored> samples = {{"n1.0/a.x", StoredImage(jpeg_), "", 7},
                                       {"", StoredImage(png_), "", 8}};
  const auto mds = Make(LabelKind::kClass, samples);
  EXPECT_EQ(Names(*mds), (std::vector<std::string>{"i:int", "x:jpeg", "y:int"}));
  EXPECT_EQ(mds->settings(), "label_column: \"y\"");
  // A PNG among JPEG files keeps its bytes: it is told by its content.
  EXPECT_EQ(mds->Get(1)->payloads,
            (std::vector<std::string>{EncodeMdsInt(1), png_, EncodeMdsInt(8)}));

  const auto web = Make(LabelKind::kClass, samples, web_);
  EXPECT_EQ(Names(*web), (std::vector<std::string>{"jpg", "cls"}));
  EXPECT_EQ(web->Get(0)->key, "n1.0/a_x");
  EXPECT_EQ(web->Get(1)->key, "00000001");
  EXPECT_EQ(web->Get(1)->payloads, (std::vector<std::string>{png_, "8"}));
}

TEST_F(RowsTest, PixelsBecomePilOrPng) {
  const Image gray = Gradient(2, 3, 1);
  const std::string pixels(gray.pixels.begin(), gray.pixels.end());
  const std::vector<Stored> samples = {{"a", StoredImage::Pixels(pixels, 2, 3, 1), "", 4}};
  const auto mds = Make(LabelKind::kClass, samples);
  EXPECT_EQ(Names(*mds), (std::vector<std::string>{"i:int", "x:pil", "y:int"}));
  const Row row = mds->Get(0).value();
  const MdsValue value = DecodeMds(MakeMdsColumn("x", "pil").value(), row.payloads[1]).value();
  const MdsPil& pil = std::get<MdsPil>(value);
  EXPECT_EQ(pil.mode, "L");
  EXPECT_EQ(pil.width, 3u);
  EXPECT_EQ(pil.pixels, pixels);

  const auto web = Make(LabelKind::kClass, samples, web_);
  EXPECT_EQ(Names(*web), (std::vector<std::string>{"png", "cls"}));
  Image decoded;
  ASSERT_TRUE(DecodeMask(web->Get(0)->payloads[0], &decoded).ok());
  EXPECT_EQ(decoded.pixels, gray.pixels);
}

TEST_F(RowsTest, ResizingTakesTheMaskWithTheImage) {
  const std::vector<Stored> samples = {{"a", StoredImage(jpeg_), png_}};
  const auto rows = Make(LabelKind::kMask, samples, {.resize_short = 10});
  Image image, mask;
  const Row row = rows->Get(0).value();
  ASSERT_TRUE(DecodeRgb(row.payloads[1], &image).ok());
  ASSERT_TRUE(DecodeMask(row.payloads[2], &mask).ok());
  EXPECT_EQ(image.height, 10);
  EXPECT_EQ(image.width, 15);
  EXPECT_EQ(mask.height, 10);
  EXPECT_EQ(mask.width, 15);
  // The pixel whose centre is nearest: row 2 y + 1, column 2 x + 1.
  EXPECT_EQ(mask.row(3)[4], 2 * 7 + 9);
  // What is not longer keeps its bytes.
  EXPECT_EQ(Make(LabelKind::kMask, samples, {.resize_short = 20})->Get(0)->payloads[1], jpeg_);
}

TEST_F(RowsTest, QualityWritesJpegAnew) {
  const auto rows = Make(LabelKind::kClass, {{"a", StoredImage(jpeg_), "", 0}}, {.quality = 30});
  const Row row = rows->Get(0).value();
  EXPECT_LT(row.payloads[1].size(), jpeg_.size());
  Image image;
  ASSERT_TRUE(DecodeRgb(row.payloads[1], &image).ok());
  EXPECT_EQ(image.width, 30);
  EXPECT_EQ(row.source_bytes, jpeg_.size());
}

TEST_F(RowsTest, BadSamplesAreNamed) {
  const std::string cut = jpeg_.substr(0, jpeg_.size() - 20);
  const std::string small = EncodePng(Gradient(4, 4, 1)).value();
  const std::vector<Stored> samples = {{"ok", StoredImage(jpeg_), png_},
                                       {"cut", StoredImage(cut, "i/cut.jpg"), png_},
                                       {"other", StoredImage(jpeg_), small},
                                       {"none", StoredImage(jpeg_), ""}};
  const auto rows = Make(LabelKind::kMask, samples);
  EXPECT_TRUE(rows->Get(0).ok());
  EXPECT_THAT(std::string(rows->Get(1).status().message()), HasSubstr("i/cut.jpg: "));
  EXPECT_THAT(std::string(rows->Get(2).status().message()),
              AllOf(HasSubstr("other: m/a.png: the mask is 4 x 4, its image 20 x 30")));
  EXPECT_THAT(std::string(rows->Get(3).status().message()), HasSubstr("none: mask: there is none"));
  // Headers alone do not tell that the end is missing.
  const auto headers = Make(LabelKind::kMask, samples, {.check = ImageCheck::kHeaders});
  EXPECT_TRUE(headers->Get(1).ok());
  EXPECT_FALSE(headers->Get(2).ok());
}

}  // namespace
}  // namespace tessera
