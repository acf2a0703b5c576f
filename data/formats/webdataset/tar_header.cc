#include "data/formats/webdataset/tar_header.h"

#include <cstddef>
#include <cstring>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tessera {
namespace {

constexpr absl::string_view kUstar(
    "ustar\0"
    "00",
    8);
constexpr int kMostOctal = 11;  // digits of a size

// POSIX.1-1988, "ustar". Numbers are octal and end with a zero byte.
struct Header {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[8];  // with the version
  char user[32];
  char group[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char padding[12];
};
static_assert(sizeof(Header) == kTarBlock);

// Fields are zero-padded; text that fills one needs no zero.
template <size_t n>
void Set(char (&field)[n], absl::string_view text) {
  std::memcpy(field, text.data(), text.size());
}

void Append(const Header& header, std::string* out) {
  Header whole = header;
  std::memset(whole.checksum, ' ', sizeof(whole.checksum));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&whole);
  const unsigned sum = std::accumulate(bytes, bytes + sizeof(whole), 0U);
  Set(whole.checksum, absl::StrFormat("%06o", sum));
  whole.checksum[6] = '\0';
  out->append(reinterpret_cast<const char*>(&whole), sizeof(whole));
}

// Fields of ASCII hold a question mark for each character that is not.
std::string AsciiName(absl::string_view name) {
  std::string ascii;
  for (const char c : name) {
    if (absl::ascii_isascii(c)) {
      ascii += c;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {  // the first byte of a character
      ascii += '?';
    }
  }
  return ascii;
}

// A header's fields that files and PAX headers have in common.
Header NewHeader(absl::string_view name, absl::string_view mode, uint64_t size, char type) {
  Header header = {};
  Set(header.name, name.substr(0, sizeof(header.name)));
  Set(header.mode, mode);
  Set(header.uid, "0000000");
  Set(header.gid, "0000000");
  Set(header.size, absl::StrFormat("%0*o", kMostOctal, size));
  Set(header.mtime, "00000000000");
  header.type = type;
  Set(header.magic, kUstar);
  return header;
}

// "LENGTH KEYWORD=VALUE\n"; the length counts its own digits.
std::string PaxRecord(absl::string_view keyword, absl::string_view value) {
  const size_t rest = keyword.size() + value.size() + 3;
  size_t length = rest;
  while (rest + absl::StrCat(length).size() != length) length = rest + absl::StrCat(length).size();
  return absl::StrCat(length, " ", keyword, "=", value, "\n");
}

// A member of type x before the file's own holds what ustar has no room for.
void AppendPaxHeader(absl::string_view records, std::string* out) {
  Append(NewHeader("././@PaxHeader", "0000000", records.size(), 'x'), out);
  absl::StrAppend(out, records);
  out->append((kTarBlock - records.size() % kTarBlock) % kTarBlock, '\0');
}

}  // namespace

void AppendTarHeader(absl::string_view name, uint64_t size, std::string* out) {
  const std::string ascii = AsciiName(name);
  std::string records;
  if (ascii != name || name.size() > sizeof(Header::name)) records += PaxRecord("path", name);
  if (size >> (3 * kMostOctal) != 0) {
    records += PaxRecord("size", absl::StrCat(size));
    size = 0;
  }
  if (!records.empty()) AppendPaxHeader(records, out);
  Header header = NewHeader(ascii, "0000444", size, '0');
  Set(header.user, "bigdata");
  Set(header.group, "bigdata");
  Append(header, out);
}

bool IsTarHeader(absl::string_view block) {
  constexpr size_t kBegin = offsetof(Header, checksum), kEnd = kBegin + sizeof(Header::checksum);
  if (block.size() != kTarBlock) return false;
  // Some old programs took bytes for signed.
  int64_t sum = 0, signed_sum = 0, expected = 0;
  for (size_t i = 0; i < kTarBlock; ++i) {
    const char c = i >= kBegin && i < kEnd ? ' ' : block[i];
    sum += static_cast<unsigned char>(c);
    signed_sum += static_cast<signed char>(c);
  }
  bool found = false;
  for (const char c : block.substr(kBegin, kEnd - kBegin)) {
    const bool digit = c >= '0' && c <= '7';
    if (found && !digit) break;
    if (digit) expected = expected * 8 + (c - '0');
    found = found || digit;
  }
  return found && (sum == expected || signed_sum == expected);
}

}  // namespace tessera
