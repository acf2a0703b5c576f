#include "configs/load_experiment.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "configs/apply_override.h"
#include "configs/overlay.h"
#include "configs/parse_text.h"
#include "configs/validate.h"

namespace tessera {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read ", path, ": it is a folder, expected a config file"));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  if (!file || !(contents << file.rdbuf())) {
    if (errno == 0) return std::string();  // an empty file fails to stream, and is no error here
    return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  }
  return contents.str();
}

// Puts an experiment together from files, each over what it includes.
class Loader {
 public:
  // Lays the file at `path` over what was loaded before.
  absl::Status AddFile(const std::string& path) {
    std::error_code ignored;
    const bool cycle = std::any_of(chain_.begin(), chain_.end(), [&](const std::string& above) {
      return std::filesystem::equivalent(above, path, ignored);
    });
    chain_.push_back(path);
    if (cycle) {
      return absl::InvalidArgumentError(
          absl::StrCat("a config includes itself: ", absl::StrJoin(chain_, " -> ")));
    }
    TESSERA_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
    Experiment own;
    FieldPlaces places;
    TESSERA_RETURN_IF_ERROR(ParseText(text, path, &own, &places));
    for (int i = 0; i < own.include_size(); ++i) {
      TESSERA_RETURN_IF_ERROR(AddInclude(path, own.include(i), places, i));
    }
    own.clear_include();
    Overlay(own, places, &experiment_);
    RecordOrigins(own, places, path, "", &origins_);
    chain_.pop_back();
    return absl::OkStatus();
  }

  absl::Status AddOverride(const std::string& assignment) {
    TESSERA_ASSIGN_OR_RETURN(const std::string path, ApplyOverride(assignment, &experiment_));
    if (experiment_.include_size() != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "override \"", assignment, "\": expected another field; files are included by a config"));
    }
    origins_[path] = absl::StrCat("override \"", assignment, "\"");
    return absl::OkStatus();
  }

  Experiment& experiment() { return experiment_; }
  const Origins& origins() const { return origins_; }

 private:
  // Adds the file that the `index`-th include of `path` names.
  absl::Status AddInclude(const std::string& path, const std::string& include,
                          const FieldPlaces& places, int index) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const absl::Status status = AddFile((folder / include).lexically_normal().string());
    if (!absl::IsNotFound(status)) return status;
    const auto* const field =
        Experiment::descriptor()->FindFieldByNumber(Experiment::kIncludeFieldNumber);
    auto place = places.GetLocation(field, index);
    if (place.line < 0) place = places.GetLocation(field, 0);  // a list has one place
    return absl::InvalidArgumentError(
        absl::StrCat(FormatPlace(path, place.line, place.column), ": include: ", status.message()));
  }

  std::vector<std::string>
      chain_;  // the files that are being read, each included by the one before
  Experiment experiment_;
  Origins origins_;
};

}  // namespace

absl::StatusOr<Experiment> LoadExperiment(const std::string& path,
                                          const std::vector<std::string>& overrides) {
  Loader loader;
  TESSERA_RETURN_IF_ERROR(loader.AddFile(path));
  for (const std::string& assignment : overrides) {
    TESSERA_RETURN_IF_ERROR(loader.AddOverride(assignment));
  }
  Experiment& experiment = loader.experiment();
  if (!experiment.has_run_name()) {
    experiment.set_run_name(std::filesystem::path(path).stem().string());
  }
  TESSERA_RETURN_IF_ERROR(ValidateExperiment(experiment, path, loader.origins()));
  return std::move(experiment);
}

absl::StatusOr<Experiment> ExperimentOf(const std::vector<std::string>& overrides) {
  Loader loader;
  for (const std::string& assignment : overrides) {
    TESSERA_RETURN_IF_ERROR(loader.AddOverride(assignment));
  }
  return std::move(loader.experiment());
}

}  // namespace tessera
