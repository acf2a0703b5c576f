#include "data/storage/sigv4.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <map>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera {
namespace {

constexpr char kAlgorithm[] = "AWS4-HMAC-SHA256";

std::string Hmac(absl::string_view key, absl::string_view text) {
  std::string mac(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(mac.data()), &size);
  mac.resize(size);
  return mac;
}

}  // namespace

std::string Sha256Hex(absl::Span<const absl::string_view> pieces) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  for (const absl::string_view piece : pieces) {
    EVP_DigestUpdate(context.get(), piece.data(), piece.size());
  }
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), &size);
  digest.resize(size);
  return absl::BytesToHexString(digest);
}

std::vector<std::string> SignV4(const SigV4Request& request, const AwsCredentials& credentials,
                                absl::string_view region, absl::Time time) {
  const std::string stamp = absl::FormatTime("%Y%m%dT%H%M%SZ", time, absl::UTCTimeZone());
  const std::string day = stamp.substr(0, 8);

  std::map<std::string, std::string> headers(request.headers.begin(), request.headers.end());
  headers["x-amz-content-sha256"] = request.payload_sha256;
  headers["x-amz-date"] = stamp;
  if (!credentials.session_token.empty()) {
    headers["x-amz-security-token"] = credentials.session_token;
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : headers) lines.push_back(absl::StrCat(name, ": ", value));
  headers["host"] = request.host;

  const std::string names = absl::StrJoin(
      headers, ";", [](std::string* out, const auto& header) { out->append(header.first); });
  std::string canonical = absl::StrCat(request.method, "\n", request.path, "\n\n");
  for (const auto& [name, value] : headers) absl::StrAppend(&canonical, name, ":", value, "\n");
  absl::StrAppend(&canonical, "\n", names, "\n", request.payload_sha256);

  const std::string scope = absl::StrCat(day, "/", region, "/s3/aws4_request");
  const absl::string_view hashed(canonical);
  const std::string to_sign =
      absl::StrCat(kAlgorithm, "\n", stamp, "\n", scope, "\n", Sha256Hex({&hashed, 1}));
  std::string key = absl::StrCat("AWS4", credentials.secret_key);
  for (const absl::string_view part : {absl::string_view(day), region, absl::string_view("s3"),
                                       absl::string_view("aws4_request")}) {
    key = Hmac(key, part);
  }
  lines.push_back(absl::StrCat(
      "Authorization: ", kAlgorithm, " Credential=", credentials.access_key, "/", scope,
      ",SignedHeaders=", names, ",Signature=", absl::BytesToHexString(Hmac(key, to_sign))));
  return lines;
}

}  // namespace tessera
