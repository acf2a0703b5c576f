#ifndef TESSERA_DATA_STORAGE_MEMORY_STORE_H_
#define TESSERA_DATA_STORAGE_MEMORY_STORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/storage/store.h"

namespace tessera {

// A store in memory, for tests of what writes to one; it has no ranges. For one thread.
class MemoryStore : public Store {
 public:
  explicit MemoryStore(std::string prefix = "memory:") : prefix_(std::move(prefix)) {}

  // Called before each write: its error is that of the write.
  std::function<absl::Status()> on_write = [] { return absl::OkStatus(); };

  std::map<std::string, std::string> objects;
  std::vector<std::string> order;  // keys, as they were written

  std::string Uri(absl::string_view key) const override { return absl::StrCat(prefix_, key); }
  std::optional<std::string> LocalPath(absl::string_view) const override { return std::nullopt; }
  absl::Status ReadRange(absl::string_view, uint64_t, uint64_t, absl::Span<char>,
                         std::string*) override {
    return absl::UnimplementedError("no ranges here");
  }
  absl::StatusOr<uint64_t> Size(absl::string_view key) override {
    const absl::StatusOr<std::string> contents = Read(key);
    if (!contents.ok()) return contents.status();
    return contents->size();
  }
  absl::StatusOr<std::string> Read(absl::string_view key) override {
    const auto found = objects.find(std::string(key));
    if (found == objects.end()) return absl::NotFoundError(Uri(key));
    return found->second;
  }
  absl::Status Write(absl::string_view key, absl::Span<const absl::string_view> pieces) override {
    if (absl::Status status = on_write(); !status.ok()) return status;
    objects[std::string(key)] = absl::StrJoin(pieces, "");
    order.emplace_back(key);
    return absl::OkStatus();
  }
  absl::Status Remove(absl::string_view key) override {
    objects.erase(std::string(key));
    return absl::OkStatus();
  }

 private:
  const std::string prefix_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_MEMORY_STORE_H_
