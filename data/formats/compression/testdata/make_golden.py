"""Writes golden.json: what Python compresses a few inputs to, as size and SHA-256.

The functions are those that mosaicml-streaming 0.13.0 calls. Made with Python 3.11.7 (zlib 1.2.13,
bzip2 1.0.8), Brotli 1.2.1 and zstd 1.5.7.2. Run it in this folder.
"""

import bz2
import gzip
import hashlib
import json
import time

import brotli
import zstd

WORDS = [
    b"road ", b"sky ", b"tree ", b"car ", b"wall ", b"building ", b"person ", b"grass ",
    b"window ", b"door ", b"lamp ", b"table ", b"water ", b"sand ", b"floor ", b"a ",
]


def text(length):
    """Words drawn by a linear congruential generator; compression_test.cc makes the same."""
    out, x = bytearray(), 1
    while len(out) < length:
        x = (x * 1664525 + 1013904223) % 2**32
        out += WORDS[x >> 28]
    return bytes(out[:length])


CODECS = {
    "br": (lambda data, level: brotli.compress(data, quality=level), 11, range(12)),
    "bz2": (bz2.compress, 9, range(1, 10)),
    "gz": (gzip.compress, 9, range(10)),
    "zstd": (zstd.compress, 3, range(1, 23)),
}


def entry(compress, data, level):
    zipped = compress(data, level)
    return {"bytes": len(zipped), "sha256": hashlib.sha256(zipped).hexdigest()}


def main():
    time.time = lambda: 0  # gzip.compress writes it
    golden = {}
    for name, (compress, default, levels) in CODECS.items():
        for length in [1000, 300000]:
            golden[f"{name} {length}"] = entry(compress, text(length), default)
        for level in levels:
            golden[f"{name}:{level} 1000"] = entry(compress, text(1000), level)
    # Long enough for zstd's workers to cut it into jobs.
    golden["zstd:1 5000000"] = entry(zstd.compress, text(5000000), 1)
    with open("golden.json", "w", encoding="ascii") as file:
        json.dump(golden, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
