#include "train/state.h"

#include "train/optimizers/optimizer.h"
#include "train/schedules/schedule.h"

namespace tessera {

State::State() = default;
State::~State() = default;
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;

}  // namespace tessera
