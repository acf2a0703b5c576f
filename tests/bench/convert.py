"""Seconds to convert a folder for each class to MDS, side by side in one run: the Python converter of
mosaicml-streaming (streaming.vision.convert.imagenet) and //tools:convert on the same pictures.

usage: convert.py --from=DIR --work=DIR [--convert=PATH_TO_BINARY] [--split=train] [--threads=2]

DIR holds SPLIT/CLASS/*.jpg or .jpeg. Needs mosaicml-streaming 0.13.0 and torchvision (see
tests/interop/requirements.txt). Both check the headers of each picture, keep its bytes, shuffle and
hash shards by xxh64; the folder is in the page cache. Ours is measured once more as it is by default,
where each picture is decoded. The best of three counts.
"""

import argparse
import contextlib
import io
import os
import shutil
import subprocess
import time


def best(run, out, times=3):
    seconds = []
    for _ in range(times):
        shutil.rmtree(out, ignore_errors=True)
        start = time.time()
        run()
        seconds.append(time.time() - start)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="source", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--convert", default="bazel-bin/tools/convert/convert")
    parser.add_argument("--split", default="train")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    from streaming.vision.convert import imagenet

    out = os.path.join(args.work, "out")
    options = argparse.Namespace(
        in_root=args.source, out_root=out, splits=args.split, compression="", hashes="xxh64",
        size_limit=1 << 26, progress_bar=0, leave=0, validate=1, extensions="jpeg,jpg")

    def python():
        with contextlib.redirect_stdout(io.StringIO()):
            imagenet.main(options)

    def ours(*flags):
        subprocess.run(
            [args.convert, f"--from={args.source}", f"--to={out}", "--splits=train",
             f"data.class_folders.train_split={args.split}", f"--num_threads={args.threads}", *flags],
            check=True, stdout=subprocess.DEVNULL)

    files = sum(len(names) for _, _, names in os.walk(os.path.join(args.source, args.split)))
    peer = best(python, out)
    print(f"{'mosaicml-streaming':34s} {peer:8.2f} s  {files / peer:8.0f} pictures/s", flush=True)
    for name, flags in (("ours, headers checked as there", ["--check=headers"]),
                        ("ours, each picture decoded", [])):
        seconds = best(lambda: ours(*flags), out)
        print(f"{name:34s} {seconds:8.2f} s  {files / seconds:8.0f} pictures/s  "
              f"{peer / seconds:.1f} x", flush=True)
    shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    main()
