#ifndef TESSERA_DATA_FORMATS_MDS_MDS_TEXT_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_TEXT_H_

#include "absl/strings/string_view.h"

namespace tessera {

bool IsUtf8(absl::string_view text);

// Whether `text` is what Python's str() gives of an int, a float or a decimal.Decimal.
bool IsPythonInt(absl::string_view text);
bool IsPythonFloat(absl::string_view text);
bool IsPythonDecimal(absl::string_view text);

// Whether `text` is JSON in UTF-8; NaN, Infinity and -Infinity are numbers, as in Python's json.
bool IsPythonJson(absl::string_view text);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_TEXT_H_
