#include "tools/download/ade20k_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/datasets/folder_dataset.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kNote[] = ".tessera-download.json";
constexpr const char* kKinds[] = {"images", "annotations"};

// Throws where it is no note of ours.
DownloadNote ParseNote(const json& json) {
  DownloadNote note = {.url = json.at("url"),
                       .archive = {.size = json.at("size")},
                       .names = {json.at("train").at("name"), json.at("val").at("name")},
                       .train_pairs = json.at("train").at("pairs"),
                       .val_pairs = json.at("val").at("pairs")};
  note.archive.md5 = json.value("md5", "");
  note.archive.sha256 = json.value("sha256", "");
  return note;
}

std::optional<DownloadNote> ReadNote(const std::string& root) {
  const absl::StatusOr<std::string> text = ReadFile(absl::StrCat(root, "/", kNote));
  if (!text.ok()) return std::nullopt;
  try {
    return ParseNote(json::parse(*text));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// The number of entries of a folder, hidden ones aside.
int64_t CountFiles(const fs::path& folder) {
  int64_t count = 0;
  std::error_code error;
  for (fs::directory_iterator files(folder, error); !error && files != fs::directory_iterator();
       files.increment(error)) {
    if (files->path().filename().native().front() != '.') ++count;
  }
  return count;
}

}  // namespace

SplitNames TesseraNames() { return {"train", "val"}; }

SplitNames OriginalNames() { return {"training", "validation"}; }

absl::Status WriteDownloadNote(const std::string& root, const DownloadNote& note) {
  json json = {{"url", note.url},
               {"size", note.archive.size},
               {"train", {{"name", note.names.train}, {"pairs", note.train_pairs}}},
               {"val", {{"name", note.names.val}, {"pairs", note.val_pairs}}}};
  if (!note.archive.md5.empty()) json["md5"] = note.archive.md5;
  if (!note.archive.sha256.empty()) json["sha256"] = note.archive.sha256;
  return WriteFile(absl::StrCat(root, "/", kNote),
                   json.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

absl::StatusOr<std::optional<DownloadNote>> FindDownloaded(const std::string& root) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(root, error))) return std::nullopt;
  std::optional<DownloadNote> note = ReadNote(root);
  if (!note.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(root, " is there, but not from this tool (it has no ", kNote,
                     "): expected nothing there, or a set that this tool wrote"));
  }
  for (const auto& [split, expected] : {std::pair(note->names.train, note->train_pairs),
                                        std::pair(note->names.val, note->val_pairs)}) {
    for (const char* const kind : kKinds) {
      const std::string folder = absl::StrCat(root, "/", kind, "/", split);
      if (const int64_t found = CountFiles(folder); found < expected) {
        return absl::FailedPreconditionError(absl::StrCat(folder, ": found ", found,
                                                          " files, expected ", expected,
                                                          "; remove ", root, ", then run again"));
      }
    }
  }
  return note;
}

std::string PathInSet(absl::string_view path, const SplitNames& names) {
  std::vector<std::string> parts = absl::StrSplit(path, '/');
  if (parts.size() < 2 || (parts[0] != kKinds[0] && parts[0] != kKinds[1])) {
    return std::string(path);
  }
  const SplitNames original = OriginalNames();
  if (parts[1] == original.train) {
    parts[1] = names.train;
  } else if (parts[1] == original.val) {
    parts[1] = names.val;
  }
  return absl::StrJoin(parts, "/");
}

absl::Status CheckPairs(const std::string& root, const std::string& split, int64_t expected) {
  const std::string where = absl::StrCat("images/", split, " with annotations/", split);
  int64_t unpaired = 0;
  const auto pairs = ListPairs(root, split, /*skip_unpaired=*/true, &unpaired);
  if (!pairs.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": found no pairs, expected ", expected,
                                                   ": ", pairs.status().message()));
  }
  const auto found = static_cast<int64_t>(pairs->size());
  if (found == expected && unpaired == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(where, ": found ", found, " pairs",
                   unpaired == 0 ? "" : absl::StrCat(" and ", unpaired, " files without a partner"),
                   ", expected ", expected, " pairs"));
}

}  // namespace tessera
