#include "train/loggers/metrics_file.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "train/interval.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

Json Number(std::optional<double> value) { return value.has_value() ? Json(*value) : Json(); }

Json CommonFields(const State& state, std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {{"batch", state.timestamp.batch},
          {"epoch", state.timestamp.epoch},
          {"sample", state.timestamp.sample},
          {"wall_s", wall.count()}};
}

void AddTraining(const State& state, Json* line) {
  (*line)["loss/train/total"] = state.step.loss;
  (*line)["lr"] = state.step.learning_rate;
  (*line)["throughput/samples_per_sec"] = state.samples_per_second;
  (*line)["data_wait"] = state.data_wait;
  (*line)["empty_batches"] = state.empty_batches;
}

void AddEvaluation(const Evaluation& evaluation, const std::vector<std::string>& class_names,
                   Json* line) {
  (*line)["metrics/eval/MIoU"] = Number(evaluation.matrix.MeanIoU());
  (*line)["metrics/eval/CrossEntropy"] = Number(evaluation.cross_entropy);
  (*line)["metrics/eval/PixelAccuracy"] = Number(evaluation.matrix.PixelAccuracy());
  (*line)["loss/eval/total"] = Number(evaluation.loss);
  const std::vector<std::optional<double>> iou = evaluation.matrix.IoU();
  for (size_t c = 0; c < iou.size(); ++c) {
    (*line)[absl::StrCat("metrics/eval/IoU/", class_names[c])] = Number(iou[c]);
  }
}

// Whether `line` is whole and of batch `batch` or before.
bool BelongsTo(const std::string& line, int64_t batch) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("batch") && json["batch"].is_number_integer() &&
         json["batch"].get<int64_t>() <= batch;
}

}  // namespace

MetricsFile::MetricsFile(std::string path, int64_t log_interval,
                         std::vector<std::string> class_names)
    : path_(std::move(path)), log_interval_(log_interval), class_names_(std::move(class_names)) {}

absl::Status MetricsFile::Run(Event event, const State& state) {
  Json line = CommonFields(state, start_);
  if (event == Event::kBatchEnd &&
      IsDue(log_interval_, state.timestamp.batch, state.length.max_batches)) {
    AddTraining(state, &line);
  } else if (event == Event::kEvalEnd) {
    AddEvaluation(*state.evaluation, class_names_, &line);
  } else {
    return absl::OkStatus();
  }
  return Append(line.dump() + "\n");
}

absl::Status MetricsFile::Append(const std::string& line) const {
  std::ofstream file(path_, std::ios::app | std::ios::binary);
  file << line << std::flush;
  if (!file) return absl::UnavailableError(absl::StrCat(path_, ": cannot append to it"));
  return absl::OkStatus();
}

absl::Status TruncateMetricsFile(const std::string& path, int64_t batch) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::OkStatus();
  const std::string shorter_path = path + ".tmp";
  std::ofstream shorter(shorter_path, std::ios::trunc | std::ios::binary);
  for (std::string line; std::getline(file, line) && BelongsTo(line, batch);) {
    shorter << line << '\n';
  }
  shorter.close();
  if (!shorter || std::rename(shorter_path.c_str(), path.c_str()) != 0) {
    return absl::UnavailableError(absl::StrCat(path, ": cannot replace it"));
  }
  return absl::OkStatus();
}

}  // namespace tessera
