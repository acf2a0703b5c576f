#ifndef TESSERA_TOOLS_DOWNLOAD_STEP_PROGRESS_H_
#define TESSERA_TOOLS_DOWNLOAD_STEP_PROGRESS_H_

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/terminal_progress.h"
#include "data/storage/attempts.h"
#include "tools/download/fetch_ade20k.h"

namespace tessera {

// Shows how far the steps are and how fast: on stderr where that is a terminal, else to `lines`, a
// line every ten seconds.
class StepProgress {
 public:
  StepProgress(bool terminal, std::FILE* lines, Clock* clock = Clock::System())
      : terminal_(terminal), lines_(lines), clock_(clock) {}

  void Show(const DownloadProgress& progress);

 private:
  const bool terminal_;
  std::FILE* const lines_;
  Clock* const clock_;
  std::string step_;
  absl::Time shown_;   // when the last line was, or the step began ...
  uint64_t done_ = 0;  // ... and what was done by then
  std::optional<TerminalProgress> line_;
};

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_STEP_PROGRESS_H_
