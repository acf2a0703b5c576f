#include "tools/download/step_progress.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tessera {
namespace {

constexpr absl::Duration kLineInterval = absl::Seconds(10);
// Of a terminal: long enough for a rate that can be read.
constexpr absl::Duration kRateInterval = absl::Seconds(1);

constexpr double kMegabyte = 1e6;

}  // namespace

void StepProgress::Show(const DownloadProgress& progress) {
  const absl::Time now = clock_->Now();
  const double unit = progress.bytes ? kMegabyte : 1;
  const char* const name = progress.bytes ? "MB" : "files";
  const auto total = static_cast<int64_t>(static_cast<double>(progress.total) / unit);
  if (step_ != progress.step) {
    step_ = progress.step;
    shown_ = now;
    done_ = progress.done;
    if (terminal_) line_.emplace(total, name, absl::StrCat(step_, ": "));
  }
  const absl::Duration passed = now - shown_;
  if (passed >= (terminal_ ? kRateInterval : kLineInterval)) {
    const double rate =
        static_cast<double>(progress.done - done_) / unit / absl::ToDoubleSeconds(passed);
    if (terminal_) {
      // Another object, since the rate is in the text that it keeps.
      line_.emplace(total, name, absl::StrFormat("%s, %.1f %s/s: ", step_, rate, name));
    } else {
      std::fputs(
          absl::StrFormat("%s: %.*f%s %s, %.1f %s/s\n", step_, progress.bytes ? 1 : 0,
                          static_cast<double>(progress.done) / unit,
                          progress.total == 0 ? "" : absl::StrCat(" of ", total), name, rate, name)
              .c_str(),
          lines_);
      std::fflush(lines_);
    }
    shown_ = now;
    done_ = progress.done;
  }
  if (terminal_) line_->Show(static_cast<int64_t>(static_cast<double>(progress.done) / unit));
}

}  // namespace tessera
