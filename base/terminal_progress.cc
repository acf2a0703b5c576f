#include "base/terminal_progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

TerminalProgress::TerminalProgress(int64_t total, std::string unit, std::string prefix)
    : total_(total),
      unit_(std::move(unit)),
      prefix_(std::move(prefix)),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      shown_(start_) {}

TerminalProgress::~TerminalProgress() {
  if (terminal_) std::fprintf(stderr, "\r\033[K");
}

void TerminalProgress::Show(int64_t done) {
  const auto now = Clock::now();
  // What was done before, as by an earlier run, says nothing of the rate.
  if (first_ < 0) first_ = done;
  if (now - shown_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10))) {
    return;
  }
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "%s%s%lld of %lld %s, %.0f/s%s", terminal_ ? "\r\033[K" : "",
               prefix_.c_str(), static_cast<long long>(done), static_cast<long long>(total_),
               unit_.c_str(), static_cast<double>(done - first_) / seconds, terminal_ ? "" : "\n");
}

}  // namespace tessera
