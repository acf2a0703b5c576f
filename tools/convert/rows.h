#ifndef TESSERA_TOOLS_CONVERT_ROWS_H_
#define TESSERA_TOOLS_CONVERT_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/datasets/dataset.h"

namespace tessera {

enum class ShardFormat { kMds, kWebDataset };

// "mds" or "webdataset"; all else is an error that lists these.
absl::StatusOr<ShardFormat> ParseShardFormat(absl::string_view text);

// One part of each sample.
struct RowColumn {
  std::string name;      // a column of MDS, an extension of WebDataset
  std::string encoding;  // of MDS
};

// A sample as it is written: a payload for each column, in their order.
struct Row {
  std::string key;  // of WebDataset
  std::vector<std::string> payloads;
  uint64_t source_bytes = 0;  // of the files that it was made of
};

// A set as rows of columns. May be used from several threads at once.
class Rows {
 public:
  virtual ~Rows() = default;

  virtual int64_t size() const = 0;
  virtual const std::vector<RowColumn>& columns() const = 0;

  // The fields of data.streaming, but for the place, with which the shards are read; empty: the
  // defaults.
  virtual std::string settings() const = 0;

  // Row `index`, checked. Errors name the sample.
  virtual absl::StatusOr<Row> Get(int64_t index) const = 0;
};

// How closely images and masks are looked at before they are written.
enum class ImageCheck {
  kDecode,   // each is decoded, so that one that is damaged anywhere is found
  kHeaders,  // format and size alone
};

struct RowOptions {
  ShardFormat format = ShardFormat::kMds;
  ImageCheck check = ImageCheck::kDecode;
  // Images whose short side is longer are made smaller, masks with them. 0: none.
  int resize_short = 0;
  // Of the JPEG files that are written anew, 1 to 100. 0: only images that were resized are, with
  // 90.
  int quality = 0;
};

// The rows of a set of masks have MosaicML's columns of ADE20K: uid (bytes), x (jpeg) and y (png);
// those of a set of classes i (int), x and y (int), where x is jpeg for files and pil for pixels.
// Files keep their own bytes, unless they are resized. In WebDataset they are NAME.image.jpg (or
// .png) and NAME.mask.png, or NAME.jpg (or .png) and NAME.cls; a "." in a name becomes "_".
// Of all images the first one tells kind and extension.
absl::StatusOr<std::unique_ptr<Rows>> MakeDatasetRows(std::shared_ptr<const Dataset> dataset,
                                                      const RowOptions& options);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_ROWS_H_
