#ifndef TESSERA_TOOLS_DOWNLOAD_ADE20K_ARCHIVE_H_
#define TESSERA_TOOLS_DOWNLOAD_ADE20K_ARCHIVE_H_

#include <cstdint>

namespace tessera {

// ADE20K's scene parsing set as its authors publish it.
struct PublishedArchive {
  const char* name;  // of the one folder in it
  const char* url;
  const char* md5;
  int64_t train_pairs;
  int64_t val_pairs;
};

inline constexpr PublishedArchive kAde20k = {
    .name = "ADEChallengeData2016",
    .url = "http://data.csail.mit.edu/places/ADEchallenge/ADEChallengeData2016.zip",
    .md5 = "7328b3957e407ddae1d3cbf487f149ef",
    .train_pairs = 20210,
    .val_pairs = 2000,
};

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_ADE20K_ARCHIVE_H_
