#ifndef TESSERA_TESTS_FOLDER_SET_H_
#define TESSERA_TESTS_FOLDER_SET_H_

#include <string>

namespace tessera {

// Writes `samples` of the synthetic set, 32 x 32 pixels of 8 classes, as files in the ADE20K
// layout; the same to training and validation.
void WriteFolderSet(const std::string& root, int samples);

}  // namespace tessera

#endif  // TESSERA_TESTS_FOLDER_SET_H_
