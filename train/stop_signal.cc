#include "train/stop_signal.h"

#include <csignal>

namespace tessera {
namespace {

// A handler has no other way to its process than a variable of static storage.
volatile std::sig_atomic_t received_signal = 0;

void Note(int signal) { received_signal = signal; }

void Install(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  Install(&Note);
}

StopSignal::~StopSignal() { Install(SIG_DFL); }

int StopSignal::received() const { return received_signal; }

}  // namespace tessera
