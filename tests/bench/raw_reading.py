"""Samples per second of raw reading (no decode), side by side in one run: mosaicml-streaming,
webdataset and //data:streaming on the same samples, each in its own format's shards.

usage: raw_reading.py --work=DIR [--streaming=PATH_TO_BINARY] [--samples=6000] [--bytes=35000]

Needs mosaicml-streaming 0.13.0 and webdataset 1.0.2 (see tests/interop/requirements.txt). Every
reader goes through an epoch of shuffled training order and touches every byte: ours copies each
payload into a buffer, as a decoder would read it; the Python readers make bytes objects. Each is run
with 0 and 2 worker processes (ours: threads); the best of three epochs counts. The sets are made
once and are in the page cache in all runs.
"""

import argparse
import json
import os
import subprocess
import time

import numpy as np


def make_sets(work, count, size):
    from streaming import MDSWriter
    import webdataset

    rng = np.random.default_rng(1)
    mds, tar = f"{work}/mds/train", f"{work}/tar/train"
    if not os.path.exists(f"{mds}/index.json"):
        with MDSWriter(out=mds, columns={"i": "int", "x": "bytes"}, size_limit=1 << 26) as writer:
            for i in range(count):
                writer.write({"i": i, "x": rng.bytes(int(size * (0.5 + (i % 100) / 100)))})
    if not os.path.exists(tar):
        os.makedirs(tar)
        with webdataset.ShardWriter(f"{tar}/shard-%06d.tar", maxsize=1 << 26) as writer:
            for i in range(count):
                payload = rng.bytes(int(size * (0.5 + (i % 100) / 100)))
                writer.write({"__key__": f"{i:08d}", "x": payload, "cls": str(i)})
    return mds, tar


def best_epoch(make, workers, epochs=3):
    """Samples/s of the best of some epochs of a torch DataLoader without collation."""
    import torch

    loader = torch.utils.data.DataLoader(
        make(), batch_size=64, num_workers=workers, collate_fn=len,
        persistent_workers=workers > 0)
    best = 0
    for _ in range(epochs):
        start, samples = time.time(), 0
        for batch in loader:
            samples += batch
        best = max(best, samples / (time.time() - start))
    return best


def mosaicml(mds):
    from streaming import StreamingDataset
    from streaming.base.util import clean_stale_shared_memory

    clean_stale_shared_memory()
    return StreamingDataset(local=mds, shuffle=True, batch_size=64)


def webdataset_reader(tar):
    import glob

    import webdataset

    return webdataset.WebDataset(sorted(glob.glob(f"{tar}/*.tar")), shardshuffle=100).shuffle(1000)


def ours(binary, threads, *overrides):
    best = {}
    for _ in range(3):
        line = subprocess.run(
            [binary, "--raw", "--json", "--split=train", f"--threads={threads}",
             "data.shuffle=true", *overrides],
            check=True, capture_output=True, text=True).stdout
        report = json.loads(line)
        if report["samples_per_second"] > best.get("samples_per_second", 0):
            best = report
    return best["samples_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", required=True)
    parser.add_argument("--streaming", default="bazel-bin/data/streaming/streaming")
    parser.add_argument("--samples", type=int, default=6000)
    parser.add_argument("--bytes", type=int, default=35000)
    args = parser.parse_args()
    mds, tar = make_sets(args.work, args.samples, args.bytes)
    shards = sorted(os.listdir(tar))
    pattern = "shard-{%s..%s}.tar" % (shards[0][6:12], shards[-1][6:12])

    peers = {"mosaicml-streaming": lambda: mosaicml(mds),
             "webdataset": lambda: webdataset_reader(tar)}
    rate = {}
    for name, make in peers.items():
        rate[name] = max(best_epoch(make, workers) for workers in (0, 2))
        print(f"{name:22s} {rate[name]:10.0f} samples/s", flush=True)
    mds_rate = max(ours(args.streaming, t, f"data.streaming.local={args.work}/mds") for t in (1, 2))
    tar_rate = max(ours(args.streaming, t, f"data.streaming.local={args.work}/tar",
                        "data.streaming.format=WEBDATASET", f"data.streaming.shards={pattern}")
                   for t in (1, 2))
    print(f"{'ours, MDS':22s} {mds_rate:10.0f} samples/s   "
          f"{mds_rate / rate['mosaicml-streaming']:.1f} x mosaicml-streaming")
    print(f"{'ours, WebDataset':22s} {tar_rate:10.0f} samples/s   "
          f"{tar_rate / rate['webdataset']:.1f} x webdataset")
    os._exit(0)  # the peers' workers do not always end by themselves


if __name__ == "__main__":
    main()
