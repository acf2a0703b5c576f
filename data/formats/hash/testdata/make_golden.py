"""Writes golden.json: digests of a few inputs under the names of MosaicML Streaming.

Made with Python 3.11.7 (hashlib, OpenSSL 3.0) and xxhash 3.8.2. Run it in this folder.
"""

import hashlib
import json

import xxhash

HASHLIB = [
    "blake2b", "blake2s", "md5", "sha1", "sha224", "sha256", "sha384", "sha3_224", "sha3_256",
    "sha3_384", "sha3_512", "sha512",
]
XXHASH = ["xxh128", "xxh32", "xxh3_128", "xxh3_64", "xxh64"]

# Input n is bytes 0, 1, ..., 250, 0, 1, ... of this length: none, short, and past xxh3's blocks.
LENGTHS = [0, 1, 200, 5000]


def digests(data):
    found = {name: getattr(hashlib, name)(data).hexdigest() for name in HASHLIB}
    found.update({name: getattr(xxhash, name)(data).hexdigest() for name in XXHASH})
    return found


def main():
    golden = {str(n): digests(bytes(i % 251 for i in range(n))) for n in LENGTHS}
    with open("golden.json", "w", encoding="ascii") as file:
        json.dump(golden, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
