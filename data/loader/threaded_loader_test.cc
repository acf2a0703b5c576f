#include "data/loader/threaded_loader.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "data/image/encode.h"
#include "data/order/permutation_order.h"
#include "data/transforms/label_map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// PNG files in memory; sample i is a gradient with i in its blue channel and labels of 0 and 1.
class MemoryDataset : public Dataset {
 public:
  explicit MemoryDataset(int count, int height = 12, int width = 10) {
    for (int i = 0; i < count; ++i) Add(i, height, width);
  }

  void Add(int id, int height, int width) {
    Image image, mask;
    image.Resize(height, width, 3);
    mask.Resize(height, width, 1);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        uint8_t* const pixel = image.row(y) + 3 * x;
        pixel[0] = static_cast<uint8_t>(10 * y);
        pixel[1] = static_cast<uint8_t>(10 * x);
        pixel[2] = static_cast<uint8_t>(id);
        mask.row(y)[x] = static_cast<uint8_t>((x + y) % 2);
      }
    }
    images.push_back(*EncodePng(image));
    masks.push_back(*EncodePng(mask));
    names.push_back(absl::StrCat("s", id, ".png"));
  }

  int64_t size() const override { return static_cast<int64_t>(images.size()); }
  absl::StatusOr<Sample> Get(int64_t index) const override {
    ++reads;
    return Sample{names[index], StoredImage(images[index]), StoredImage(masks[index]), nullptr};
  }

  std::vector<std::string> images, masks, names;
  mutable std::atomic<int> reads = 0;
};

LabelMap TwoClasses() {
  return *LabelMap::Create(
      {.num_classes = 2, .reduce_zero_label = false, .ignore_index = 255, .subset = {}});
}

// Random crops of 6 x 6.
TrainTransform Crops() {
  TrainTransforms config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "base_height: 0 base_width: 0 min_scale: 1 max_scale: 1 crop_height: 6 crop_width: 6 "
      "class_max_share: 1 brightness: 0 contrast: 0 saturation: 0 hue: 0",
      &config));
  return *TrainTransform::Create(config, Normalization(), TwoClasses());
}

EvalTransform OwnSize() {
  EvalTransforms config;
  config.set_height(0);
  config.set_width(0);
  return *EvalTransform::Create(config, Normalization(), TwoClasses());
}

struct Draw {
  uint64_t seed = 0;
  bool shuffle = false;
};

absl::StatusOr<std::unique_ptr<ThreadedLoader>> MakeLoader(std::shared_ptr<const Dataset> dataset,
                                                           const LoaderOptions& options,
                                                           SamplePipeline::Transform transform,
                                                           Draw draw = {}) {
  std::unique_ptr<const SampleOrder> order = std::make_unique<SequentialOrder>(dataset->size());
  if (draw.shuffle) order = std::make_unique<PermutationOrder>(dataset->size(), draw.seed);
  return ThreadedLoader::Create(options, std::move(order),
                                SamplePipeline(dataset, std::move(transform), draw.seed, 150));
}

struct Pass {
  std::vector<Batch> batches;
  absl::Status end;

  std::vector<int64_t> Ids() const {
    std::vector<int64_t> ids;
    for (const Batch& batch : batches) {
      ids.insert(ids.end(), batch.sample_ids.begin(), batch.sample_ids.end());
    }
    return ids;
  }
};

Pass RunEpoch(DataLoader& loader, int64_t epoch, int64_t first_sample = 0) {
  Pass pass;
  pass.end = loader.StartEpoch(epoch, first_sample);
  while (pass.end.ok()) {
    absl::StatusOr<std::optional<Batch>> batch = loader.Next();
    if (!batch.ok()) pass.end = batch.status();
    if (!batch.ok() || !batch->has_value()) break;
    pass.batches.push_back(**std::move(batch));
  }
  return pass;
}

bool SamePixels(const Batch& a, const Batch& b) {
  const int64_t pixels = a.size * a.height * a.width;
  return a.size == b.size && a.height == b.height && a.width == b.width &&
         a.sample_ids == b.sample_ids &&
         std::equal(a.images.get(), a.images.get() + 3 * pixels, b.images.get()) &&
         std::equal(a.labels.get(), a.labels.get() + pixels, b.labels.get());
}

TEST(ThreadedLoaderTest, BatchesAreTheSameForAnyNumberOfThreads) {
  const auto dataset = std::make_shared<MemoryDataset>(22);
  constexpr Draw kDraw = {.seed = 17, .shuffle = true};
  LoaderOptions options = {.batch_size = 5, .num_threads = 0};
  const auto reference = *MakeLoader(dataset, options, Crops(), kDraw);
  for (const int threads : {1, 2, 8}) {
    options.num_threads = threads;
    options.prefetch_batches = threads;
    const auto loader = *MakeLoader(dataset, options, Crops(), kDraw);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      const Pass want = RunEpoch(*reference, epoch), got = RunEpoch(*loader, epoch);
      ASSERT_EQ(got.batches.size(), 5u);
      ASSERT_EQ(got.batches.back().size, 2);
      for (size_t i = 0; i < 5; ++i) EXPECT_TRUE(SamePixels(want.batches[i], got.batches[i]));
    }
  }
}

TEST(ThreadedLoaderTest, AnEpochHoldsEachSampleOnceInAnOrderOfItsOwn) {
  const auto loader = *MakeLoader(std::make_shared<MemoryDataset>(22), {.batch_size = 5}, Crops(),
                                  {.seed = 17, .shuffle = true});
  std::set<std::vector<int64_t>> orders;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int64_t> ids = RunEpoch(*loader, epoch).Ids();
    orders.insert(ids);
    std::sort(ids.begin(), ids.end());
    std::vector<int64_t> all(22);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(ids, all);
  }
  EXPECT_EQ(orders.size(), 3u);
}

TEST(ThreadedLoaderTest, StartsInTheMiddleOfAnEpoch) {
  const auto loader = *MakeLoader(std::make_shared<MemoryDataset>(22), {.batch_size = 5}, Crops(),
                                  {.seed = 17, .shuffle = true});
  const Pass whole = RunEpoch(*loader, 1), tail = RunEpoch(*loader, 1, 15);
  ASSERT_EQ(tail.batches.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(SamePixels(whole.batches[3 + i], tail.batches[i]));
  EXPECT_TRUE(RunEpoch(*loader, 1, 22).batches.empty());
  EXPECT_FALSE(loader->StartEpoch(1, 7).ok());
  EXPECT_FALSE(loader->StartEpoch(1, 25).ok());
}

// Identical samples: the crops differ by sample and by epoch, and come again with the same seed.
TEST(ThreadedLoaderTest, EachSampleDrawsItsOwnNumbers) {
  const auto dataset = std::make_shared<MemoryDataset>(0);
  for (int i = 0; i < 8; ++i) dataset->Add(0, 60, 60);
  const auto first_pixels = [&](uint64_t seed, int threads, int64_t epoch) {
    const auto loader =
        *MakeLoader(dataset, {.batch_size = 2, .num_threads = threads}, Crops(), {.seed = seed});
    std::vector<std::pair<float, float>> pixels;
    for (const Batch& batch : RunEpoch(*loader, epoch).batches) {
      for (int64_t i = 0; i < batch.size; ++i) {
        const float* const pixel = batch.images.get() + i * 6 * 6 * 3;
        pixels.emplace_back(pixel[0], pixel[1]);
      }
    }
    return pixels;
  };
  const auto a = first_pixels(17, 4, 0), b = first_pixels(17, 4, 1);
  EXPECT_GE(std::set(a.begin(), a.end()).size(), 7u);
  EXPECT_NE(a, b);
  EXPECT_EQ(a, first_pixels(17, 2, 0));
  EXPECT_NE(a, first_pixels(18, 4, 0));
}

TEST(ThreadedLoaderTest, KeptBatchesNeverChange) {
  const auto loader = *MakeLoader(std::make_shared<MemoryDataset>(40), {.batch_size = 2}, Crops(),
                                  {.seed = 17, .shuffle = true});
  ASSERT_TRUE(loader->StartEpoch(0, 0).ok());
  const Batch kept = **loader->Next();
  const std::vector<float> copy(kept.images.get(), kept.images.get() + 2 * 6 * 6 * 3);
  const float* const freed = (*loader->Next())->images.get();
  bool reused = false;
  for (int i = 0; i < 10; ++i) {
    const auto batch = *loader->Next();
    ASSERT_TRUE(batch.has_value());
    reused |= batch->images.get() == freed;
  }
  EXPECT_TRUE(reused);
  EXPECT_TRUE(std::equal(copy.begin(), copy.end(), kept.images.get()));
}

TEST(ThreadedLoaderTest, BatchOutlivesItsLoader) {
  std::optional<Batch> batch;
  {
    const auto loader = *MakeLoader(std::make_shared<MemoryDataset>(9), {.batch_size = 4}, Crops());
    ASSERT_TRUE(loader->StartEpoch(0, 0).ok());
    batch = *loader->Next();
  }
  EXPECT_EQ(batch->labels[4 * 6 * 6 - 1] & ~1, 0);
}

TEST(ThreadedLoaderTest, BadSampleStopsAtItsBatchByName) {
  const auto dataset = std::make_shared<MemoryDataset>(10);
  dataset->images[7] = "no image";
  for (const int threads : {0, 3}) {
    const auto loader = *MakeLoader(dataset, {.batch_size = 2, .num_threads = threads}, Crops());
    const Pass pass = RunEpoch(*loader, 0);
    EXPECT_EQ(pass.Ids(), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_THAT(std::string(pass.end.message()), HasSubstr("sample 7 (s7.png): image: "));
    EXPECT_FALSE((*loader->Next()).has_value());
  }
}

TEST(ThreadedLoaderTest, SkippedSampleIsReplacedByItsSuccessor) {
  const auto dataset = std::make_shared<MemoryDataset>(6);
  dataset->images[2] = dataset->images[5] = "";
  for (const int threads : {0, 2}) {
    const auto loader = *MakeLoader(
        dataset, {.batch_size = 3, .num_threads = threads, .bad_samples = BadSamples::kReplace},
        Crops());
    EXPECT_EQ(RunEpoch(*loader, 0).Ids(), (std::vector<int64_t>{0, 1, 3, 3, 4, 0}));
    EXPECT_EQ(loader->skipped_samples(), 2);
  }
}

TEST(ThreadedLoaderTest, SetThatIsBadThroughoutEndsAfterAHundredTries) {
  const auto dataset = std::make_shared<MemoryDataset>(150);
  std::fill(dataset->images.begin(), dataset->images.end(), "");
  const auto loader = *MakeLoader(
      dataset, {.batch_size = 1, .num_threads = 0, .bad_samples = BadSamples::kReplace}, Crops());
  EXPECT_THAT(std::string(RunEpoch(*loader, 0).end.message()), HasSubstr("sample 0 (s0.png)"));
  EXPECT_EQ(dataset->reads, 100);
}

TEST(ThreadedLoaderTest, IgnoredSampleCountsNowhere) {
  const auto dataset = std::make_shared<MemoryDataset>(4);
  dataset->images[1] = dataset->images[2] = "";
  const auto loader =
      *MakeLoader(dataset, {.batch_size = 2, .bad_samples = BadSamples::kIgnore}, OwnSize());
  const Pass pass = RunEpoch(*loader, 0);
  ASSERT_TRUE(pass.end.ok()) << pass.end;
  EXPECT_EQ(pass.Ids(), (std::vector<int64_t>{0, 1, 2, 3}));
  const int64_t pixels = 12 * 10;
  const uint8_t* const first = pass.batches[0].labels.get();
  EXPECT_EQ(std::count(first, first + 2 * pixels, 255), pixels);
  EXPECT_EQ(first[pixels], 255);
  EXPECT_EQ(pass.batches[1].labels[0], 255);
}

TEST(ThreadedLoaderTest, LabelOutOfRangeNamesSampleValueAndRange) {
  const auto dataset = std::make_shared<MemoryDataset>(3);
  Image mask;
  mask.Resize(12, 10, 1);
  mask.pixels[5] = 151;
  dataset->masks[1] = *EncodePng(mask);
  const auto loader = *MakeLoader(dataset, {.batch_size = 3}, Crops());
  EXPECT_THAT(std::string(RunEpoch(*loader, 0).end.message()),
              AllOf(HasSubstr("s1.png"), HasSubstr("151"), HasSubstr("1 pixel")));
}

TEST(ThreadedLoaderTest, OwnSizesNeedABatchOfOne) {
  const auto dataset = std::make_shared<MemoryDataset>(1, 12, 10);
  dataset->Add(1, 5, 7);
  const auto one = *MakeLoader(dataset, {.batch_size = 1}, OwnSize());
  const Pass pass = RunEpoch(*one, 0);
  ASSERT_EQ(pass.batches.size(), 2u);
  EXPECT_EQ(pass.batches[1].height, 5);
  EXPECT_EQ(pass.batches[1].width, 7);
  const auto two = *MakeLoader(dataset, {.batch_size = 2}, OwnSize());
  EXPECT_THAT(std::string(RunEpoch(*two, 0).end.message()),
              AllOf(HasSubstr("5 x 7"), HasSubstr("12 x 10"), HasSubstr("eval_batch_size: 1")));
}

TEST(ThreadedLoaderTest, EpochWithoutABatchIsRefused) {
  const auto loader =
      MakeLoader(std::make_shared<MemoryDataset>(5), {.batch_size = 8, .drop_last = true}, Crops());
  EXPECT_THAT(std::string(loader.status().message()),
              AllOf(HasSubstr("5 samples"), HasSubstr("8")));
}

TEST(ThreadedLoaderTest, DropLastLeavesOutTheRest) {
  const auto loader = *MakeLoader(std::make_shared<MemoryDataset>(7),
                                  {.batch_size = 3, .drop_last = true}, Crops());
  EXPECT_EQ(loader->num_batches(), 2);
  EXPECT_EQ(loader->samples_per_epoch(), 6);
  EXPECT_EQ(RunEpoch(*loader, 0).Ids().size(), 6u);
}

// Its samples from 4 on come from a store that does not answer; waits end with the readahead.
class SlowDataset : public MemoryDataset {
 public:
  using MemoryDataset::MemoryDataset;

  absl::StatusOr<Sample> Get(int64_t index) const override {
    if (index < 4) return MemoryDataset::Get(index);
    if (!told.exchange(true)) waiting.Notify();
    stop.WaitForNotification();
    return absl::CancelledError("stopped");
  }
  std::unique_ptr<Readahead> StartReadahead(const EpochOrder&, int64_t, int64_t) const override {
    class Stops : public Readahead {
     public:
      explicit Stops(absl::Notification& stop) : stop_(stop) {}
      ~Stops() override { stop_.Notify(); }
      void Advance(int64_t) override {}

     private:
      absl::Notification& stop_;
    };
    return stop.HasBeenNotified() ? nullptr : std::make_unique<Stops>(stop);
  }

  mutable std::atomic<bool> told = false;
  mutable absl::Notification waiting;
  mutable absl::Notification stop;
};

TEST(ThreadedLoaderTest, AnEpochThatIsGivenUpWaitsForNoStore) {
  for (const BadSamples policy : {BadSamples::kStop, BadSamples::kIgnore, BadSamples::kReplace}) {
    const auto dataset = std::make_shared<SlowDataset>(12);
    auto loader =
        MakeLoader(dataset, {.batch_size = 4, .num_threads = 2, .bad_samples = policy}, Crops());
    ASSERT_TRUE(loader.ok()) << loader.status();
    ASSERT_TRUE((*loader)->StartEpoch(0, 0).ok());
    ASSERT_TRUE((*loader)->Next().value().has_value());
    dataset->waiting.WaitForNotification();
    EXPECT_FALSE((*loader)->StartEpoch(0, 3).ok()) << "no batch begins there";
    EXPECT_FALSE(dataset->stop.HasBeenNotified());
    ASSERT_TRUE((*loader)->StartEpoch(1, 12).ok()) << "the end: nothing is read";
    EXPECT_EQ((*loader)->skipped_samples(), 0) << "none of them is bad";
  }
}

}  // namespace
}  // namespace tessera
