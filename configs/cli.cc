#include "configs/cli.h"

#include <gflags/gflags.h>
#include <glog/logging.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <iostream>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "configs/explain_field.h"
#include "configs/load_experiment.h"
#include "configs/nearest_name.h"

DEFINE_string(config, "", "Text config of the experiment (configs/*.textproto).");
DEFINE_bool(print_config, false,
            "Print the effective config, with the defaults of what it does not set as comments, "
            "and stop.");

DEFINE_string(explain, "",
              "Print what a field of the config means, as --explain=data.ignore_index, and stop. "
              "--explain=. shows the fields of the top.");

DECLARE_bool(help);
DECLARE_bool(helpfull);
DECLARE_bool(helpshort);

namespace tessera {
namespace {

bool IsConfigFlag(absl::string_view name) {
  return name == "config" || name == "print_config" || name == "explain";
}

// The flags of the binary and its libraries, without those of gflags and glog.
std::vector<gflags::CommandLineFlagInfo> OwnFlags(bool with_config) {
  std::vector<gflags::CommandLineFlagInfo> all;
  gflags::GetAllFlags(&all);
  std::vector<gflags::CommandLineFlagInfo> own;
  for (gflags::CommandLineFlagInfo& flag : all) {
    const bool foreign = absl::StrContains(flag.filename, "src/gflags") ||
                         absl::EndsWith(flag.filename, "src/logging.cc") ||
                         absl::EndsWith(flag.filename, "src/utilities.cc") ||
                         absl::EndsWith(flag.filename, "src/vlog_is_on.cc");
    if (!foreign && (with_config || !IsConfigFlag(flag.name))) own.push_back(std::move(flag));
  }
  return own;
}

// With their dashes.
std::vector<std::string> OwnFlagNames(bool with_config) {
  std::vector<std::string> names = {"--help"};
  for (const gflags::CommandLineFlagInfo& flag : OwnFlags(with_config)) {
    names.push_back(absl::StrCat("--", flag.name));
  }
  return names;
}

void PrintHelp(const Usage& usage, bool with_config) {
  std::cout << usage.summary << "\n\nExamples:\n";
  for (absl::string_view line : absl::StrSplit(usage.examples, '\n', absl::SkipWhitespace())) {
    std::cout << "  " << absl::StripAsciiWhitespace(line) << "\n";
  }
  std::cout << "\nFlags:\n";
  for (const gflags::CommandLineFlagInfo& flag : OwnFlags(with_config)) {
    const std::string value =
        flag.type == "string" ? absl::StrCat("\"", flag.default_value, "\"") : flag.default_value;
    std::cout << "  --" << flag.name << " (" << flag.type << ", default " << value << ")\n      "
              << flag.description << "\n";
  }
  std::cout << "  --help\n      Print this.\n";
  if (with_config) {
    std::cout << "\nArguments FIELD.FIELD=VALUE change fields of the config: model.num_classes=21. "
                 "--print_config shows every field.\n";
  }
}

// One line; those that follow, as of a list, are indented below it.
int Fail(absl::string_view message) {
  message = absl::StripTrailingAsciiWhitespace(message);
  std::cerr << "ERROR: " << absl::StrReplaceAll(message, {{"\n", "\n  "}}) << std::endl;
  return 1;
}

// Refuses a flag that does not exist, before gflags would print its own, longer text.
absl::Status CheckFlags(int argc, char** argv, bool with_config) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (argument == "--") break;
    if (!absl::StartsWith(argument, "-") || argument == "-") continue;
    argument.remove_prefix(absl::StartsWith(argument, "--") ? 2 : 1);
    const std::string name(argument.substr(0, argument.find('=')));
    const std::string positive = absl::StartsWith(name, "no") ? name.substr(2) : name;
    gflags::CommandLineFlagInfo info;
    const bool known =
        gflags::GetCommandLineFlagInfo(name.c_str(), &info) ||
        (gflags::GetCommandLineFlagInfo(positive.c_str(), &info) && info.type == "bool");
    if (!known || (!with_config && IsConfigFlag(info.name))) {
      const std::string flag = absl::StrCat("--", name);
      return absl::InvalidArgumentError(absl::StrCat(
          "no flag ", flag, SuggestName(flag, OwnFlagNames(with_config)), " (--help shows all)"));
    }
    // "--flag value" takes the next argument.
    if (!absl::StrContains(argument, "=") && info.type != "bool") ++i;
  }
  return absl::OkStatus();
}

// Refuses what is neither a flag nor an override, such as a flag without its dashes.
absl::Status CheckOverrides(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    const std::string flag = absl::StrCat("--", argument.substr(0, equals));
    const std::vector<std::string> flags = OwnFlagNames(/*with_config=*/true);
    if (std::find(flags.begin(), flags.end(), flag) != flags.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("found argument \"", argument, "\"; did you mean --", argument, "?"));
    }
    if (equals == std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("found argument \"", argument,
                                                     "\", expected FIELD.FIELD=VALUE or a flag",
                                                     SuggestName(flag, flags)));
    }
  }
  return absl::OkStatus();
}

// Runs `body` with its error as one line on stderr and the exit code. Output that got lost, as on a
// full disk, is an error too.
int Report(const std::function<absl::Status()>& body) {
  try {
    const absl::Status status = body();
    if (!status.ok()) return Fail(status.message());
    const bool written = std::cout.flush() && std::fflush(stdout) == 0 && !std::ferror(stdout);
    return written ? 0 : Fail("cannot write to the standard output");
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
}

// "--from=~/data" as the shell makes it of "~/data" alone.
void ExpandHome(int argc, char** argv) {
  const char* const home = std::getenv("HOME");
  if (home == nullptr) return;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == absl::string_view::npos || !absl::StartsWith(argument.substr(equals), "=~/")) {
      continue;
    }
    static auto* const kept = new std::deque<std::string>;  // as long as argv
    argv[i] = kept->emplace_back(absl::StrCat(argument.substr(0, equals + 1), home,
                                              argument.substr(equals + 2)))
                  .data();
  }
}

// What both kinds of main do first. Returns an exit code if the process ends here.
std::optional<int> Start(int* argc, char*** argv, const Usage& usage, bool with_config) {
  if (const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
    if (chdir(folder) != 0) {
      return Fail(absl::StrCat("cannot enter ", folder,
                               " (BUILD_WORKING_DIRECTORY): ", std::strerror(errno)));
    }
  }
  ExpandHome(*argc, *argv);
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::GLOG_WARNING;
  if (const absl::Status status = CheckFlags(*argc, *argv, with_config); !status.ok()) {
    return Fail(status.message());
  }
  gflags::ParseCommandLineNonHelpFlags(argc, argv, /*remove_flags=*/true);
  google::InitGoogleLogging((*argv)[0]);
  if (FLAGS_help || FLAGS_helpfull || FLAGS_helpshort) {
    PrintHelp(usage, with_config);
    return 0;
  }
  return std::nullopt;
}

absl::Status RunOnConfig(const std::vector<std::string>& overrides, bool config_optional,
                         const std::function<absl::Status(const Experiment&)>& body) {
  TESSERA_RETURN_IF_ERROR(CheckOverrides(overrides));
  if (!FLAGS_explain.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const std::string text, ExplainField(FLAGS_explain));
    std::cout << text;
    return absl::OkStatus();
  }
  if (FLAGS_config.empty() && !config_optional) {
    return absl::InvalidArgumentError(
        "no config: pass --config=FILE, for example --config=configs/quickstart.textproto");
  }
  TESSERA_ASSIGN_OR_RETURN(
      const Experiment experiment,
      FLAGS_config.empty() ? ExperimentOf(overrides) : LoadExperiment(FLAGS_config, overrides));
  if (!FLAGS_print_config) return body(experiment);
  std::cout << PrintExperiment(experiment, /*with_defaults=*/true);
  return absl::OkStatus();
}

}  // namespace

int RunWithConfig(int argc, char** argv, const Usage& usage,
                  const std::function<absl::Status(const Experiment&)>& body) {
  if (const auto code = Start(&argc, &argv, usage, /*with_config=*/true)) return *code;
  return Report([&] { return RunOnConfig({argv + 1, argv + argc}, usage.config_optional, body); });
}

int RunTool(int argc, char** argv, const Usage& usage,
            const std::function<absl::Status(const std::vector<std::string>&)>& body) {
  if (const auto code = Start(&argc, &argv, usage, /*with_config=*/false)) return *code;
  return Report([&] { return body({argv + 1, argv + argc}); });
}

}  // namespace tessera
