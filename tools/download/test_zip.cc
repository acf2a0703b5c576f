#include "tools/download/test_zip.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tessera {
namespace {

void Require(bool good, archive* zip) {
  if (good) return;
  std::fprintf(stderr, "cannot write the test's zip: %s\n", archive_error_string(zip));
  std::abort();
}

}  // namespace

void WriteTestZip(const std::string& path, const std::vector<TestZipEntry>& entries) {
  archive* const zip = archive_write_new();
  archive_write_set_format_zip(zip);
  Require(archive_write_open_filename(zip, path.c_str()) == ARCHIVE_OK, zip);
  for (const TestZipEntry& entry : entries) {
    archive_entry* const header = archive_entry_new();
    archive_entry_set_pathname(header, entry.name.c_str());
    archive_entry_set_perm(header, 0644);
    if (entry.kind == TestZipEntry::kFile) {
      archive_entry_set_filetype(header, AE_IFREG);
      archive_entry_set_size(header, static_cast<la_int64_t>(entry.contents.size()));
    } else if (entry.kind == TestZipEntry::kFolder) {
      archive_entry_set_filetype(header, AE_IFDIR);
    } else {
      archive_entry_set_filetype(header, AE_IFLNK);
      archive_entry_set_symlink(header, entry.contents.c_str());
    }
    Require(archive_write_header(zip, header) == ARCHIVE_OK, zip);
    if (entry.kind == TestZipEntry::kFile) {
      Require(archive_write_data(zip, entry.contents.data(), entry.contents.size()) >= 0, zip);
    }
    archive_entry_free(header);
  }
  Require(archive_write_close(zip) == ARCHIVE_OK, zip);
  archive_write_free(zip);
}

std::vector<TestZipEntry> Ade20kEntries(int64_t train, int64_t val, size_t bytes) {
  const std::string top = "ADEChallengeData2016/";
  std::vector<TestZipEntry> entries = {{top, "", TestZipEntry::kFolder},
                                       {top + "objectInfo150.txt", "Idx\tRatio\n"},
                                       {top + "sceneCategories.txt", "ADE_train_00000001 airport"}};
  std::mt19937 random(17);
  for (const auto& [kind, extension] : {std::pair("annotations", "png"), {"images", "jpg"}}) {
    for (const auto& [split, short_name, count] :
         {std::tuple("training", "train", train), {"validation", "val", val}}) {
      const std::string folder = absl::StrCat(top, kind, "/", split, "/");
      entries.push_back({folder, "", TestZipEntry::kFolder});
      for (int64_t i = 1; i <= count; ++i) {
        std::string contents(bytes, '\0');
        for (char& byte : contents) byte = static_cast<char>(random());
        entries.push_back({absl::StrFormat("%sADE_%s_%08d.%s", folder, short_name, i, extension),
                           std::move(contents)});
      }
    }
  }
  return entries;
}

}  // namespace tessera
