#ifndef TESSERA_DATA_STREAMING_CACHE_DOORBELL_H_
#define TESSERA_DATA_STREAMING_CACHE_DOORBELL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"

namespace tessera {

// Lets a process ask all that share a file to do something, whatever their threads are at: each
// has a thread that sleeps (on a futex in the file's first page) until somebody rings.
class Doorbell {
 public:
  // The file is made, but not its folder. `answer` runs after each ring, one's own too; rings in
  // quick succession may be answered as one.
  static absl::StatusOr<std::unique_ptr<Doorbell>> Open(const std::string& path,
                                                        std::function<void()> answer);
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  void Ring();

 private:
  struct Page;

  Doorbell(Page* page, std::function<void()> answer);
  void Listen(uint32_t answered);

  Page* page_;
  std::function<void()> answer_;
  std::atomic<bool> stop_ = false;
  std::thread listener_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_DOORBELL_H_
