#include "train/check_batches.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

// Checks the parts of a batch of `size` samples: `found` says where it comes from, `advice` what
// helps if it is too small.
absl::Status CheckParts(const BatchPlan& plan, int64_t size, const std::string& found,
                        const std::string& advice) {
  const auto refuse = [&plan](const std::string& what, const std::string& help) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": the model's batch norms need ",
                                                   plan.min_train_batch,
                                                   " samples at once to train. Set ", help));
  };
  if (size < plan.min_train_batch) return refuse(found, advice);
  if (plan.microbatch_size == 0 || plan.microbatch_size >= size) return absl::OkStatus();

  const int64_t part = plan.microbatch_size;
  const int64_t rest = size % part;
  const std::string help = "another train.microbatch_size";
  if (part < plan.min_train_batch) {
    return refuse(absl::StrCat("train.microbatch_size is ", part), help);
  }
  if (rest != 0 && rest < plan.min_train_batch) {
    return refuse(absl::StrCat(found, ", and its last microbatch ", rest, " (", size, " mod ", part,
                               " = ", rest, ")"),
                  help);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckBatches(const BatchPlan& plan) {
  if (plan.num_samples >= plan.batch_size) {
    TESSERA_RETURN_IF_ERROR(CheckParts(plan, plan.batch_size,
                                       absl::StrCat("train_batch_size is ", plan.batch_size),
                                       "a larger train_batch_size"));
  }
  const int64_t tail = plan.num_samples % plan.batch_size;
  if (tail == 0 || plan.drop_last) return absl::OkStatus();
  return CheckParts(
      plan, tail,
      absl::StrCat("the last batch of an epoch would be ", tail, " (", plan.num_samples,
                   " training samples mod train_batch_size ", plan.batch_size, " = ", tail, ")"),
      "data.drop_last: true or another train_batch_size");
}

}  // namespace tessera
