#include "tools/download/fetch_ade20k.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "data/formats/hash/hash.h"
#include "tests/servers/fault_server.h"
#include "tools/download/test_zip.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr int64_t kTrain = 5;
constexpr int64_t kVal = 3;
constexpr char kName[] = "ADEChallengeData2016";

class FetchAde20kTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(std::getenv("TEST_TMPDIR"), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(Path("served"));
    Serve(Ade20kEntries(kTrain, kVal, 3000));
    zip_ = ReadFile(ServedPath()).value();
    options_ = {.dir = Path("data"),
                .archive = {.size = zip_.size(), .md5 = HashHex("md5", zip_).value()},
                .train_pairs = kTrain,
                .val_pairs = kVal,
                .limits = {.first_backoff = absl::Milliseconds(1)}};
    Start("{}");
  }

  void Serve(const std::vector<TestZipEntry>& entries) const {
    WriteTestZip(ServedPath(), entries);
  }

  // Starts the server, with these faults of the zip.
  void Start(const std::string& step) {
    server_ = std::make_unique<FaultServer>(Path("served"),
                                            absl::StrCat("{\"/", kName, ".zip\": [", step, "]}"));
    options_.url = absl::StrCat(server_->Address(), "/", kName, ".zip");
  }

  absl::StatusOr<DownloadSummary> Run() const {
    return DownloadAde20k(options_, [](const DownloadProgress&) {});
  }

  std::string Error() const { return std::string(Run().status().message()); }

  std::string Path(absl::string_view name) const { return absl::StrCat(folder_, "/", name); }
  std::string ServedPath() const { return absl::StrCat(Path("served/"), kName, ".zip"); }
  std::string Data(absl::string_view suffix) const {
    return absl::StrCat(options_.dir, "/", kName, suffix);
  }

  // What is in the user's folder.
  std::vector<std::string> Listed() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(options_.dir)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void ExpectWhole() const {
    EXPECT_THAT(Listed(), ElementsAre(kName));
    for (const char* const file :
         {"/objectInfo150.txt", "/sceneCategories.txt", "/images/train/ADE_train_00000005.jpg",
          "/annotations/train/ADE_train_00000005.png", "/images/val/ADE_val_00000003.jpg",
          "/annotations/val/ADE_val_00000001.png", "/.tessera-download.json"}) {
      EXPECT_TRUE(fs::is_regular_file(Data(file))) << file;
    }
    EXPECT_EQ(fs::file_size(Data("/images/val/ADE_val_00000003.jpg")), 3000u);
  }

  std::string folder_;
  std::string zip_;  // as it is served at first
  DownloadOptions options_;
  std::unique_ptr<FaultServer> server_;
};

TEST_F(FetchAde20kTest, LaysTheSetOut) {
  const absl::StatusOr<DownloadSummary> summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->root, Data(""));
  EXPECT_EQ(summary->fetched, zip_.size());
  EXPECT_EQ(summary->note.names, TesseraNames());
  EXPECT_FALSE(summary->was_there);
  ExpectWhole();
}

TEST_F(FetchAde20kTest, KeepsTheArchivesNamesIfAsked) {
  options_.names = OriginalNames();
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(fs::exists(Data("/images/training/ADE_train_00000001.jpg")));
  EXPECT_TRUE(fs::exists(Data("/annotations/validation/ADE_val_00000001.png")));
  EXPECT_FALSE(fs::exists(Data("/images/train")));

  options_.names = TesseraNames();
  EXPECT_THAT(Error(), AllOf(HasSubstr("with splits named training and validation, expected train "
                                       "and val"),
                             HasSubstr("--original_names=true")));
}

TEST_F(FetchAde20kTest, DoesNothingWhereAllIsThere) {
  ASSERT_TRUE(Run().ok());
  const absl::StatusOr<DownloadSummary> summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_TRUE(summary->was_there);
  EXPECT_EQ(summary->note.train_pairs, kTrain);
  EXPECT_EQ(summary->note.val_pairs, kVal);
  EXPECT_EQ(summary->note.url, options_.url);
  EXPECT_EQ(summary->note.archive.md5, options_.archive.md5);
  EXPECT_EQ(server_->Requests().size(), 1u);
  // What a process leaves that was killed between its last two steps.
  ASSERT_EQ(WriteFile(Data(".zip.part"), "x"), absl::OkStatus());
  ASSERT_TRUE(Run().ok());
  ExpectWhole();
}

TEST_F(FetchAde20kTest, ASetThatLostFilesIsAnError) {
  ASSERT_TRUE(Run().ok());
  fs::remove(Data("/annotations/val/ADE_val_00000001.png"));
  EXPECT_THAT(Error(), HasSubstr("annotations/val: found 2 files, expected 3"));
  fs::remove(Data("/.tessera-download.json"));
  EXPECT_THAT(Error(), HasSubstr("is there, but not from this tool"));
}

TEST_F(FetchAde20kTest, BrokenTwiceFetchesNoByteTwice) {
  Start(R"({"stop": 10000}, {"stop": 5000, "how": "reset"})");
  const absl::StatusOr<DownloadSummary> summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  ExpectWhole();
  std::vector<std::string> ranges;
  for (const FaultServer::Request& request : server_->Requests()) {
    const auto range = request.headers.find("range");
    ranges.push_back(range == request.headers.end() ? "" : range->second);
  }
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0], "");
  EXPECT_EQ(ranges[1], absl::StrCat("bytes=10000-", zip_.size() - 1));
  EXPECT_EQ(summary->fetched, zip_.size());
}

TEST_F(FetchAde20kTest, ARunThatFailedIsGoneOnWith) {
  Start(R"({"stop": 10000})");
  options_.limits.attempts = 1;
  EXPECT_THAT(Error(), HasSubstr("; 10000 bytes are kept, run again to go on"));
  EXPECT_THAT(Listed(), ElementsAre(EndsWith(".zip.part"), EndsWith(".zip.part.json")));
  const absl::StatusOr<DownloadSummary> summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->resumed_at, 10000u);
  EXPECT_EQ(summary->fetched, zip_.size() - 10000);
  ExpectWhole();
}

TEST_F(FetchAde20kTest, AnotherVersionInTheNextRunStartsAgain) {
  Start(R"({"etag": "\"v1\"", "stop": 10000})");
  options_.limits.attempts = 1;
  EXPECT_FALSE(Run().ok());
  // Another archive of the same size, at the same address.
  std::vector<TestZipEntry> entries = Ade20kEntries(kTrain, kVal, 3000);
  std::reverse(entries.back().contents.begin(), entries.back().contents.end());
  Serve(entries);
  options_.archive.md5 = HashHex("md5", ReadFile(ServedPath()).value()).value();
  options_.limits.attempts = 2;
  const absl::StatusOr<DownloadSummary> summary = Run();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->resumed_at, 0u);
  ExpectWhole();
}

TEST_F(FetchAde20kTest, AWrongHashRemovesThePart) {
  std::string damaged = zip_;
  damaged[20000] ^= 1;
  ASSERT_EQ(WriteFile(ServedPath(), damaged), absl::OkStatus());
  EXPECT_THAT(Error(),
              HasSubstr(absl::StrCat("found md5 ", HashHex("md5", damaged).value(), ", expected ",
                                     options_.archive.md5, "; the part was removed, run again")));
  EXPECT_THAT(Listed(), ElementsAre());
  ASSERT_EQ(WriteFile(ServedPath(), zip_), absl::OkStatus());
  ASSERT_TRUE(Run().ok());
  ExpectWhole();
}

TEST_F(FetchAde20kTest, EitherHashIsChecked) {
  options_.archive.md5 = "";
  options_.archive.sha256 = std::string(64, '0');
  EXPECT_THAT(Error(), HasSubstr("found sha256 "));
  options_.archive.sha256 = HashHex("sha256", zip_).value();
  EXPECT_TRUE(Run().ok());
}

TEST_F(FetchAde20kTest, AnotherSizeIsAnErrorBeforeAnythingIsFetched) {
  ++options_.archive.size;
  EXPECT_THAT(Error(),
              HasSubstr(absl::StrCat("has ", zip_.size(), " bytes, expected ", zip_.size() + 1)));
  EXPECT_EQ(server_->Requests().size(), 1u);
}

TEST_F(FetchAde20kTest, AnUnknownArchiveIsCheckedByItsOwnSums) {
  options_.archive = {};
  ASSERT_EQ(WriteFile(ServedPath(), zip_.substr(0, zip_.size() / 2)), absl::OkStatus());
  EXPECT_THAT(Error(), AllOf(HasSubstr("the last entry in it is \"ADEChallengeData2016/"),
                             HasSubstr("the part was removed, run again")));
  std::string damaged = zip_;
  damaged[damaged.find("ADE_val_00000002.png") + 1000] ^= 1;
  ASSERT_EQ(WriteFile(ServedPath(), damaged), absl::OkStatus());
  EXPECT_THAT(Error(), AllOf(HasSubstr("annotations/validation/ADE_val_00000002.png\": "),
                             HasSubstr("the part was removed, run again")));
  EXPECT_THAT(Listed(), ElementsAre());
  ASSERT_EQ(WriteFile(ServedPath(), zip_), absl::OkStatus());
  ASSERT_TRUE(Run().ok());
  ExpectWhole();
}

TEST_F(FetchAde20kTest, HostileArchivesWriteNothing) {
  options_.archive = {};
  for (const TestZipEntry& evil :
       {TestZipEntry{"../evil", "x"}, TestZipEntry{absl::StrCat(kName, "/../../evil"), "x"},
        TestZipEntry{Path("evil"), "x"}, TestZipEntry{"Other/evil", "x"},
        TestZipEntry{absl::StrCat(kName, "/images/evil"), "/etc/passwd", TestZipEntry::kLink}}) {
    std::vector<TestZipEntry> entries = Ade20kEntries(kTrain, kVal, 100);
    entries.push_back(evil);
    Serve(entries);
    EXPECT_THAT(Error(), AllOf(HasSubstr(absl::StrCat("entry \"", evil.name, "\": found")),
                               EndsWith("the part was removed")));
    EXPECT_THAT(Listed(), ElementsAre());
    EXPECT_FALSE(fs::exists(Path("evil")));
  }
}

TEST_F(FetchAde20kTest, WrongCountsOfPairsAreErrors) {
  options_.train_pairs = kTrain + 1;
  EXPECT_THAT(Error(),
              HasSubstr("images/train with annotations/train: found 5 pairs, expected 6 pairs"));
  EXPECT_THAT(Listed(), ElementsAre());

  options_.train_pairs = kTrain;
  options_.archive = {};
  std::vector<TestZipEntry> entries = Ade20kEntries(kTrain, kVal, 100);
  entries.pop_back();  // the last image of val
  Serve(entries);
  EXPECT_THAT(Error(), HasSubstr("images/val with annotations/val: found 2 pairs and 1 files "
                                 "without a partner, expected 3 pairs"));
  Serve(Ade20kEntries(kTrain, 0, 100));
  EXPECT_THAT(Error(), HasSubstr("images/val with annotations/val: found no pairs, expected 3"));
}

TEST_F(FetchAde20kTest, KeepsTheZipIfAskedAndTakesItAgain) {
  options_.keep_zip = true;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(Listed(), ElementsAre(kName, EndsWith(".zip")));
  EXPECT_EQ(ReadFile(Data(".zip")).value(), zip_);

  fs::remove_all(Data(""));
  options_.keep_zip = false;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(server_->Requests().size(), 1u);
  EXPECT_TRUE(fs::exists(Data(".zip")));  // it was the user's by then

  fs::remove_all(Data(""));
  ASSERT_EQ(WriteFile(Data(".zip"), "another"), absl::OkStatus());
  EXPECT_THAT(Error(), AllOf(HasSubstr("found 7 bytes, expected "), HasSubstr("move it away")));
  EXPECT_EQ(ReadFile(Data(".zip")).value(), "another");
}

TEST_F(FetchAde20kTest, TakesALocalFile) {
  for (const std::string prefix : {"", "file://"}) {
    options_.url = prefix + ServedPath();
    ASSERT_TRUE(Run().ok()) << Error();
    ExpectWhole();
    fs::remove_all(Data(""));
  }
  EXPECT_EQ(ReadFile(ServedPath()).value(), zip_);
  EXPECT_EQ(server_->Requests().size(), 0u);

  ASSERT_EQ(WriteFile(ServedPath(), zip_.substr(1)), absl::OkStatus());
  EXPECT_THAT(Error(),
              EndsWith(absl::StrCat("found ", zip_.size() - 1, " bytes, expected ", zip_.size())));
  EXPECT_TRUE(fs::exists(ServedPath()));
  options_.url = Path("nowhere.zip");
  EXPECT_THAT(Error(), EndsWith("nowhere.zip: No such file or directory"));
  options_.url = "ftp://host/file.zip";
  EXPECT_THAT(Error(), HasSubstr("expected http://, https://, file:// or a path"));
}

TEST_F(FetchAde20kTest, LeftoversOfAKilledExtractionGo) {
  fs::create_directories(Path("data/.ADEChallengeData2016.partial-123/images"));
  ASSERT_EQ(WriteFile(Path("data/.ADEChallengeData2016.lock"), ""), absl::OkStatus());
  ASSERT_TRUE(Run().ok());
  ExpectWhole();
}

TEST_F(FetchAde20kTest, AFolderThatCannotBeWrittenIsSaid) {
  ASSERT_EQ(WriteFile(Path("file"), ""), absl::OkStatus());
  options_.dir = Path("file/data");
  EXPECT_THAT(Error(), EndsWith("file/data: Not a directory"));
  EXPECT_EQ(server_->Requests().size(), 0u);
}

}  // namespace
}  // namespace tessera
