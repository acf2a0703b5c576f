#include "tests/small_run.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace tessera {

std::vector<std::string> MetricsOf(const std::string& folder) {
  std::ifstream file(folder + "/metrics.jsonl");
  std::vector<std::string> metrics;
  for (std::string line; std::getline(file, line);) {
    nlohmann::json json = nlohmann::json::parse(line);
    for (const char* key : {"wall_s", "throughput/samples_per_sec", "data_wait"}) json.erase(key);
    metrics.push_back(json.dump());
  }
  return metrics;
}

}  // namespace tessera
