#include "data/streaming/cache/doorbell.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "data/streaming/cache/temp_file.h"

namespace tessera {

// What the file begins with; zero at first. Only changes count.
struct Doorbell::Page {
  std::atomic<uint32_t> rings;
  std::atomic<uint32_t> events;  // rings and closings: what listeners wait for
};

namespace {

static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);

void Sleep(std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

void WakeAll(std::atomic<uint32_t>& word) {
  word.fetch_add(1);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Doorbell>> Doorbell::Open(const std::string& path,
                                                         std::function<void()> answer) {
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.open()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  TESSERA_RETURN_IF_ERROR(AllocateFile(file.get(), sizeof(Page), path));
  void* const page = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (page == MAP_FAILED) return absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", path));
  return std::unique_ptr<Doorbell>(new Doorbell(static_cast<Page*>(page), std::move(answer)));
}

Doorbell::Doorbell(Page* page, std::function<void()> answer)
    : page_(page), answer_(std::move(answer)) {
  // Read here: what is rung from now on is answered.
  listener_ = std::thread(&Doorbell::Listen, this, page_->rings.load());
}

Doorbell::~Doorbell() {
  stop_ = true;
  WakeAll(page_->events);
  listener_.join();
  munmap(page_, sizeof(Page));
}

void Doorbell::Ring() {
  page_->rings.fetch_add(1);
  WakeAll(page_->events);
}

void Doorbell::Listen(uint32_t answered) {
  while (true) {
    const uint32_t events = page_->events.load();
    if (stop_) return;
    if (const uint32_t rings = page_->rings.load(); rings != answered) {
      answered = rings;
      answer_();
    }
    Sleep(page_->events, events);
  }
}

}  // namespace tessera
