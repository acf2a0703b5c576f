#include "base/terminal_progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace tessera {

TerminalProgress::TerminalProgress(int64_t total, std::string unit, std::string prefix)
    : total_(total),
      unit_(std::move(unit)),
      prefix_(std::move(prefix)),
      terminal_(isatty(STDERR_FILENO) != 0) {}

TerminalProgress::~TerminalProgress() {
  if (terminal_) std::fprintf(stderr, "\r\033[K");
}

void TerminalProgress::Show(int64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  std::fprintf(stderr, "\r%s%lld of %lld %s", prefix_.c_str(), static_cast<long long>(done),
               static_cast<long long>(total_), unit_.c_str());
}

}  // namespace tessera
