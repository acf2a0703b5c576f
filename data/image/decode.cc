#include "data/image/decode.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "data/image/jpeg_decode.h"
#include "data/image/png_decode.h"

namespace tessera {
namespace {

bool IsJpeg(absl::string_view bytes) { return absl::StartsWith(bytes, "\xFF\xD8\xFF"); }
bool IsPng(absl::string_view bytes) { return absl::StartsWith(bytes, "\x89PNG\r\n\x1A\n"); }

// What bytes that are neither look like.
std::string Describe(absl::string_view bytes) {
  if (bytes.empty()) return "is empty (0 bytes)";
  struct Signature {
    absl::string_view start;
    const char* name;
  };
  static constexpr Signature kSignatures[] = {
      {"\x1F\x8B", "gzip-compressed: unpack it first"},
      {"BM", "a BMP image"},
      {"GIF8", "a GIF image"},
      {"II*", "a TIFF image"},
      {"MM", "a TIFF image"},
      {"PK\x03\x04", "a zip archive"},
      {"\xFF\x4F\xFF\x51", "a JPEG 2000 image"},
  };
  for (const Signature& signature : kSignatures) {
    if (absl::StartsWith(bytes, signature.start)) return absl::StrCat("is ", signature.name);
  }
  if (absl::StartsWith(bytes, "RIFF") && absl::StrContains(bytes.substr(0, 16), "WEBP")) {
    return "is a WebP image";
  }
  const absl::string_view start = bytes.substr(0, 16);
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(start), "<")) {
    return "is HTML or XML text, such as an error page of a server";
  }
  if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; })) {
    return absl::StrCat("holds only zeros (", bytes.size(), " bytes): a failed download");
  }
  return absl::StrCat("starts with bytes ", absl::BytesToHexString(start.substr(0, 8)));
}

absl::Status NeitherFormat(absl::string_view bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("neither JPEG nor PNG: the content ", Describe(bytes)));
}

absl::Status OtherChannels(const StoredImage& stored, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("pixels have ", stored.channels, " channels, expected ", expected));
}

absl::Status CheckPixels(const StoredImage& stored) {
  const uint64_t expected = static_cast<uint64_t>(stored.height) * stored.width * stored.channels;
  if (stored.bytes.size() == expected && expected > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("pixels have ", stored.bytes.size(), " bytes, expected ", expected, " for ",
                   stored.height, " x ", stored.width, " x ", stored.channels));
}

}  // namespace

absl::Status DecodeRgb(absl::string_view bytes, Image* image) {
  if (IsJpeg(bytes)) return DecodeJpeg(bytes, image);
  if (IsPng(bytes)) return DecodePngRgb(bytes, image);
  return NeitherFormat(bytes);
}

absl::Status DecodeMask(absl::string_view bytes, Image* mask) {
  if (IsPng(bytes)) return DecodePngIndices(bytes, mask);
  if (IsJpeg(bytes)) {
    return absl::InvalidArgumentError(
        "mask is a JPEG, which does not keep class indices: expected a PNG");
  }
  return NeitherFormat(bytes);
}

absl::Status DecodeRgb(const StoredImage& stored, Image* image) {
  if (stored.is_file()) return DecodeRgb(stored.bytes, image);
  if (stored.channels != 1 && stored.channels != 3) return OtherChannels(stored, "1 or 3");
  TESSERA_RETURN_IF_ERROR(CheckPixels(stored));
  image->Resize(stored.height, stored.width, 3);
  if (stored.channels == 3) {
    std::copy(stored.bytes.begin(), stored.bytes.end(), image->pixels.begin());
    return absl::OkStatus();
  }
  uint8_t* out = image->pixels.data();
  for (const char gray : stored.bytes) out = std::fill_n(out, 3, static_cast<uint8_t>(gray));
  return absl::OkStatus();
}

absl::Status DecodeMask(const StoredImage& stored, Image* mask) {
  if (stored.is_file()) return DecodeMask(stored.bytes, mask);
  if (stored.channels != 1) return OtherChannels(stored, "1");
  TESSERA_RETURN_IF_ERROR(CheckPixels(stored));
  mask->Resize(stored.height, stored.width, 1);
  std::copy(stored.bytes.begin(), stored.bytes.end(), mask->pixels.begin());
  return absl::OkStatus();
}

absl::StatusOr<ImageInfo> ReadImageInfo(absl::string_view bytes) {
  if (IsJpeg(bytes)) return ReadJpegInfo(bytes);
  if (IsPng(bytes)) return ReadPngInfo(bytes);
  return NeitherFormat(bytes);
}

}  // namespace tessera
