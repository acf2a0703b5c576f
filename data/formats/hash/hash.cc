#include "data/formats/hash/hash.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

std::string ToHex(const unsigned char* digest, size_t size) {
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

class EvpHasher : public Hasher {
 public:
  static absl::StatusOr<std::unique_ptr<Hasher>> Create(const char* name) {
    auto hasher = std::make_unique<EvpHasher>();
    if (hasher->context_ == nullptr ||
        EVP_DigestInit_ex(hasher->context_.get(), EVP_get_digestbyname(name), nullptr) != 1) {
      return absl::UnimplementedError(absl::StrCat("this machine's OpenSSL does not offer ", name));
    }
    return hasher;
  }

  void Update(absl::string_view bytes) override {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }

  std::string Hex() override {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    return ToHex(digest, size);
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

// One of xxHash's three families; `Traits` names its functions.
template <typename Traits>
class XxHasher : public Hasher {
 public:
  XxHasher() : state_(Traits::New()) { Traits::Reset(state_.get()); }

  void Update(absl::string_view bytes) override {
    Traits::Update(state_.get(), bytes.data(), bytes.size());
  }

  std::string Hex() override {
    const auto canonical = Traits::Digest(state_.get());
    return ToHex(canonical.digest, sizeof(canonical.digest));
  }

 private:
  struct Free {
    void operator()(typename Traits::State* state) const { Traits::Free(state); }
  };
  std::unique_ptr<typename Traits::State, Free> state_;
};

struct Xxh32 {
  using State = XXH32_state_t;
  static State* New() { return XXH32_createState(); }
  static void Free(State* state) { XXH32_freeState(state); }
  static void Reset(State* state) { XXH32_reset(state, 0); }
  static void Update(State* state, const void* data, size_t size) {
    XXH32_update(state, data, size);
  }
  static XXH32_canonical_t Digest(State* state) {
    XXH32_canonical_t canonical;
    XXH32_canonicalFromHash(&canonical, XXH32_digest(state));
    return canonical;
  }
};

struct Xxh64 {
  using State = XXH64_state_t;
  static State* New() { return XXH64_createState(); }
  static void Free(State* state) { XXH64_freeState(state); }
  static void Reset(State* state) { XXH64_reset(state, 0); }
  static void Update(State* state, const void* data, size_t size) {
    XXH64_update(state, data, size);
  }
  static XXH64_canonical_t Digest(State* state) {
    XXH64_canonical_t canonical;
    XXH64_canonicalFromHash(&canonical, XXH64_digest(state));
    return canonical;
  }
};

struct Xxh3 {
  using State = XXH3_state_t;
  static State* New() { return XXH3_createState(); }
  static void Free(State* state) { XXH3_freeState(state); }
};

struct Xxh3With64Bits : Xxh3 {
  static void Reset(State* state) { XXH3_64bits_reset(state); }
  static void Update(State* state, const void* data, size_t size) {
    XXH3_64bits_update(state, data, size);
  }
  static XXH64_canonical_t Digest(State* state) {
    XXH64_canonical_t canonical;
    XXH64_canonicalFromHash(&canonical, XXH3_64bits_digest(state));
    return canonical;
  }
};

struct Xxh3With128Bits : Xxh3 {
  static void Reset(State* state) { XXH3_128bits_reset(state); }
  static void Update(State* state, const void* data, size_t size) {
    XXH3_128bits_update(state, data, size);
  }
  static XXH128_canonical_t Digest(State* state) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    return canonical;
  }
};

// MosaicML's names of OpenSSL's digests.
constexpr std::pair<absl::string_view, const char*> kEvpNames[] = {
    {"blake2b", "BLAKE2b512"}, {"blake2s", "BLAKE2s256"}, {"md5", "MD5"},
    {"sha1", "SHA1"},          {"sha224", "SHA224"},      {"sha256", "SHA256"},
    {"sha384", "SHA384"},      {"sha3_224", "SHA3-224"},  {"sha3_256", "SHA3-256"},
    {"sha3_384", "SHA3-384"},  {"sha3_512", "SHA3-512"},  {"sha512", "SHA512"},
};

}  // namespace

absl::StatusOr<std::unique_ptr<Hasher>> Hasher::Create(absl::string_view algorithm) {
  for (const auto& [name, evp_name] : kEvpNames) {
    if (algorithm == name) return EvpHasher::Create(evp_name);
  }
  if (algorithm == "xxh32") return std::make_unique<XxHasher<Xxh32>>();
  if (algorithm == "xxh64") return std::make_unique<XxHasher<Xxh64>>();
  if (algorithm == "xxh3_64") return std::make_unique<XxHasher<Xxh3With64Bits>>();
  if (algorithm == "xxh128" || algorithm == "xxh3_128") {
    return std::make_unique<XxHasher<Xxh3With128Bits>>();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no hash \"", algorithm, "\"; the known are ",
      absl::StrJoin(kEvpNames, ", ",
                    [](std::string* out, const auto& name) { absl::StrAppend(out, name.first); }),
      ", xxh128, xxh32, xxh3_128, xxh3_64, xxh64"));
}

absl::StatusOr<std::string> HashHex(absl::string_view algorithm, absl::string_view bytes) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Hasher> hasher, Hasher::Create(algorithm));
  hasher->Update(bytes);
  return hasher->Hex();
}

}  // namespace tessera
