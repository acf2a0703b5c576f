#ifndef TESSERA_TESTS_SMALL_RUN_H_
#define TESSERA_TESTS_SMALL_RUN_H_

#include <string>
#include <vector>

namespace tessera {

// Fields of an Experiment: a model of 8 classes that trains in a second, and how.
inline constexpr char kSmallRun[] = R"(
  model {
    num_classes: 8
    deeplabv3 {
      backbone { depth: RESNET18 width: 8 }
      output_stride: 16
      head_channels: 8
      aspp_dilations: [ 1, 2 ]
      dropout: 0.5
    }
  }
  optimizer { sgd { lr: 0.02 } }
  schedule { cosine {} }
)";

// What the lines of the metrics.jsonl of a run's folder say apart from times: the same for runs
// that computed the same.
std::vector<std::string> MetricsOf(const std::string& folder);

}  // namespace tessera

#endif  // TESSERA_TESTS_SMALL_RUN_H_
