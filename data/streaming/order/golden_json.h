#ifndef TESSERA_DATA_STREAMING_ORDER_GOLDEN_JSON_H_
#define TESSERA_DATA_STREAMING_ORDER_GOLDEN_JSON_H_

#include <fstream>
#include <string>

#include "nlohmann/json.hpp"

namespace tessera {

// A file of testdata/, where README.md says what made them.
inline nlohmann::json GoldenJson(const std::string& name) {
  std::ifstream file("data/streaming/order/testdata/" + name);
  return nlohmann::json::parse(file);
}

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_GOLDEN_JSON_H_
