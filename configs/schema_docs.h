#ifndef TESSERA_CONFIGS_SCHEMA_DOCS_H_
#define TESSERA_CONFIGS_SCHEMA_DOCS_H_

#include "absl/strings/string_view.h"

namespace tessera {

// A FileDescriptorSet of experiment.proto and its imports, with the comments that the code made
// from them lacks.
absl::string_view SchemaDocs();

}  // namespace tessera

#endif  // TESSERA_CONFIGS_SCHEMA_DOCS_H_
