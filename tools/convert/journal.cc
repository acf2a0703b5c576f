#include "tools/convert/journal.h"

#include "base/status_macros.h"
#include "data/storage/write_with_retries.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

constexpr char kName[] = ".conversion.json";

}  // namespace

absl::StatusOr<std::optional<Journal>> ReadJournal(Store& store, const std::string& fingerprint) {
  const absl::StatusOr<std::string> text = store.Read(kName);
  // Who may not list a bucket is denied what is not there.
  if (absl::IsNotFound(text.status()) || absl::IsPermissionDenied(text.status())) {
    return std::nullopt;
  }
  if (!text.ok()) return text.status();
  try {
    const nlohmann::json json = nlohmann::json::parse(*text);
    Journal journal = {.fingerprint = json.at("fingerprint"),
                       .done = json.at("done"),
                       .next = json.at("next"),
                       .samples = json.at("samples"),
                       .bytes = json.at("bytes"),
                       .skipped = {.count = json.at("skipped"), .reasons = json.at("reasons")},
                       .shards = json.at("shards"),
                       .written = json.at("written")};
    if (journal.fingerprint == fingerprint) return journal;
  } catch (const nlohmann::json::exception&) {
  }
  return std::nullopt;
}

absl::Status WriteJournal(Store& store, const Journal& journal) {
  const nlohmann::json json = {{"fingerprint", journal.fingerprint},
                               {"done", journal.done},
                               {"next", journal.next},
                               {"samples", journal.samples},
                               {"bytes", journal.bytes},
                               {"skipped", journal.skipped.count},
                               {"reasons", journal.skipped.reasons},
                               {"shards", journal.shards},
                               {"written", journal.written}};
  const std::string text =
      json.dump(1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
  const absl::string_view piece = text;
  return WriteWithRetries(store, kName, {&piece, 1});
}

absl::Status RemoveJournal(Store& store) { return store.Remove(kName); }

}  // namespace tessera
