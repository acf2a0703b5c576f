#include "data/streaming/order/state.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using Json = nlohmann::json;

// Sets `value` to a field that is a whole number of `least` or more.
template <typename T>
absl::Status Read(const Json& state, const char* name, T least, T* value) {
  const auto field = state.find(name);
  if (field == state.end()) {
    return absl::InvalidArgumentError(absl::StrCat("order state: field \"", name, "\" is missing"));
  }
  const bool fits = field->is_number_unsigned() &&
                    field->get<uint64_t>() >= static_cast<uint64_t>(least) &&
                    field->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("order state: \"", name,
                                                   "\": expected a whole number of ", least,
                                                   " or more; found ", field->dump()));
  }
  *value = field->get<T>();
  return absl::OkStatus();
}

}  // namespace

std::string OrderState::ToJson() const {
  Json state = {{"epoch", epoch},
                {"sample_in_epoch", sample_in_epoch},
                {"num_canonical_nodes", num_canonical_nodes},
                {"shuffle_seed", shuffle_seed},
                {"initial_physical_nodes", nullptr}};
  if (initial_physical_nodes > 0) state["initial_physical_nodes"] = initial_physical_nodes;
  return state.dump();
}

absl::StatusOr<OrderState> ParseOrderState(absl::string_view json) {
  const Json parsed = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "order state: expected a JSON object with epoch, sample_in_epoch, num_canonical_nodes, "
        "shuffle_seed and initial_physical_nodes; found ",
        json.empty() ? "nothing" : json.substr(0, 80)));
  }
  OrderState state;
  absl::Status status = Read<int64_t>(parsed, "epoch", 0, &state.epoch);
  status.Update(Read<int64_t>(parsed, "sample_in_epoch", 0, &state.sample_in_epoch));
  status.Update(Read<int>(parsed, "num_canonical_nodes", 1, &state.num_canonical_nodes));
  status.Update(Read<uint64_t>(parsed, "shuffle_seed", 0, &state.shuffle_seed));
  if (const auto nodes = parsed.find("initial_physical_nodes");
      nodes != parsed.end() && !nodes->is_null()) {
    status.Update(Read<int>(parsed, "initial_physical_nodes", 1, &state.initial_physical_nodes));
  }
  if (!status.ok()) return status;
  return state;
}

}  // namespace tessera
