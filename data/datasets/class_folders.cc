#include "data/datasets/class_folders.h"

#include <glog/logging.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

constexpr size_t kMostNamed = 10;

absl::StatusOr<std::vector<std::string>> SortedFolders(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.front() != '.' && at->is_directory(ignored)) names.push_back(name);
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat("cannot list ", folder, ": ", error.message()));
  }
  if (names.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, " has no folders; expected one for each class"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Whether all names are numbers whose order as text is another than as numbers, as where their
// widths differ.
bool AreNumbersOutOfOrder(const std::vector<std::string>& names) {
  bool widths_differ = false;
  for (const std::string& name : names) {
    if (!std::all_of(name.begin(), name.end(), absl::ascii_isdigit)) return false;
    widths_differ |= name.size() != names.front().size();
  }
  return widths_differ;
}

// What `a` has and `b` lacks, for a message; both in any order.
std::string Lacking(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::string> names;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(names));
  if (names.empty()) return "";
  const size_t shown = std::min(names.size(), kMostNamed);
  return absl::StrCat(names.size(), " (", absl::StrJoin(names.begin(), names.begin() + shown, ", "),
                      names.size() > shown ? ", ..." : "", ")");
}

// "" where `a` and `b` hold the same names.
std::string Differences(absl::string_view only_a, const std::vector<std::string>& a,
                        absl::string_view only_b, const std::vector<std::string>& b) {
  std::vector<std::string> parts;
  if (const std::string names = Lacking(a, b); !names.empty()) {
    parts.push_back(absl::StrCat(only_a, " ", names));
  }
  if (const std::string names = Lacking(b, a); !names.empty()) {
    parts.push_back(absl::StrCat(only_b, " ", names));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ListClassFolders(const std::string& folder,
                                                          const std::string& class_list) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<std::string> folders, SortedFolders(folder));
  if (class_list.empty()) {
    if (AreNumbersOutOfOrder(folders)) {
      LOG(WARNING) << folder << ": class folders are numbers and sort as text, so that folder "
                   << folders.back() << " is class " << folders.size() - 1
                   << "; list them in the order of their labels in a file to number them otherwise";
    }
    return folders;
  }
  TESSERA_ASSIGN_OR_RETURN(const std::string text, ReadFile(class_list));
  std::vector<std::string> listed;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    listed.emplace_back(absl::StripAsciiWhitespace(line));
  }
  const std::string differences = Differences("only in the list", listed, "only folders", folders);
  if (differences.empty()) return listed;
  return absl::InvalidArgumentError(absl::StrCat(class_list, " does not name the classes of ",
                                                 folder, ", each once: ", differences));
}

absl::Status CheckSameClasses(const std::vector<std::string>& train,
                              const std::vector<std::string>& eval) {
  const std::string differences =
      Differences("only in training", train, "only in evaluation", eval);
  if (differences.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the splits have different classes: ", differences));
}

}  // namespace tessera
