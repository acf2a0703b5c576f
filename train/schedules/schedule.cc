#include "train/schedules/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

class Constant : public Schedule {
 public:
  explicit Constant(double alpha) : alpha_(alpha) {}
  double Factor(int64_t) const override { return alpha_; }

 private:
  double alpha_;
};

// The share of `length` that has passed, 0 to 1.
double Passed(int64_t batch, int64_t length) {
  if (batch <= 0) return 0;
  return batch >= length ? 1 : static_cast<double>(batch) / static_cast<double>(length);
}

class Cosine : public Schedule {
 public:
  Cosine(int64_t length, double alpha_f) : length_(length), alpha_f_(alpha_f) {}
  double Factor(int64_t batch) const override {
    if (batch >= length_ && batch > 0) return alpha_f_;
    const double cosine = std::cos(std::numbers::pi * Passed(batch, length_));
    return alpha_f_ + (1 - alpha_f_) * (1 + cosine) / 2;
  }

 private:
  int64_t length_;
  double alpha_f_;
};

class Poly : public Schedule {
 public:
  Poly(int64_t length, double power, double alpha_f)
      : length_(length), power_(power), alpha_f_(alpha_f) {}
  double Factor(int64_t batch) const override {
    if (batch >= length_ && batch > 0) return alpha_f_;
    return alpha_f_ + (1 - alpha_f_) * std::pow(1 - Passed(batch, length_), power_);
  }

 private:
  int64_t length_;
  double power_;
  double alpha_f_;
};

class MultiStep : public Schedule {
 public:
  MultiStep(std::vector<int64_t> milestones, double gamma)
      : milestones_(std::move(milestones)), gamma_(gamma) {
    std::sort(milestones_.begin(), milestones_.end());
  }
  double Factor(int64_t batch) const override {
    const auto passed = std::upper_bound(milestones_.begin(), milestones_.end(), batch);
    return std::pow(gamma_, passed - milestones_.begin());
  }

 private:
  std::vector<int64_t> milestones_;
  double gamma_;
};

// A straight line over `warmup` batches from 0 to where `after` starts, then `after`, whose time
// begins `shift` batches later than the training's.
class WithWarmup : public Schedule {
 public:
  WithWarmup(int64_t warmup, int64_t shift, std::unique_ptr<Schedule> after)
      : warmup_(warmup), shift_(shift), after_(std::move(after)) {}
  double Factor(int64_t batch) const override {
    if (batch < warmup_) return Passed(batch, warmup_) * after_->Factor(0);
    return after_->Factor(batch - shift_);
  }

 private:
  int64_t warmup_;
  int64_t shift_;
  std::unique_ptr<Schedule> after_;
};

absl::StatusOr<int64_t> BatchesOf(const std::string& text, const char* field,
                                  const TrainingLength& length) {
  TESSERA_ASSIGN_OR_RETURN(const Time time, Time::Parse(text, field));
  return length.Batches(time);
}

// The batches of a decay that ends at `t_max` and begins after the warm-up.
absl::StatusOr<int64_t> DecayLength(const std::string& t_max, const char* field, int64_t warmup,
                                    const TrainingLength& length) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t end, BatchesOf(t_max, field, length));
  if (end < warmup) {
    return absl::InvalidArgumentError(absl::StrCat("schedule.t_warmup is ", warmup,
                                                   " batches, but ", field, " ends at ", end,
                                                   "; expected a warm-up that is not longer"));
  }
  return end - warmup;
}

// Decays measure their time from the end of the warm-up; milestones are times of the training.
absl::StatusOr<std::unique_ptr<Schedule>> BuildDecay(const ScheduleConfig& config, int64_t warmup,
                                                     const TrainingLength& length) {
  switch (config.schedule_case()) {
    case ScheduleConfig::kCosine: {
      TESSERA_ASSIGN_OR_RETURN(
          const int64_t end,
          DecayLength(config.cosine().t_max(), "schedule.cosine.t_max", warmup, length));
      return std::make_unique<Cosine>(end, config.cosine().alpha_f());
    }
    case ScheduleConfig::kPoly: {
      TESSERA_ASSIGN_OR_RETURN(
          const int64_t end,
          DecayLength(config.poly().t_max(), "schedule.poly.t_max", warmup, length));
      return std::make_unique<Poly>(end, config.poly().power(), config.poly().alpha_f());
    }
    case ScheduleConfig::kMultiStep: {
      std::vector<int64_t> milestones;
      for (const std::string& text : config.multi_step().milestones()) {
        TESSERA_ASSIGN_OR_RETURN(const int64_t milestone,
                                 BatchesOf(text, "schedule.multi_step.milestones", length));
        milestones.push_back(milestone);
      }
      return std::make_unique<MultiStep>(std::move(milestones), config.multi_step().gamma());
    }
    case ScheduleConfig::kConstant:
    case ScheduleConfig::SCHEDULE_NOT_SET:
      return std::make_unique<Constant>(config.constant().alpha());
  }
  return absl::InternalError("no such schedule");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Schedule>> BuildSchedule(const ScheduleConfig& config,
                                                        const TrainingLength& length) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t warmup,
                           BatchesOf(config.t_warmup(), "schedule.t_warmup", length));
  if (warmup > length.max_batches) {
    return absl::InvalidArgumentError(
        absl::StrCat("schedule.t_warmup is ", warmup, " batches, but max_duration is ",
                     length.max_batches, "; expected a warm-up that is not longer"));
  }
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Schedule> decay, BuildDecay(config, warmup, length));
  if (warmup == 0) return decay;
  const bool absolute = config.schedule_case() == ScheduleConfig::kMultiStep;
  return std::make_unique<WithWarmup>(warmup, absolute ? 0 : warmup, std::move(decay));
}

}  // namespace tessera
