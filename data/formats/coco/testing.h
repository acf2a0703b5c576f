#ifndef TESSERA_DATA_FORMATS_COCO_TESTING_H_
#define TESSERA_DATA_FORMATS_COCO_TESTING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/write_file.h"
#include "data/formats/coco/coco_annotations.h"
#include "gtest/gtest.h"

namespace tessera {

// Loads `json` from a file "annotations.json".
inline absl::StatusOr<CocoAnnotations> LoadText(absl::string_view json) {
  const std::string path = testing::TempDir() + "annotations.json";
  EXPECT_TRUE(WriteFile(path, json).ok());
  return CocoAnnotations::Load(path);
}

// A file of these items, which are JSON without the brackets of their lists.
inline std::string CocoJson(absl::string_view images, absl::string_view categories,
                            absl::string_view annotations) {
  return absl::StrCat("{\"annotations\": [", annotations, "], \"images\": [", images,
                      "], \"categories\": [", categories, "]}");
}

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_TESTING_H_
