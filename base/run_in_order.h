#ifndef TESSERA_BASE_RUN_IN_ORDER_H_
#define TESSERA_BASE_RUN_IN_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace tessera {

// Calls `make(i)` for each i from `begin` to `end` - 1 in `num_threads` threads, and `use(i, what
// it made)` in this one, in order. At most `window` results wait to be used. The first error of
// `use` ends it: it is returned when the calls under way are over.
template <typename T>
absl::Status RunInOrder(int64_t begin, int64_t end, int num_threads, size_t window,
                        absl::FunctionRef<T(int64_t)> make,
                        absl::FunctionRef<absl::Status(int64_t, T)> use) {
  absl::Mutex mutex;
  std::vector<std::optional<T>> slots(window);  // of i: i % window
  int64_t next = begin;                         // to be made
  int64_t used = begin;                         // all before it are
  bool stopped = false;

  const auto work = [&] {
    while (true) {
      int64_t i;
      {
        absl::MutexLock lock(&mutex);
        const auto has_room = [&] {
          return stopped || next >= end || next < used + static_cast<int64_t>(window);
        };
        mutex.Await(absl::Condition(&has_room));
        if (stopped || next >= end) return;
        i = next++;
      }
      T result = make(i);
      absl::MutexLock lock(&mutex);
      slots[i % window] = std::move(result);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < num_threads; ++t) threads.emplace_back(work);

  absl::Status status;
  for (int64_t i = begin; i < end && status.ok(); ++i) {
    std::optional<T> result;
    {
      absl::MutexLock lock(&mutex);
      std::optional<T>& slot = slots[i % window];
      mutex.Await(absl::Condition(
          +[](std::optional<T>* made) { return made->has_value(); }, &slot));
      result.swap(slot);
      ++used;
    }
    status = use(i, *std::move(result));
  }
  {
    absl::MutexLock lock(&mutex);
    stopped = true;
  }
  for (std::thread& thread : threads) thread.join();
  return status;
}

}  // namespace tessera

#endif  // TESSERA_BASE_RUN_IN_ORDER_H_
