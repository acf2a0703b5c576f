#include "models/conv_summary.h"

#include <ATen/record_function.h>
#include <torch/nn/modules/conv.h>

#include <map>
#include <memory>
#include <utility>

namespace tessera {
namespace {

struct Recorder {
  std::map<const void*, ConvSummary> by_weight;
  std::vector<ConvSummary> ran;
};

// torch's observers are plain functions; the recorder of the run in this thread reaches them here.
thread_local Recorder* active_recorder = nullptr;

// Arguments are gone when the function ends.
struct SeenConv : at::ObserverContext {
  at::Tensor weight;
};

std::unique_ptr<at::ObserverContext> BeforeFunction(const at::RecordFunction& function) {
  if (std::string(function.name()) != "aten::conv2d") return nullptr;
  auto seen = std::make_unique<SeenConv>();
  seen->weight = function.inputs()[1].toTensor();
  return seen;
}

void AfterFunction(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  const at::Tensor& weight = static_cast<SeenConv*>(context)->weight;
  const auto known = active_recorder->by_weight.find(weight.const_data_ptr());
  if (known == active_recorder->by_weight.end()) return;
  const at::Tensor output = function.outputs()[0].toTensor();
  ConvSummary& summary = active_recorder->ran.emplace_back(known->second);
  summary.output = output.sizes().vec();
  summary.multiply_adds = output.numel() * (weight.numel() / weight.size(0));
  summary.channels_last = output.is_contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

std::vector<ConvSummary> SummarizeConvs(Model& model, const at::Tensor& images) {
  Recorder recorder;
  for (const auto& module : model.named_modules()) {
    const auto* const conv = module.value()->as<torch::nn::Conv2d>();
    if (conv == nullptr) continue;
    const int64_t bias = conv->bias.defined() ? conv->bias.numel() : 0;
    recorder.by_weight[conv->weight.const_data_ptr()] = {
        .name = module.key(), .output = {}, .parameters = conv->weight.numel() + bias};
  }
  const at::NoGradGuard no_grad;
  active_recorder = &recorder;
  const at::CallbackHandle handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(&BeforeFunction, &AfterFunction)
                                     .needsInputs(true)
                                     .needsOutputs(true)
                                     .scopes({at::RecordScope::FUNCTION}));
  model.forward(images);
  at::removeCallback(handle);
  active_recorder = nullptr;
  return std::move(recorder.ran);
}

}  // namespace tessera
