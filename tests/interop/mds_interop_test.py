"""Python's StreamingDataset reads what we write, and we read what it writes.

usage: mds_interop_test.py STREAMING_BINARY MDS_COPY_BINARY
"""

import decimal
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image
from streaming import MDSWriter, StreamingDataset

STREAMING, COPY = (os.path.abspath(path) for path in sys.argv[1:3])

COLUMNS = {
    "bytes": "bytes", "str": "str", "int": "int", "uint8": "uint8", "int16": "int16",
    "uint32": "uint32", "uint64": "uint64", "float16": "float16", "float32": "float32",
    "float64": "float64", "str_int": "str_int", "str_float": "str_float",
    "str_decimal": "str_decimal", "json": "json", "pil": "pil", "jpeg": "jpeg", "png": "png",
    "array": "ndarray", "typed": "ndarray:float32", "shaped": "ndarray:int16:2,3",
    "list": "list[png]",
}


def sample(i):
    rng = np.random.default_rng(i)
    image = Image.fromarray(rng.integers(0, 256, (5 + i % 3, 7, 3), dtype=np.uint8))
    return {
        "bytes": rng.bytes(i % 50), "str": "naïve " * (i % 4), "int": -i, "uint8": np.uint8(i % 256),
        "int16": np.int16(-i), "uint32": np.uint32(1 << 31), "uint64": np.uint64((1 << 63) + i),
        "float16": np.float16(i / 8), "float32": np.float32(i / 3), "float64": np.float64(i / 7),
        "str_int": 10**30 + i, "str_float": i / 9, "str_decimal": decimal.Decimal(i) / 8,
        "json": {"i": i, "nan": float("nan"), "text": "ä"}, "pil": image, "jpeg": image,
        "png": image, "array": rng.integers(0, 9, (1 + i % 4, 2)),
        "typed": rng.random((2, 1 + i % 3), dtype=np.float32),
        "shaped": rng.integers(0, 9, (2, 3), dtype=np.int16),
        "list": [image] * (i % 3),
    }


def write(out, count, **settings):
    with MDSWriter(out=out, columns=COLUMNS, **settings) as writer:
        for i in range(count):
            writer.write(sample(i))


def payloads(folder):
    """sha256 of each column's payload, sample by sample, as Python finds them in the shards."""
    dataset = StreamingDataset(local=folder, batch_size=1, allow_unsafe_types=True)
    samples = []
    for i in range(len(dataset)):
        shard_id, k = dataset.spanner[i]
        shard = dataset.shards[shard_id]
        if not os.path.exists(os.path.join(shard.dirname, shard.split or "",
                                           shard.raw_data.basename)):
            dataset.prepare_shard(shard_id)
        data = shard.get_sample_data(k)
        sizes = []
        at = 0
        for size in shard.column_sizes:
            if size:
                sizes.append(size)
            else:
                sizes.append(int(np.frombuffer(data[at:at + 4], np.uint32)[0]))
                at += 4
        columns = {}
        for name, size in zip(shard.column_names, sizes):
            columns[name] = hashlib.sha256(data[at:at + size]).hexdigest()
            at += size
        samples.append(columns)
    return samples


def read_by_us(folder):
    out = subprocess.run([STREAMING, f"--local={folder}", "--print_samples=1000000", "--json"],
                         check=True, capture_output=True, text=True).stdout
    return [{name: part["sha256"] for name, part in json.loads(line)["parts"].items()}
            for line in out.splitlines()]


def same(a, b):
    """Equality of decoded samples."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, Image.Image):
        return a.mode == b.mode and a.tobytes() == b.tobytes()
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return a == b or a != a and b != b


class MdsInteropTest(unittest.TestCase):
    SETTINGS = [{}, {"compression": "zstd:7", "hashes": ["sha1", "xxh64"]}, {"compression": "br:3"},
                {"compression": "gz"}, {"compression": "bz2"}, {"compression": "snappy"}]

    def test_we_read_what_python_writes(self):
        for settings in self.SETTINGS:
            with self.subTest(settings), tempfile.TemporaryDirectory() as folder:
                write(f"{folder}/set", 60, size_limit=4000, **settings)
                ours = read_by_us(f"{folder}/set")
                self.assertEqual(len(ours), 60)
                self.assertEqual(ours, payloads(f"{folder}/set"))
                verified = subprocess.run([STREAMING, f"--local={folder}/set", "--verify"],
                                          capture_output=True, text=True)
                self.assertEqual(verified.returncode, 0, verified.stderr)

    def test_python_reads_what_we_write(self):
        for settings in self.SETTINGS:
            with self.subTest(settings), tempfile.TemporaryDirectory() as folder:
                write(f"{folder}/set", 60, size_limit=4000)
                arguments = [f"--compression={settings.get('compression', '')}",
                             f"--hashes={','.join(settings.get('hashes', []))}"]
                os.mkdir(f"{folder}/ours")
                subprocess.run([COPY, f"--from={folder}/set", f"--to={folder}/ours",
                                "--size_limit=4000", *arguments], check=True)
                algorithm = settings["hashes"][0] if "hashes" in settings else None
                theirs = StreamingDataset(local=f"{folder}/set", batch_size=1)
                ours = StreamingDataset(local=f"{folder}/ours", batch_size=1,
                                        validate_hash=algorithm)
                self.assertEqual(len(ours), 60)
                for i in range(60):
                    self.assertTrue(same(ours[i], theirs[i]), i)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
