// Runs //tools:download_ade20k as a user does.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "data/image/encode.h"
#include "tests/servers/fault_server.h"
#include "tools/download/test_zip.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kBinary[] = "tools/download/download_ade20k";
constexpr char kName[] = "ADEChallengeData2016";

struct Outcome {
  int code = 0;  // of a process that a signal ended: minus the signal
  std::string out;
  std::string err;
};

// The binary, which ends with this object.
class Process {
 public:
  // The output goes to files at `output`.
  Process(std::vector<std::string> arguments, const std::string& output) : output_(output) {
    arguments.insert(arguments.begin(), kBinary);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, (output_ + ".out").c_str(), kWrite, 0644);
    posix_spawn_file_actions_addopen(&actions, 2, (output_ + ".err").c_str(), kWrite, 0644);
    if (posix_spawn(&pid_, kBinary, &actions, nullptr, argv.data(), environ) != 0) std::abort();
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Process() {
    if (pid_ == 0) return;
    Kill();
    Wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Kill() const { kill(pid_, SIGKILL); }

  Outcome Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            ReadFile(output_ + ".out").value_or(""), ReadFile(output_ + ".err").value_or("")};
  }

 private:
  const std::string output_;
  pid_t pid_ = 0;
};

class DownloadAde20kTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(std::getenv("TEST_TMPDIR"), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(Path("served"));
    fs::create_directories(Path("data"));
  }

  std::string Path(absl::string_view name) const { return absl::StrCat(folder_, "/", name); }
  std::string ServedPath() const { return absl::StrCat(Path("served/"), kName, ".zip"); }
  std::string PartPath() const { return absl::StrCat(Path("data/"), kName, ".zip.part"); }

  Outcome Run(const std::vector<std::string>& arguments) const {
    return Process(arguments, Path("output")).Wait();
  }

  // Returns once the part has `size` bytes; false if that takes too long.
  bool WaitForPart(uint64_t size) const {
    const FileDescriptor changes(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    inotify_add_watch(changes.get(), Path("data").c_str(), IN_CREATE | IN_MODIFY);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (true) {
      std::error_code error;
      if (const uint64_t found = fs::file_size(PartPath(), error); !error && found >= size) {
        return true;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      pollfd changed = {.fd = changes.get(), .events = POLLIN, .revents = 0};
      if (left.count() <= 0 || poll(&changed, 1, static_cast<int>(left.count())) != 1) return false;
      char events[4096];
      while (read(changes.get(), events, sizeof(events)) > 0) {
      }
    }
  }

  std::string folder_;
};

TEST_F(DownloadAde20kTest, AKilledRunIsGoneOnWithAndThenNothingIsLeftToDo) {
  WriteTestZip(ServedPath(), Ade20kEntries(20210, 2000, 8));
  const uint64_t size = fs::file_size(ServedPath());
  const FaultServer server(Path("served"),
                           R"({"/ADEChallengeData2016.zip": [{"stop": 3000000, "how": "stall"}]})");
  const std::vector<std::string> arguments = {
      absl::StrCat("--url=", server.Address(), "/", kName, ".zip"), "--dir=" + Path("data")};
  {
    Process killed(arguments, Path("killed"));
    ASSERT_TRUE(WaitForPart(3000000)) << ReadFile(Path("killed.err")).value_or("");
    const Outcome second = Run(arguments);
    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, StartsWith("ERROR: another process is at work there"));
    killed.Kill();
    EXPECT_EQ(killed.Wait().code, -SIGKILL);
  }
  const Outcome whole = Run(arguments);
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.err, "");
  EXPECT_THAT(whole.out, AllOf(HasSubstr("20210 training and 2000 validation pairs"),
                               HasSubstr("in 1 requests behind 3.0 MB of before"),
                               HasSubstr("train_split: \"train\" eval_split: \"val\"")));
  ASSERT_EQ(server.Requests().size(), 2u);
  EXPECT_EQ(server.Requests()[1].headers.at("range"), absl::StrCat("bytes=3000000-", size - 1));

  const auto begin = std::chrono::steady_clock::now();
  const Outcome again = Run(arguments);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("was there already"));
  EXPECT_EQ(std::count(again.out.begin(), again.out.end(), '\n'), 1);
  EXPECT_EQ(server.Requests().size(), 2u);
  RecordProperty("seconds_of_a_run_with_nothing_to_do", std::to_string(took.count()));
}

TEST_F(DownloadAde20kTest, ConvertGoesOnToShardsOnce) {
  Image image, mask;
  image.Resize(2, 3, 3);
  mask.Resize(2, 3, 1);
  const std::string jpeg = EncodeJpeg(image, 50).value(), png = EncodePng(mask).value();
  std::vector<TestZipEntry> entries = Ade20kEntries(20210, 2000, 1);
  for (TestZipEntry& entry : entries) {
    if (absl::EndsWith(entry.name, ".jpg")) entry.contents = jpeg;
    if (absl::EndsWith(entry.name, ".png")) entry.contents = png;
  }
  WriteTestZip(ServedPath(), entries);
  const std::vector<std::string> arguments = {"--url=" + ServedPath(), "--dir=" + Path("data"),
                                              "--convert=" + Path("shards")};
  const Outcome outcome = Run(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("train  20210 samples"), HasSubstr("val    2000 samples")));
  EXPECT_TRUE(fs::exists(Path("shards/val/index.json")));
  const Outcome again = Run(arguments);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("shards: the shards were there already"));
}

TEST_F(DownloadAde20kTest, ErrorsAreOneLine) {
  const FaultServer server(Path("served"));
  const std::string url = absl::StrCat("--url=", server.Address(), "/", kName, ".zip");
  const std::string dir = "--dir=" + Path("data");
  ASSERT_EQ(WriteFile(Path("file"), ""), absl::OkStatus());
  for (const auto& [arguments, error] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{url, dir}, "zip: HTTP 404"},
           {{url, "--dir=" + Path("file")}, "file: Not a directory"},
           {{"--md5=" + std::string(32, '0'), dir}, "--url, which is not set"},
           {{url, "--md5=7328", dir}, "expected 32 hex digits in --md5"},
           {{url, dir, "more"}, "\"more\" is no flag"}}) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, AllOf(StartsWith("ERROR: "), HasSubstr(error)));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(DownloadAde20kTest, AFullDiskIsOneLine) {
  WriteTestZip(ServedPath(), Ade20kEntries(1, 1, 100));
  const FaultServer server(Path("served"));
  fs::create_symlink("/dev/full", PartPath());
  const Outcome outcome =
      Run({absl::StrCat("--url=", server.Address(), "/", kName, ".zip"), "--dir=" + Path("data")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("No space left on device"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(DownloadAde20kTest, HelpHasExamples) {
  const Outcome outcome = Run({"--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("bazel run //tools:download_ade20k -- --dir="),
                                 HasSubstr("--original_names (bool, default false)")));
}

}  // namespace
}  // namespace tessera
