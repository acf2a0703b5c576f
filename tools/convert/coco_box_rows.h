#ifndef TESSERA_TOOLS_CONVERT_COCO_BOX_ROWS_H_
#define TESSERA_TOOLS_CONVERT_COCO_BOX_ROWS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "data/datasets/coco_dataset.h"
#include "tools/convert/rows.h"

namespace tessera {

// COCO for detection, in MDS with the columns of MosaicML's COCO: img (jpeg), img_id, htot and wtot
// (int), bbox_sizes (ndarray:float32, [k, 4]) and bbox_labels (ndarray:int64, [k]); see CocoBoxes.
// Images without a box are left out, as there. Files keep their bytes.
absl::StatusOr<std::unique_ptr<Rows>> MakeCocoBoxRows(CocoFiles files, const RowOptions& options);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_COCO_BOX_ROWS_H_
