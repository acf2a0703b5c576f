#ifndef TESSERA_TOOLS_DOWNLOAD_TEST_ZIP_H_
#define TESSERA_TOOLS_DOWNLOAD_TEST_ZIP_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct TestZipEntry {
  enum Kind { kFile, kFolder, kLink };
  std::string name;
  std::string contents;  // of a link, where it leads
  Kind kind = kFile;
};

// Writes a zip with these entries, whatever their names are.
void WriteTestZip(const std::string& path, const std::vector<TestZipEntry>& entries);

// The entries of ADEChallengeData2016.zip, with so many pairs, whose files have `bytes` bytes that
// no compression makes smaller.
std::vector<TestZipEntry> Ade20kEntries(int64_t train, int64_t val, size_t bytes);

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_TEST_ZIP_H_
