#ifndef TESSERA_BASE_RUN_IN_ORDER_H_
#define TESSERA_BASE_RUN_IN_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace tessera {

// Calls `make(i)` for each i from `begin` to `end` - 1 in `num_threads` threads, and `use(i, what
// it made)` in this one, in order. A thread takes `chunk` of them at a time, so that it locks and
// wakes seldom; at most 2 chunks a thread and 2 more wait to be used. The first error of `use` ends
// it: it is returned when the calls under way are over.
template <typename T>
absl::Status RunInOrder(int64_t begin, int64_t end, int num_threads, int64_t chunk,
                        absl::FunctionRef<T(int64_t)> make,
                        absl::FunctionRef<absl::Status(int64_t, T)> use) {
  const int64_t num_chunks = (end - begin + chunk - 1) / chunk;
  const int64_t window = 2 * static_cast<int64_t>(num_threads) + 2;
  absl::Mutex mutex;
  std::vector<std::vector<T>> slots(window);  // of chunk c: c % window; empty until it is made
  int64_t next = 0;                           // chunk to be made
  int64_t used = 0;                           // all chunks before it are
  bool stopped = false;

  const auto work = [&] {
    while (true) {
      int64_t c;
      {
        absl::MutexLock lock(&mutex);
        const auto has_room = [&] { return stopped || next >= num_chunks || next < used + window; };
        mutex.Await(absl::Condition(&has_room));
        if (stopped || next >= num_chunks) return;
        c = next++;
      }
      const int64_t last = std::min(end, begin + (c + 1) * chunk);
      std::vector<T> made;
      made.reserve(chunk);
      for (int64_t i = begin + c * chunk; i < last; ++i) made.push_back(make(i));
      absl::MutexLock lock(&mutex);
      slots[c % window] = std::move(made);
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < num_threads; ++t) threads.emplace_back(work);

  absl::Status status;
  for (int64_t c = 0; c < num_chunks && status.ok(); ++c) {
    std::vector<T> made;
    {
      absl::MutexLock lock(&mutex);
      std::vector<T>& slot = slots[c % window];
      mutex.Await(absl::Condition(
          +[](std::vector<T>* results) { return !results->empty(); }, &slot));
      made.swap(slot);
      ++used;
    }
    for (size_t k = 0; k < made.size() && status.ok(); ++k) {
      status = use(begin + c * chunk + static_cast<int64_t>(k), std::move(made[k]));
    }
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
