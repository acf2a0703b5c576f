#ifndef TESSERA_DATA_STORAGE_LOCAL_STORE_H_
#define TESSERA_DATA_STORAGE_LOCAL_STORE_H_

#include <memory>
#include <string>

#include "data/storage/store.h"

namespace tessera {

// The files below `folder`, which need not exist yet. A file's version is its inode and the time
// of its last change; Write makes the folders of its key.
std::shared_ptr<Store> OpenLocalStore(std::string folder);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_LOCAL_STORE_H_
