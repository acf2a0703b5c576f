#include "tools/convert_folder.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "data/image/decode.h"
#include "data/storage/open_store.h"
#include "data/storage/store.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Samples that are checked side by side before they are written in order.
constexpr size_t kChunk = 64;

// Of the request that writes one shard.
constexpr absl::Duration kWriteTimeout = absl::Minutes(10);

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return status.ok() ? status
                     : absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

struct Item {
  const FilePair* pair = nullptr;
  std::string image;
  std::string mask;
  absl::Status status;
};

absl::Status Load(Item* item, Image* image, Image* mask) {
  TESSERA_ASSIGN_OR_RETURN(item->image, ReadFile(item->pair->image));
  TESSERA_ASSIGN_OR_RETURN(item->mask, ReadFile(item->pair->mask));
  TESSERA_RETURN_IF_ERROR(InFile(item->pair->image, DecodeRgb(item->image, image)));
  TESSERA_RETURN_IF_ERROR(InFile(item->pair->mask, DecodeMask(item->mask, mask)));
  if (image->height == mask->height && image->width == mask->width) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(item->pair->mask, ": the mask is ", mask->height,
                                                 " x ", mask->width, ", its image ", image->height,
                                                 " x ", image->width, "; expected one size"));
}

void LoadAll(std::vector<Item>* items, int num_threads) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    Image image, mask;
    for (size_t i = next++; i < items->size(); i = next++) {
      (*items)[i].status = Load(&(*items)[i], &image, &mask);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < num_threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

absl::Status WritePairs(const std::vector<FilePair>& pairs, const ConvertOptions& options,
                        const std::function<void(int64_t, int64_t)>& progress, SampleWriter* writer,
                        ConvertSummary* summary) {
  for (size_t begin = 0; begin < pairs.size(); begin += kChunk) {
    std::vector<Item> items(std::min(kChunk, pairs.size() - begin));
    for (size_t i = 0; i < items.size(); ++i) items[i].pair = &pairs[begin + i];
    LoadAll(&items, options.num_threads);
    for (const Item& item : items) {
      TESSERA_RETURN_IF_ERROR(item.status);
      TESSERA_RETURN_IF_ERROR(writer->Write(item.pair->name, item.image, item.mask));
      ++summary->samples;
      summary->bytes += item.image.size() + item.mask.size();
    }
    progress(summary->samples, static_cast<int64_t>(pairs.size()));
  }
  return writer->Finish();
}

absl::StatusOr<ConvertSummary> ConvertInto(std::shared_ptr<Store> store,
                                           const ConvertOptions& options,
                                           const std::vector<FilePair>& pairs,
                                           const std::function<void(int64_t, int64_t)>& progress) {
  ConvertSummary summary;
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<SampleWriter> writer,
                           MakeSampleWriter(options.format, std::move(store), options.size_limit));
  TESSERA_RETURN_IF_ERROR(WritePairs(pairs, options, progress, writer.get(), &summary));
  summary.shards = writer->num_shards();
  summary.settings = writer->Settings();
  return summary;
}

bool IsFolder(absl::string_view to) { return !absl::StrContains(to, "://"); }

absl::StatusOr<std::shared_ptr<Store>> OpenSplit(const ConvertOptions& options,
                                                 const std::string& split) {
  return OpenStore(absl::StrCat(absl::StripSuffix(options.to, "/"), "/", split), kWriteTimeout);
}

}  // namespace

absl::StatusOr<SplitPlan> PlanSplit(const ConvertOptions& options, const std::string& from_split,
                                    const std::string& to_split) {
  const fs::path to = fs::path(options.to) / to_split;
  std::error_code error;
  if (!IsFolder(options.to)) {
    TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<Store> store, OpenSplit(options, to_split));
    TESSERA_RETURN_IF_ERROR(CheckIsFree(options.format, *store));
  } else if (fs::exists(to, error)) {
    return absl::AlreadyExistsError(
        absl::StrCat(to.string(), " exists; remove it, or choose another --to"));
  }
  SplitPlan plan = {.split = to_split, .pairs = {}};
  TESSERA_ASSIGN_OR_RETURN(
      plan.pairs, ListPairs(options.from, from_split, options.skip_unpaired, &plan.skipped));
  return plan;
}

absl::StatusOr<ConvertSummary> ConvertSplit(const ConvertOptions& options, const SplitPlan& plan,
                                            const std::function<void(int64_t, int64_t)>& progress) {
  if (!IsFolder(options.to)) {
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<Store> store, OpenSplit(options, plan.split));
    return ConvertInto(std::move(store), options, plan.pairs, progress);
  }
  const fs::path to = fs::path(options.to) / plan.split;
  const fs::path partial = fs::path(options.to) / absl::StrCat(".partial-", plan.split);
  std::error_code error;
  const bool made = !fs::exists(options.to, error);
  fs::remove_all(partial, error);  // of a conversion that was killed
  fs::create_directories(partial, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot make ", partial.string(), ": ", error.message()));
  }
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<Store> store,
                           OpenStore(partial.string(), kWriteTimeout));
  absl::StatusOr<ConvertSummary> summary =
      ConvertInto(std::move(store), options, plan.pairs, progress);
  if (summary.ok()) {
    fs::rename(partial, to, error);
    if (!error) return summary;
    summary = absl::UnavailableError(
        absl::StrCat("cannot rename ", partial.string(), ": ", error.message()));
  }
  fs::remove_all(partial, error);
  if (made) fs::remove(options.to, error);  // only if nothing else came into it
  return summary;
}

}  // namespace tessera
