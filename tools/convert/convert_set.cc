#include "tools/convert/convert_set.h"

#include <google/protobuf/text_format.h>

#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/terminal_progress.h"
#include "data/build_data.h"
#include "data/datasets/coco_dataset.h"
#include "data/order/permutation_order.h"
#include "tools/convert/coco_box_rows.h"

namespace tessera {
namespace {

// A split that can be converted, as far as its names tell.
struct Job {
  std::string split;  // as it is called in the result
  std::string source;
  std::unique_ptr<const Rows> rows;
  std::unique_ptr<const EpochOrder> order;
};

// `sorted`: the files stand by class.
std::unique_ptr<const SampleOrder> OrderOf(RowOrder order, int64_t size, bool sorted) {
  const bool draw = order == RowOrder::kRandom || (order == RowOrder::kAuto && sorted);
  if (draw) return std::make_unique<PermutationOrder>(size, /*seed=*/17);
  return std::make_unique<SequentialOrder>(size);
}

// What a row is made of, and the order of the rows.
absl::Status OpenRows(const DataConfig& config, Split split, const ConvertSetOptions& options,
                      Job* job) {
  std::unique_ptr<const SampleOrder> order;
  if (options.boxes) {
    if (!config.has_coco()) return absl::InvalidArgumentError("--boxes is for COCO");
    TESSERA_ASSIGN_OR_RETURN(CocoFiles files, OpenCocoFiles(config.coco(), split == Split::kTrain));
    TESSERA_ASSIGN_OR_RETURN(job->rows, MakeCocoBoxRows(std::move(files), options.rows));
    order = OrderOf(options.order, job->rows->size(), split == Split::kTrain);
  } else {
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const Dataset> dataset, OpenDataset(config, split));
    const bool by_class = dataset->label_kind() == LabelKind::kClass && split == Split::kTrain;
    order = OrderOf(options.order, dataset->size(), by_class);
    TESSERA_ASSIGN_OR_RETURN(job->rows, MakeDatasetRows(std::move(dataset), options.rows));
  }
  TESSERA_ASSIGN_OR_RETURN(job->order, order->Epoch(0));
  return absl::OkStatus();
}

absl::StatusOr<Job> MakeJob(const DataConfig& config, const std::string& name,
                            const ConvertSetOptions& options) {
  Job job = {.split = name, .source = {}, .rows = nullptr, .order = nullptr};
  const Split split = name == "train" ? Split::kTrain : Split::kEval;
  if (const absl::Status status = OpenRows(config, split, options, &job); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat("split ", name, ": ", status.message()));
  }
  google::protobuf::TextFormat::PrintToString(config, &job.source);
  absl::StrAppend(&job.source, name, " ", static_cast<int>(options.order), " ",
                  options.rows.resize_short, " ", options.rows.quality, " ", options.boxes);
  return job;
}

ConvertJob AsConvertJob(const Job& job) {
  return {.split = job.split, .source = job.source, .rows = *job.rows, .order = *job.order};
}

absl::Status Run(const ConvertOptions& options, const Job& job) {
  absl::StatusOr<ConvertSummary> summary;
  {
    TerminalProgress progress(job.order->size(), "samples", absl::StrCat(job.split, ": "));
    summary = ConvertSplit(options, AsConvertJob(job), [&](int64_t done) { progress.Show(done); });
  }
  TESSERA_RETURN_IF_ERROR(summary.status());
  std::cout << absl::StrFormat("%-5s  %d samples, %.1f MB in %d shards", job.split,
                               summary->samples, static_cast<double>(summary->bytes) / 1e6,
                               summary->shards);
  if (summary->resumed > 0) std::cout << ", " << summary->resumed << " of them by an earlier run";
  std::cout << "; " << summary->skipped.count << " skipped\n";
  for (const std::string& reason : summary->skipped.reasons) {
    std::cout << "       skipped " << reason << "\n";
  }
  const int64_t unnamed =
      summary->skipped.count - static_cast<int64_t>(summary->skipped.reasons.size());
  if (unnamed > 0) std::cout << "       skipped " << unnamed << " more\n";
  return absl::OkStatus();
}

}  // namespace

absl::Status ConvertSet(const DataConfig& config, const ConvertSetOptions& options) {
  // What names tell is checked for all splits before the first is written.
  std::vector<Job> jobs;
  for (const std::string& split : options.splits) {
    TESSERA_ASSIGN_OR_RETURN(Job job, MakeJob(config, split, options));
    TESSERA_RETURN_IF_ERROR(CheckSplitIsFree(options.convert, AsConvertJob(job)));
    jobs.push_back(std::move(job));
  }
  for (const Job& job : jobs) TESSERA_RETURN_IF_ERROR(Run(options.convert, job));
  for (const Job& job : jobs) TESSERA_RETURN_IF_ERROR(FinishConversion(options.convert, job.split));
  if (const std::string settings = jobs.front().rows->settings(); !settings.empty()) {
    std::cout << "they are read with data.streaming { " << settings << " }\n";
  }
  return absl::OkStatus();
}

}  // namespace tessera
