#include "data/formats/webdataset/tar_reader.h"

#include <locale.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "data/formats/webdataset/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What a reader finds: "NAME OFFSET+SIZE" or, of sparse files, "NAME sparse SIZE".
struct Found {
  std::vector<std::string> members;
  std::optional<TarDamage> damage;
};

Found ReadTar(absl::string_view tar) {
  Found found;
  TarReader reader(tar);
  while (const TarMember* const member = reader.Next()) {
    const std::string place =
        member->sparse.has_value() ? "sparse " : absl::StrCat(member->offset, "+");
    found.members.push_back(absl::StrCat(member->name, " ", place, member->size));
  }
  found.damage = reader.damage();
  EXPECT_EQ(reader.Next(), nullptr);
  return found;
}

std::string TwoFiles() { return TarOf({{"a.jpg", std::string(600, 'x')}, {"a.cls", "1"}}); }

TEST(TarReaderTest, SaysWhereContentsLie) {
  const std::string long_name = std::string(300, 'n') + ".jpg";
  const std::string tar = TarOf({{"a.jpg", "J1"}, {"a.cls", ""}, {long_name, "x"}}) + TarEnd();
  const Found found = ReadTar(tar);
  EXPECT_THAT(found.members, ElementsAre("a.jpg 512+2", "a.cls 1536+0", long_name + " 3072+1"));
  EXPECT_FALSE(found.damage.has_value());
}

TEST(TarReaderTest, ReadsTheFormsThatTarsHave) {
  EXPECT_THAT(ReadTar(TestData("v7.tar")).members, ElementsAre("a.cls 512+1"));
  EXPECT_THAT(ReadTar(TestData("base256.tar")).members,
              ElementsAre("a.jpg 512+600", "a.cls 2048+1"));
  EXPECT_THAT(ReadTar(TestData("pax_size.tar")).members,
              ElementsAre("a.jpg 1536+600", "a.cls 3072+1"));
}

TEST(TarReaderTest, ExpandsSparseFiles) {
  std::string contents(100'003, '\0');
  contents.replace(0, 5, "begin").replace(100'000, 3, "end");
  for (const char* const form : {"gnu", "0.0", "0.1", "1.0"}) {
    const std::string tar = TestData(absl::StrCat("sparse_", form, ".tar"));
    TarReader reader(tar);
    const TarMember* member = reader.Next();
    ASSERT_NE(member, nullptr) << form;
    EXPECT_EQ(member->name, "a.bin");
    ASSERT_TRUE(member->sparse.has_value()) << form;
    EXPECT_TRUE(*member->sparse == contents) << form;
    member = reader.Next();  // what comes after one lies in the tar
    ASSERT_NE(member, nullptr) << form;
    EXPECT_FALSE(member->sparse.has_value());
    EXPECT_EQ(tar.substr(member->offset, member->size), "7");
    EXPECT_EQ(reader.Next(), nullptr);
    EXPECT_FALSE(reader.damage().has_value()) << form;
  }
}

// libarchive composes them (NFC) in a locale of UTF-8: keys would depend on it.
TEST(TarReaderTest, NamesAreTheirBytesInAnyLocale) {
  const std::string tar = TestData("pax_nfd.tar");
  for (const char* const name : {"C", "C.UTF-8"}) {
    const locale_t locale = newlocale(LC_ALL_MASK, name, nullptr);
    ASSERT_NE(locale, nullptr);
    const locale_t before = uselocale(locale);
    EXPECT_THAT(ReadTar(tar).members, ElementsAre("e\xcc\x81.jpg 1536+1")) << name;
    EXPECT_EQ(uselocale(before), locale);  // it is left as it was
    freelocale(locale);
  }
}

TEST(TarReaderTest, TheEndNeedNotBeMarked) {
  for (const size_t zeros : {size_t{0}, size_t{100}, size_t{512}, size_t{1000}, size_t{9000}}) {
    const Found found = ReadTar(TwoFiles() + std::string(zeros, '\0'));
    EXPECT_EQ(found.members.size(), 2) << zeros;
    EXPECT_FALSE(found.damage.has_value()) << zeros;
  }
}

TEST(TarReaderTest, AnEmptyFileIsDamage) {
  const Found found = ReadTar("");
  ASSERT_TRUE(found.damage.has_value());
  EXPECT_EQ(found.damage->offset, 0);
}

TEST(TarReaderTest, WhatIsNoTarIsDamage) {
  for (const std::string& text : {std::string("x"), std::string(5000, 'x')}) {
    const Found found = ReadTar(text);
    ASSERT_TRUE(found.damage.has_value());
    EXPECT_EQ(found.damage->offset, 0);
  }
}

// Wherever a tar is cut but at the end of a file, that is found, and at its very byte.
TEST(TarReaderTest, ACutIsFoundAtEveryByte) {
  const std::string tar = TwoFiles();  // headers at 0 and 1536, contents at 512 and 2048
  ASSERT_EQ(tar.size(), 2560);
  for (size_t size = 1; size < tar.size(); ++size) {
    const Found found = ReadTar(tar.substr(0, size));
    if (size == 1536) continue;  // a whole tar of one file, but for its end
    ASSERT_TRUE(found.damage.has_value()) << size;
    const bool in_header = size < 512 || (size > 1536 && size < 2048);
    // The contents' end lies in the second file's padding at the latest.
    const uint64_t expected = !in_header ? size : size < 512 ? 0 : 1536;
    EXPECT_EQ(found.damage->offset, expected) << size << ": " << found.damage->reason;
    EXPECT_EQ(found.members.size(), size < 1536 ? 0 : 1) << size;
    EXPECT_FALSE(found.damage->after_end);
  }
}

TEST(TarReaderTest, SaysWhatWasFoundAndExpected) {
  EXPECT_EQ(ReadTar(TwoFiles().substr(0, 700)).damage->reason,
            "found the end after 188 bytes of a.jpg, expected 600");
  EXPECT_EQ(ReadTar(TwoFiles().substr(0, 1130)).damage->reason,
            "found the end in the padding after a.jpg, expected a multiple of 512 bytes");
  EXPECT_EQ(ReadTar(TwoFiles().substr(0, 1600)).damage->reason,
            "found 64 bytes of a header that was cut, expected 512");
}

TEST(TarReaderTest, EveryBitOfAHeaderIsChecked) {
  const std::string tar = TwoFiles() + TarEnd();
  for (size_t byte = 1536; byte < 2048; ++byte) {
    std::string bad = tar;
    bad[byte] = static_cast<char>(bad[byte] ^ 4);
    const Found found = ReadTar(bad);
    // The byte after the checksum's digits, and spaces for their zeros, say nothing.
    if (byte >= 1536 + 148 && byte < 1536 + 156) continue;
    ASSERT_TRUE(found.damage.has_value()) << byte;
    EXPECT_EQ(found.damage->offset, 1536) << byte;
    EXPECT_THAT(found.members, ElementsAre("a.jpg 512+600")) << byte;
  }
}

TEST(TarReaderTest, ALongNamesHeaderThatIsCutIsDamage) {
  const std::string tar = TarOf({{"a.jpg", "x"}, {std::string(300, 'n') + ".jpg", "y"}});
  for (const size_t size : {1024 + 512, 1024 + 700, 1024 + 1024, 1024 + 1100}) {
    const Found found = ReadTar(tar.substr(0, size));
    ASSERT_TRUE(found.damage.has_value()) << size;
    EXPECT_EQ(found.damage->offset, 1024) << size;
    EXPECT_EQ(found.members.size(), 1) << size;
    const Found with_end = ReadTar(tar.substr(0, size) + std::string(3000, '\0'));
    EXPECT_TRUE(with_end.damage.has_value()) << size;
  }
}

// webdataset and tar itself silently leave the second tar out.
TEST(TarReaderTest, ATarAppendedToAnotherIsDamage) {
  const std::string tar = TwoFiles() + TarEnd();
  const Found found = ReadTar(tar + tar);
  EXPECT_EQ(found.members.size(), 2);
  ASSERT_TRUE(found.damage.has_value());
  EXPECT_EQ(found.damage->offset, tar.size());
  EXPECT_TRUE(found.damage->after_end);
}

// A block of zeros where a header was reads as the end of the tar.
TEST(TarReaderTest, AZeroedHeaderIsDamage) {
  std::string tar = TwoFiles() + TarEnd();
  tar.replace(1536, 512, 512, '\0');
  const Found found = ReadTar(tar);
  EXPECT_THAT(found.members, ElementsAre("a.jpg 512+600"));
  ASSERT_TRUE(found.damage.has_value());
  EXPECT_EQ(found.damage->offset, 2048);
}

TEST(TarReaderTest, AHugeSparseFileIsRefused) {
  std::string tar = TestData("sparse_gnu.tar");
  tar.replace(483, 12, "77777777777 ");  // its real size, 8 GiB
  tar.replace(148, 8, "        ");
  unsigned sum = 0;
  for (size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(tar[i]);
  tar.replace(148, 7, absl::StrFormat("%06o", sum) + std::string(1, '\0'));
  const Found found = ReadTar(tar);
  ASSERT_TRUE(found.damage.has_value());
  EXPECT_THAT(found.damage->reason, HasSubstr("sparse"));
  EXPECT_THAT(found.members, IsEmpty());
}

}  // namespace
}  // namespace tessera
