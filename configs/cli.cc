#include "configs/cli.h"

#include <gflags/gflags.h>
#include <glog/logging.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "configs/load_experiment.h"
#include "configs/nearest_name.h"

DEFINE_string(config, "", "Text config of the experiment (configs/*.textproto).");
DEFINE_bool(
    print_config, false,
    "Print the effective config, with the defaults of what it does not set as comments, and "
    "stop.");

DECLARE_bool(help);
DECLARE_bool(logtostderr);
DECLARE_int32(minloglevel);

namespace tessera {
namespace {

// The flags of the binary and its libraries, without those of gflags and glog.
std::vector<gflags::CommandLineFlagInfo> OwnFlags(bool with_config) {
  std::vector<gflags::CommandLineFlagInfo> all;
  gflags::GetAllFlags(&all);
  std::vector<gflags::CommandLineFlagInfo> own;
  for (gflags::CommandLineFlagInfo& flag : all) {
    const bool foreign = absl::StrContains(flag.filename, "gflags") ||
                         absl::StrContains(flag.filename, "logging") ||
                         absl::StrContains(flag.filename, "vlog_is_on");
    const bool of_config = flag.name == "config" || flag.name == "print_config";
    if (!foreign && (with_config || !of_config)) own.push_back(std::move(flag));
  }
  return own;
}

void PrintHelp(const Usage& usage, bool with_config) {
  std::cout << usage.summary << "\n\nExamples:\n";
  for (absl::string_view line : absl::StrSplit(usage.examples, '\n', absl::SkipWhitespace())) {
    std::cout << "  " << absl::StripAsciiWhitespace(line) << "\n";
  }
  std::cout << "\nFlags:\n";
  for (const gflags::CommandLineFlagInfo& flag : OwnFlags(with_config)) {
    std::cout << "  --" << flag.name << "  " << flag.description;
    if (!flag.default_value.empty()) std::cout << " (default " << flag.default_value << ")";
    std::cout << "\n";
  }
  if (with_config) {
    std::cout << "\nArguments FIELD.FIELD=VALUE change fields of the config: model.num_classes=21. "
                 "--print_config shows all fields.\n";
  }
}

int Fail(absl::string_view message) {
  std::cerr << "ERROR: " << message << std::endl;
  return 1;
}

// Refuses a flag that does not exist before gflags would print its own, longer text.
absl::Status CheckFlags(int argc, char** argv, bool with_config) {
  std::vector<std::string> names = {"help"};
  for (const gflags::CommandLineFlagInfo& flag : OwnFlags(with_config)) names.push_back(flag.name);
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
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("no flag --", name, SuggestName(name, names), " (--help lists all)"));
    }
    // "--flag value" takes the next argument.
    if (!absl::StrContains(argument, "=") && info.type != "bool") ++i;
  }
  return absl::OkStatus();
}

// Runs `body` with its error as the process's exit code and one line on stderr.
int Report(const std::function<absl::Status()>& body) {
  try {
    const absl::Status status = body();
    return status.ok() ? 0 : Fail(status.message());
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
}

// What both kinds of main do first. Returns an exit code if the process ends here.
std::optional<int> Start(int* argc, char*** argv, const Usage& usage, bool with_config) {
  if (const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
    if (chdir(folder) != 0) return Fail(absl::StrCat("cannot enter ", folder));
  }
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::GLOG_WARNING;
  if (const absl::Status status = CheckFlags(*argc, *argv, with_config); !status.ok()) {
    return Fail(status.message());
  }
  gflags::ParseCommandLineNonHelpFlags(argc, argv, /*remove_flags=*/true);
  google::InitGoogleLogging((*argv)[0]);
  if (FLAGS_help) {
    PrintHelp(usage, with_config);
    return 0;
  }
  return std::nullopt;
}

}  // namespace

int RunWithConfig(int argc, char** argv, const Usage& usage,
                  const std::function<absl::Status(const Experiment&)>& body) {
  if (const auto code = Start(&argc, &argv, usage, /*with_config=*/true)) return *code;
  return Report([&]() -> absl::Status {
    if (FLAGS_config.empty()) {
      return absl::InvalidArgumentError(
          "no config: pass --config=FILE, for example --config=configs/quickstart.textproto");
    }
    const std::vector<std::string> overrides(argv + 1, argv + argc);
    const absl::StatusOr<Experiment> experiment = LoadExperiment(FLAGS_config, overrides);
    if (!experiment.ok()) return experiment.status();
    if (FLAGS_print_config) {
      std::cout << PrintExperiment(*experiment, /*with_defaults=*/true);
      return absl::OkStatus();
    }
    return body(*experiment);
  });
}

int RunTool(int argc, char** argv, const Usage& usage,
            const std::function<absl::Status(const std::vector<std::string>&)>& body) {
  if (const auto code = Start(&argc, &argv, usage, /*with_config=*/false)) return *code;
  return Report([&] { return body(std::vector<std::string>(argv + 1, argv + argc)); });
}

}  // namespace tessera
