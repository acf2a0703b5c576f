#ifndef TESSERA_DATA_STREAMING_CACHE_TEST_FOLDER_H_
#define TESSERA_DATA_STREAMING_CACHE_TEST_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tessera {

// A folder of a test's own, which goes with it.
class TestFolder {
 public:
  TestFolder() : path_(testing::TempDir() + "cache.XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  // The names of the files in it, but for the cache's lock file.
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (entry.path().filename() != ".tessera.lock") names.insert(entry.path().filename());
    }
    return names;
  }

  void Write(const std::string& name, const std::string& contents) const {
    std::ofstream(*this / name, std::ios::binary) << contents;
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_TEST_FOLDER_H_
