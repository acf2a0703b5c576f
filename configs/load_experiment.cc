#include "configs/load_experiment.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "configs/apply_override.h"
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

// The file at `path` over what it includes. `chain`: the files that include it.
absl::StatusOr<Experiment> LoadFile(const std::string& path, std::vector<std::string> chain) {
  std::error_code ignored;
  const std::string identity = std::filesystem::weakly_canonical(path, ignored).string();
  const bool cycle = std::find(chain.begin(), chain.end(), identity) != chain.end();
  chain.push_back(identity);
  if (cycle) {
    return absl::InvalidArgumentError(
        absl::StrCat("a config includes itself: ", absl::StrJoin(chain, " -> ")));
  }
  TESSERA_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Experiment own;
  TESSERA_RETURN_IF_ERROR(ParseText(text, path, &own));

  Experiment merged;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const std::string& include : own.include()) {
    absl::StatusOr<Experiment> parent = LoadFile((folder / include).string(), chain);
    if (!parent.ok()) {
      if (!absl::IsNotFound(parent.status())) return parent.status();
      return absl::NotFoundError(
          absl::StrCat(path, ": include \"", include, "\": ", parent.status().message()));
    }
    Overlay(*parent, &merged);
  }
  own.clear_include();
  Overlay(own, &merged);
  return merged;
}

}  // namespace

absl::StatusOr<Experiment> LoadExperiment(const std::string& path,
                                          const std::vector<std::string>& overrides) {
  TESSERA_ASSIGN_OR_RETURN(Experiment experiment, LoadFile(path, {}));
  for (const std::string& assignment : overrides) {
    TESSERA_RETURN_IF_ERROR(ApplyOverride(assignment, &experiment));
  }
  if (!experiment.has_run_name()) {
    experiment.set_run_name(std::filesystem::path(path).stem().string());
  }
  if (const absl::Status status = ValidateExperiment(experiment); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  }
  return experiment;
}

}  // namespace tessera
