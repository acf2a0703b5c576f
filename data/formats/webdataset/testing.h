#ifndef TESSERA_DATA_FORMATS_WEBDATASET_TESTING_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_TESTING_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "data/formats/webdataset/tar_header.h"
#include "data/formats/webdataset/tar_index.h"
#include "data/formats/webdataset/tar_shard.h"
#include "gtest/gtest.h"

namespace tessera {

inline std::string TestData(const std::string& name) {
  const auto contents = ReadFile("data/formats/webdataset/testdata/" + name);
  EXPECT_TRUE(contents.ok()) << contents.status();
  return contents.ok() ? *contents : "";
}

// An empty folder of a test's own.
inline std::string TestFolder() {
  std::string path = testing::TempDir() + "webdataset.XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

// Files by name and contents.
using Files = std::vector<std::pair<std::string, std::string>>;

// Their tar, without its end.
inline std::string TarOf(const Files& files) {
  std::string tar;
  for (const auto& [name, contents] : files) {
    AppendTarHeader(name, contents.size(), &tar);
    tar += contents;
    tar.resize((tar.size() + kTarBlock - 1) / kTarBlock * kTarBlock);
  }
  return tar;
}

inline const std::string& TarEnd() {
  static const auto* const end = new std::string(2 * kTarBlock, '\0');
  return *end;
}

// The samples as "KEY: EXTENSION=CONTENTS ...", read through a TarShard.
inline std::vector<std::string> Samples(const std::string& tar, const TarIndex& index) {
  const std::string path = TestFolder() + "/a.tar";
  EXPECT_TRUE(WriteFile(path, tar).ok());
  auto file = MappedFile::Open(path);
  EXPECT_TRUE(file.ok()) << file.status();
  const auto shard = TarShard::Create(*std::move(file), index);
  EXPECT_TRUE(shard.ok()) << shard.status();
  std::vector<std::string> samples;
  for (uint64_t i = 0; i < (*shard)->size(); ++i) {
    const TarSample sample = (*shard)->Get(i);
    std::string text = absl::StrCat(sample.key(), ":");
    for (uint64_t j = 0; j < sample.size(); ++j) {
      const TarField field = sample[j];
      EXPECT_EQ(sample.Find(field.extension), field.bytes);
      absl::StrAppend(&text, " ", field.extension, "=", field.bytes);
    }
    samples.push_back(std::move(text));
  }
  return samples;
}

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_TESTING_H_
