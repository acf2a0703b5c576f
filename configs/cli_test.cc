#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the test's binary through the shell, in a folder that holds e.textproto.
class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "e.textproto") << R"(max_duration: "2ep"
        data { synthetic {} }
        model { num_classes: 5 deeplabv3 {} }
        optimizer { sgd {} })";
  }

  Outcome Run(const std::string& arguments, const std::string& output = "out") const {
    const std::string binary = absl::StrCat(
        std::getenv("TEST_SRCDIR"), "/", std::getenv("TEST_WORKSPACE"), "/configs/cli_test_main");
    const std::string command =
        absl::StrCat("BUILD_WORKING_DIRECTORY='", folder_.string(), "' '", binary, "' ", arguments,
                     " >'", (folder_ / output).string(), "' 2>'", (folder_ / "err").string(), "'");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            output == "out" ? ReadAll(folder_ / output) : "", ReadAll(folder_ / "err")};
  }

  // Runs what must fail before its body, and returns its one line.
  std::string ErrorOf(const std::string& arguments) const {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }

  std::filesystem::path folder_;
};

TEST_F(CliTest, RunsTheBodyFromTheUsersFolder) {
  const Outcome outcome = Run("--config=e.textproto --samples=7 model.num_classes=21");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "classes 21 samples 7\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CliTest, HelpShowsTheBinarysOwnFlagsOnly) {
  const Outcome outcome = Run("--help");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("Shows what it was given.\n"), HasSubstr("  and another\n"),
                    HasSubstr("  --samples (int32, default 4)\n      Samples that are shown.\n"),
                    HasSubstr("--config"), HasSubstr("--print_config")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("logtostderr")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("flagfile")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("symbolize")));
}

TEST_F(CliTest, PrintedConfigRunsTheSame) {
  const Outcome printed = Run("--config=e.textproto --print_config data.ignore_index=254");
  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.out, AllOf(HasSubstr("ignore_index: 254\n"), HasSubstr("# momentum: 0.9\n")));
  std::ofstream(folder_ / "again.textproto") << printed.out;
  EXPECT_EQ(Run("--config=again.textproto --print_config").out, printed.out);
}

TEST_F(CliTest, ExplainNeedsNoConfig) {
  const Outcome outcome = Run("--explain=seed");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "seed: uint64, default 17\n  Everything random is drawn from it.\n");
}

TEST_F(CliTest, WrongCommandLineIsOneLine) {
  EXPECT_EQ(ErrorOf("--confg=e.textproto"),
            "ERROR: no flag --confg; did you mean \"--config\"? (--help shows all)\n");
  EXPECT_EQ(ErrorOf("--config=e.textproto sample"),
            "ERROR: found argument \"sample\", expected FIELD.FIELD=VALUE or a flag; did you mean "
            "\"--samples\"?\n");
  EXPECT_EQ(ErrorOf("config=e.textproto"),
            "ERROR: found argument \"config=e.textproto\"; did you mean --config=e.textproto?\n");
  EXPECT_THAT(ErrorOf(""), HasSubstr("ERROR: no config: pass --config=FILE"));
  EXPECT_EQ(ErrorOf("--config=no.textproto"),
            "ERROR: cannot read no.textproto: No such file or directory\n");
  EXPECT_THAT(ErrorOf("--samples=many"), HasSubstr("illegal value 'many'"));
  EXPECT_THAT(ErrorOf("--config=e.textproto model.num_clases=3"),
              HasSubstr("override \"model.num_clases=3\": "));
}

TEST_F(CliTest, ErrorOfTheBodyIsReportedWithItsListIndented) {
  const Outcome outcome = Run("--config=e.textproto --end=error");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "ERROR: two files are missing:\n  a.jpg\n  b.jpg\n");
}

TEST_F(CliTest, ExceptionOfTheBodyIsAnErrorToo) {
  const Outcome outcome = Run("--config=e.textproto --end=exception");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "ERROR: thrown on purpose\n");
}

TEST_F(CliTest, IgnoredLabelInsideTheClassesIsWarnedOf) {
  const Outcome outcome = Run("--config=e.textproto data.ignore_index=3");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr("override \"data.ignore_index=3\": data.ignore_index: 3 is one of the 5 "
                        "classes"));
}

TEST_F(CliTest, LostOutputIsAnError) {
  const Outcome outcome = Run("--config=e.textproto", "/dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "ERROR: cannot write to the standard output\n");
}

TEST_F(CliTest, ToolGetsItsArguments) {
  const Outcome outcome = Run("--tool --samples=2 a b=c");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "samples 2 arguments a,b=c\n");
  EXPECT_THAT(Run("--tool --help").out, Not(HasSubstr("--config")));
  EXPECT_THAT(ErrorOf("--tool --config=e.textproto"), HasSubstr("ERROR: no flag --config"));
}

TEST_F(CliTest, HomeIsExpandedAtTheStartOfValues) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  if (home.empty()) GTEST_SKIP() << "HOME is not set";
  EXPECT_THAT(Run("--tool a.b=~/x --end=ok c=~user d=x~/").out,
              HasSubstr("a.b=" + home + "/x,c=~user,d=x~/"));
}

}  // namespace
}  // namespace tessera
