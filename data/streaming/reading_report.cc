#include "data/streaming/reading_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

constexpr double kMegabyte = 1e6;

double Rate(double amount, double seconds) { return amount / std::max(seconds, 1e-9); }

}  // namespace

void ReadingReport::AddCounters(const StreamingSet& set) {
  streamed = true;
  bytes_fetched = set.fetch_counters().bytes;
  requests = set.fetch_counters().requests;
  retries = set.fetch_counters().retries;
  const CacheStats cache = set.CacheUse();
  cache_hits = cache.hits;
  cache_misses = cache.misses;
  evictions = cache.evictions;
  verify_failures = cache.verify_failures;
  bytes_cached = cache.bytes_on_disk;
}

std::string ReadingReport::ToText() const {
  std::vector<std::pair<const char*, std::string>> lines = {
      {"samples", absl::StrCat(samples, " of ", expected_samples)},
      {"skipped", absl::StrCat(skipped)},
      {"samples/s", absl::StrFormat("%.1f", Rate(static_cast<double>(samples), seconds))},
      {"MB/s", absl::StrFormat("%.1f", Rate(static_cast<double>(bytes) / kMegabyte, seconds))},
      {"first batch", absl::StrFormat("%.3f s", first_batch_seconds)},
      {"pass", absl::StrFormat("%.3f s", seconds)}};
  if (streamed) {
    lines.insert(
        lines.end(),
        {{"fetched",
          absl::StrFormat("%.1f MB in %d requests, %d of them again",
                          static_cast<double>(bytes_fetched) / kMegabyte, requests, retries)},
         {"shards", absl::StrFormat("%d opened from the cache, %d fetched, %d evicted", cache_hits,
                                    cache_misses, evictions)},
         {"cached", absl::StrFormat("%.1f MB", static_cast<double>(bytes_cached) / kMegabyte)}});
    if (verify_failures > 0) lines.push_back({"damaged", absl::StrCat(verify_failures)});
  }
  std::string text;
  for (const auto& [name, value] : lines) absl::StrAppendFormat(&text, "%-13s %s\n", name, value);
  return text;
}

std::string ReadingReport::ToJson() const {
  nlohmann::ordered_json json = {
      {"samples", samples},
      {"expected_samples", expected_samples},
      {"skipped", skipped},
      {"bytes", bytes},
      {"samples_per_second", Rate(static_cast<double>(samples), seconds)},
      {"bytes_per_second", Rate(static_cast<double>(bytes), seconds)},
      {"first_batch_seconds", first_batch_seconds},
      {"seconds", seconds}};
  if (streamed) {
    json.update({{"bytes_fetched", bytes_fetched},
                 {"requests", requests},
                 {"retries", retries},
                 {"cache_hits", cache_hits},
                 {"cache_misses", cache_misses},
                 {"evictions", evictions},
                 {"verify_failures", verify_failures},
                 {"bytes_cached", bytes_cached}});
  }
  return absl::StrCat(json.dump(), "\n");
}

}  // namespace tessera
