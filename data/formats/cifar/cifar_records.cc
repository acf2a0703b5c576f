#include "data/formats/cifar/cifar_records.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr size_t kPlane = kCifarSide * kCifarSide;

void Interleave(const char* planes, char* pixels) {
  for (size_t i = 0; i < kPlane; ++i) {
    for (size_t channel = 0; channel < 3; ++channel) {
      pixels[3 * i + channel] = planes[channel * kPlane + i];
    }
  }
}

absl::Status CheckLabel(const char* what, int label, int classes, size_t record) {
  if (label < classes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("record ", record, " has the ", what, " ", label,
                                                 ", expected 0 to ", classes - 1));
}

}  // namespace

absl::Status AppendCifarRecords(CifarKind kind, absl::string_view file, std::string* pixels,
                                std::vector<int64_t>* labels) {
  const size_t label_bytes = kind == CifarKind::kCifar10 ? 1 : 2;
  const size_t record = label_bytes + kCifarImageBytes;
  if (file.empty() || file.size() % record != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", file.size(), " bytes, expected a multiple of ", record,
                     ", the size of a record of CIFAR-", label_bytes == 1 ? "10" : "100"));
  }
  const size_t count = file.size() / record;
  const size_t first = pixels->size();
  pixels->resize(first + count * kCifarImageBytes);
  for (size_t i = 0; i < count; ++i) {
    const char* const at = file.data() + i * record;
    const auto byte = [&](size_t index) {
      return static_cast<int>(static_cast<uint8_t>(at[index]));
    };
    absl::Status status = CheckLabel(kind == CifarKind::kCifar10 ? "label" : "coarse label",
                                     byte(0), kind == CifarKind::kCifar10 ? 10 : 20, i);
    if (status.ok() && label_bytes == 2) status = CheckLabel("fine label", byte(1), 100, i);
    if (!status.ok()) return status;
    labels->push_back(byte(kind == CifarKind::kCifar100 ? 1 : 0));
    Interleave(at + label_bytes, pixels->data() + first + i * kCifarImageBytes);
  }
  return absl::OkStatus();
}

}  // namespace tessera
