#include "data/storage/store_conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tessera {
namespace {

// Bytes [offset, offset + count) of an object of `size` bytes.
absl::StatusOr<std::string> Range(Store& store, const std::string& key, uint64_t size,
                                  uint64_t offset, uint64_t count, std::string* version) {
  std::string out(count, '\0');
  const absl::Status status = store.ReadRange(key, size, offset, absl::MakeSpan(out), version);
  if (!status.ok()) return status;
  return out;
}

void ExpectReadsObject(Store& store, const std::string& key, const std::string& contents) {
  SCOPED_TRACE(key);
  const uint64_t size = contents.size();
  EXPECT_EQ(store.Size(key).value_or(-1), size) << store.Size(key).status();
  const absl::StatusOr<std::string> whole = store.Read(key);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_TRUE(*whole == contents);
  if (size == 0) return;

  std::string version;
  for (const uint64_t count : {uint64_t{1}, size / 2, size}) {
    for (const uint64_t offset : {uint64_t{0}, (size - count) / 2, size - count}) {
      if (count == 0) continue;
      const absl::StatusOr<std::string> part = Range(store, key, size, offset, count, &version);
      ASSERT_TRUE(part.ok()) << part.status();
      EXPECT_TRUE(*part == contents.substr(offset, count)) << offset << "+" << count;
    }
  }
}

}  // namespace

std::string TestContents(size_t size) {
  std::string contents(size, '\0');
  uint32_t state = 12345;
  for (char& c : contents) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return contents;
}

const std::map<std::string, std::string>& OddObjects() {
  static const auto* const objects = new std::map<std::string, std::string>{
      {"plain", TestContents(1000)},        {"empty", ""},
      {"folder/below/it", TestContents(3)}, {"with space", TestContents(100)},
      {"a#b?c=d&e", TestContents(101)},     {"100%25", TestContents(102)},
      {"a+b;c@d:e,f=g", TestContents(103)}, {"\xc3\xa4\xe2\x82\xac", TestContents(104)},
      {"large", TestContents(300000)},
  };
  return *objects;
}

void WriteOddObjects(const std::string& folder) {
  for (const auto& [key, contents] : OddObjects()) {
    const std::filesystem::path file = std::filesystem::path(folder) / key;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << contents;
  }
}

void ExpectReads(Store& store) {
  for (const auto& [key, contents] : OddObjects()) ExpectReadsObject(store, key, contents);

  std::string version;
  const std::string uri = store.Uri("missing");
  for (const absl::Status& status : {store.Read("missing").status(), store.Size("missing").status(),
                                     Range(store, "missing", 10, 0, 10, &version).status()}) {
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
    EXPECT_NE(status.message().find(uri), absl::string_view::npos) << status;
  }
  // Shorter than said.
  const absl::Status shorter = Range(store, "plain", 2000, 1000, 1000, &version).status();
  EXPECT_TRUE(absl::IsDataLoss(shorter)) << shorter;
  // Longer than said.
  const absl::Status longer = Range(store, "large", 200000, 0, 1000, &version).status();
  EXPECT_TRUE(absl::IsDataLoss(longer)) << longer;
}

void ExpectWrites(Store& store) {
  for (const auto& [key, contents] : OddObjects()) {
    for (const std::string& value : {std::string("what was there before"), contents}) {
      const absl::string_view all(value);
      const absl::string_view pieces[] = {all.substr(0, all.size() / 3),
                                          all.substr(all.size() / 3)};
      ASSERT_EQ(store.Write(key, pieces), absl::OkStatus()) << key;
    }
  }
  for (const std::string key : {"missing", "folder/to be removed"}) {
    const absl::string_view contents = "contents";
    ASSERT_EQ(store.Write(key, {&contents, 1}), absl::OkStatus()) << key;
    ASSERT_EQ(store.Remove(key), absl::OkStatus()) << key;
    EXPECT_TRUE(absl::IsNotFound(store.Read(key).status())) << key;
    EXPECT_EQ(store.Remove(key), absl::OkStatus()) << key;
  }
}

}  // namespace tessera
