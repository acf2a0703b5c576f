"""MosaicML's vision classes and webdataset read what //tools:convert makes of each set.

usage: convert_interop_test.py CONVERT_BINARY
"""

import glob
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import webdataset
from PIL import Image
from streaming.base.util import clean_stale_shared_memory
from streaming.vision import StreamingADE20K, StreamingCIFAR10, StreamingCOCO, StreamingImageNet

CONVERT = os.path.abspath(sys.argv[1])
RNG = np.random.default_rng(7)


def write(path, contents):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(contents)


def encoded(array, kind, **settings):
    file = io.BytesIO()
    Image.fromarray(array).save(file, kind, **settings)
    return file.getvalue()


def picture(height, width):
    return RNG.integers(0, 256, (height, width, 3), dtype=np.uint8)


def convert(source, out, *flags):
    subprocess.run(
        [CONVERT, f"--from={source}", f"--to={out}", "--size_limit=200kb", *flags], check=True)


def place(dataset, k):
    """Column i of a sample that was read: its place in the set that was converted."""
    shard, sample = dataset.spanner[k]
    return dataset.shards[shard][sample]["i"]


class Case(unittest.TestCase):
    def setUp(self):
        clean_stale_shared_memory()
        self.folder = tempfile.mkdtemp()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def tar_samples(self, split):
        """Samples of the WebDataset in "web", by key."""
        tars = sorted(glob.glob(self.path("web", split, "*.tar")))
        return {sample["__key__"]: sample for sample in webdataset.WebDataset(tars, shardshuffle=False)}


class CifarTest(Case):
    def test_pixels_and_labels(self):
        images = {}
        for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
            labels = RNG.integers(0, 10, 20, dtype=np.uint8)
            pixels = RNG.integers(0, 256, (20, 3, 32, 32), dtype=np.uint8)
            records = b"".join(bytes([y]) + x.tobytes() for x, y in zip(pixels, labels))
            write(self.path("in", "cifar-10-batches-bin", name + ".bin"), records)
            images.setdefault("val" if name == "test_batch" else "train", []).extend(
                zip(pixels.transpose(0, 2, 3, 1), labels))
        convert(self.path("in"), self.path("out"))
        convert(self.path("in"), self.path("web"), "--format=webdataset")
        for split in ("train", "val"):
            dataset = StreamingCIFAR10(
                local=self.path("out"), split=split, batch_size=1, transform=np.asarray)
            self.assertEqual(len(dataset), len(images[split]))
            order = []
            for k in range(len(dataset)):
                x, y = dataset[k]
                index = place(dataset, k)
                want, label = images[split][index]
                np.testing.assert_array_equal(np.asarray(x), want)
                self.assertEqual(y, label)
                order.append(index)
            self.assertEqual(sorted(order), list(range(len(dataset))))
            self.assertEqual(order == sorted(order), split == "val")
            tars = self.tar_samples(split)
            self.assertEqual(len(tars), len(images[split]))
            for i, (want, label) in enumerate(images[split]):
                sample = tars[f"{'train' if split == 'train' else 'test'}_{i:05d}"]
                np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(sample["png"]))), want)
                self.assertEqual(int(sample["cls"]), label)


class ImageNetTest(Case):
    def test_files_and_labels(self):
        files = {}
        for split in ("train", "val"):
            for label, wnid in enumerate(["n01440764", "n01443537", "n02105855"]):
                for i in range(7):
                    size = RNG.integers(8, 60, 2)
                    kind = "PNG" if (label, i) == (2, 3) else "JPEG"  # as one of ImageNet's is
                    contents = encoded(picture(*size), kind)
                    write(self.path("in", split, wnid, f"{wnid}_{i}.JPEG"), contents)
                    files.setdefault(split, []).append((f"{wnid}/{wnid}_{i}", contents, label))
        convert(self.path("in"), self.path("out"), "--compression=zstd:3", "--hashes=sha1,xxh64")
        convert(self.path("in"), self.path("web"), "--format=webdataset")
        for split in ("train", "val"):
            dataset = StreamingImageNet(
                local=self.path("cache"), remote=self.path("out"), split=split, batch_size=1,
                validate_hash="sha1", transform=np.asarray)
            self.assertEqual(len(dataset), len(files[split]))
            found = []
            for k in range(len(dataset)):
                x, y = dataset[k]
                index = place(dataset, k)
                _, contents, label = files[split][index]
                want = Image.open(io.BytesIO(contents))
                np.testing.assert_array_equal(np.asarray(x), np.asarray(want))
                self.assertEqual(y, label)
                found.append(index)
            self.assertEqual(sorted(found), list(range(len(dataset))))
            tars = self.tar_samples(split)
            for key, contents, label in files[split]:
                self.assertEqual(tars[key]["jpg"], contents)
                self.assertEqual(int(tars[key]["cls"]), label)


class Ade20kTest(Case):
    def test_images_and_masks(self):
        pairs = {}
        for folder, split in (("training", "train"), ("validation", "val")):
            for i in range(9):
                size = RNG.integers(8, 60, 2)
                image = encoded(picture(*size), "JPEG", quality=90)
                mask = encoded(RNG.integers(0, 151, size, dtype=np.uint8), "PNG")
                name = f"ADE_{split}_{i:08d}"
                write(self.path("in", "images", folder, name + ".jpg"), image)
                write(self.path("in", "annotations", folder, name + ".png"), mask)
                pairs.setdefault(split, []).append((name, image, mask))
        convert(self.path("in"), self.path("out"))
        convert(self.path("in"), self.path("web"), "--format=webdataset")
        for split in ("train", "val"):
            dataset = StreamingADE20K(local=self.path("out"), split=split, batch_size=1)
            self.assertEqual(len(dataset), 9)
            for k, (name, image, mask) in enumerate(pairs[split]):
                x, y = dataset[k]
                np.testing.assert_array_equal(np.asarray(x), np.asarray(Image.open(io.BytesIO(image))))
                np.testing.assert_array_equal(np.asarray(y), np.asarray(Image.open(io.BytesIO(mask))))
                tar = self.tar_samples(split)[name]
                self.assertEqual(tar["image.jpg"], image)
                self.assertEqual(tar["mask.png"], mask)


class CocoTest(Case):
    def test_boxes_are_those_of_the_python_converter(self):
        annotations = {
            "categories": [{"id": 1, "name": "person"}, {"id": 3, "name": "car"},
                           {"id": 90, "name": "toothbrush"}],
            "images": [], "annotations": []}
        contents = {}
        for i in range(1, 8):
            height, width = (int(n) for n in RNG.integers(20, 60, 2))
            contents[i] = encoded(picture(height, width), "JPEG")
            annotations["images"].append(
                {"id": i, "file_name": f"{i:012d}.jpg", "height": height, "width": width})
            for k in range((i - 1) % 4):
                box = [float(n) for n in RNG.random(4) * 10]
                annotations["annotations"].append(
                    {"id": 10 * i + k, "image_id": i, "category_id": [1, 3, 90][k], "bbox": box,
                     "segmentation": [[1, 1, 5, 1, 5, 5]], "iscrowd": 0})
        for split in ("train", "val"):
            for i in contents:
                write(self.path("in", split + "2017", f"{i:012d}.jpg"), contents[i])
            write(self.path("in", "annotations", f"instances_{split}2017.json"),
                  json.dumps(annotations).encode())
        convert(self.path("in"), self.path("out"), "--boxes")

        from streaming.vision.convert.coco import _COCODetection
        theirs = _COCODetection(self.path("in", "val2017"),
                                self.path("in", "annotations", "instances_val2017.json"))
        ours = StreamingCOCO(local=self.path("out"), split="val", batch_size=1)
        self.assertEqual(len(ours), len(theirs))
        for k in range(len(ours)):
            img, img_id, size, boxes, labels = ours[k]
            want = theirs[k]
            np.testing.assert_array_equal(np.asarray(img), np.asarray(want[0]))
            self.assertEqual((img_id, size), (want[1], want[2]))
            np.testing.assert_array_equal(boxes, want[3].numpy())
            np.testing.assert_array_equal(labels, want[4].numpy())
            self.assertEqual((boxes.dtype, labels.dtype), (np.float32, np.int64))


class MnistTest(Case):
    def test_pixels_and_labels(self):
        want = {}
        for split, name in (("train", "train"), ("val", "t10k")):
            pixels = RNG.integers(0, 256, (11, 28, 28), dtype=np.uint8)
            labels = RNG.integers(0, 10, 11, dtype=np.uint8)
            write(self.path("in", f"{name}-images-idx3-ubyte.gz"),
                  gzip.compress(struct.pack(">IIII", 2051, 11, 28, 28) + pixels.tobytes()))
            write(self.path("in", f"{name}-labels-idx1-ubyte.gz"),
                  gzip.compress(struct.pack(">II", 2049, 11) + labels.tobytes()))
            want[split] = pixels, labels
        convert(self.path("in"), self.path("out"), "--order=files")
        for split, (pixels, labels) in want.items():
            dataset = StreamingCIFAR10(
                local=self.path("out"), split=split, batch_size=1, transform=np.asarray)
            for k in range(11):
                x, y = dataset[k]
                np.testing.assert_array_equal(np.asarray(x), pixels[k])
                self.assertEqual(y, labels[k])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
