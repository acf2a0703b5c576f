#ifndef TESSERA_TRAIN_STOP_SIGNAL_H_
#define TESSERA_TRAIN_STOP_SIGNAL_H_

namespace tessera {

// While it lives, the first SIGINT or SIGTERM is noted instead of ending the process, so that a run
// can finish its batch and save. A second one ends the process. One object at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signal that came, or 0.
  int received() const;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_STOP_SIGNAL_H_
