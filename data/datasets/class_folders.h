#ifndef TESSERA_DATA_DATASETS_CLASS_FOLDERS_H_
#define TESSERA_DATA_DATASETS_CLASS_FOLDERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tessera {

// The classes of a set that keeps each class in a folder of its own, by label: the names of the
// folders in `folder`, sorted byte by byte (ImageNet's sorted wnids). With a `class_list` file, one
// name a line, its order is that of the labels instead, and the folders must be those it names.
// Without one, names that are numbers draw a warning, since they sort as text: 0, 1, 10, 2.
absl::StatusOr<std::vector<std::string>> ListClassFolders(const std::string& folder,
                                                          const std::string& class_list = "");

// An error that names the classes of one split which the other lacks.
absl::Status CheckSameClasses(const std::vector<std::string>& train,
                              const std::vector<std::string>& eval);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_CLASS_FOLDERS_H_
