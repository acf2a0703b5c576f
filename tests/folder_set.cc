#include "tests/folder_set.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "data/build_data.h"

namespace tessera {
namespace {

void Write(const std::string& path, const std::string& contents) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << contents;
}

}  // namespace

void WriteFolderSet(const std::string& root, int samples) {
  DataConfig config;
  config.mutable_synthetic()->set_eval_samples(samples);
  config.mutable_synthetic()->set_height(32);
  config.mutable_synthetic()->set_width(32);
  const auto dataset = OpenDataset(config, Split::kEval).value();
  for (int64_t i = 0; i < dataset->size(); ++i) {
    const Sample sample = dataset->Get(i).value();
    for (const std::string split : {"training", "validation"}) {
      const std::string stem = split + "/s" + std::to_string(i);
      Write(root + "/images/" + stem + ".jpg", std::string(sample.image.bytes));
      Write(root + "/annotations/" + stem + ".png", std::string(sample.mask.bytes));
    }
  }
}

}  // namespace tessera
