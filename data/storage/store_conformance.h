#ifndef TESSERA_DATA_STORAGE_STORE_CONFORMANCE_H_
#define TESSERA_DATA_STORAGE_STORE_CONFORMANCE_H_

#include <map>
#include <string>

#include "data/storage/store.h"

namespace tessera {

// Names that are easily cut or changed on the way, with contents of several sizes.
const std::map<std::string, std::string>& OddObjects();

// Writes OddObjects() as files below `folder`.
void WriteOddObjects(const std::string& folder);

// What every store does that holds OddObjects() and nothing called "missing".
void ExpectReads(Store& store);

// What every store does that can be written to. Leaves OddObjects() in it, and nothing else.
void ExpectWrites(Store& store);

// `size` bytes that do not repeat in step with anything.
std::string TestContents(size_t size);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_STORE_CONFORMANCE_H_
