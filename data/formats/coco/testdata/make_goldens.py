"""Writes golden_masks.json and golden_labels.json: masks and labels as pycocotools gives them.

Made with Python 3.11.7, pycocotools 2.0.11 and numpy 2.4.6. Run it in this folder; the same
versions write the same bytes.

golden_labels.json is of instances_small.json, which is written by hand. Image 12 has no size there
and gets that of its picture, 7x5. Boxes are those of streaming/vision/convert/coco.py of
mosaicml-streaming 0.13: Python's floats, rounded to float32.
"""

import json
import math
import random

import numpy as np
from pycocotools import mask as coco

SIZES = [(1, 1), (5, 7), (64, 48), (480, 640)]  # height, width
PICTURES = {12: (5, 7)}
IGNORE = 255


def flat(points):
    return [value for point in points for value in point]


def star(rng, height, width, corners):
    """A concave outline around a point of the image, cut off at its borders, in hundredths."""
    cx, cy = rng.uniform(0, width), rng.uniform(0, height)
    radius = rng.uniform(1, max(height, width) / 2)
    points = []
    for i in range(corners):
        r = radius * rng.uniform(0.3, 1)
        angle = 2 * math.pi * i / corners
        x, y = cx + r * math.cos(angle), cy + r * math.sin(angle)
        points.append((round(min(max(x, 0), width), 2), round(min(max(y, 0), height), 2)))
    return flat(points)


def nasty(_, height, width):
    """Lists of polygons that have been trouble somewhere."""
    h, w = float(height), float(width)
    box = [0.0, 0.0, w, 0.0, w, h, 0.0, h]
    yield [box]
    yield [[-3.7, -2.2, w + 5, -2.2, w + 5, h + 9.3, -3.7, h + 9.3]]  # around the image
    yield [[w + 1, 0, w + 9, 0, w + 9, h]]  # outside it
    yield [[-9.0, -9.0, -1.0, -9.0, -1.0, h]]
    yield [[0.3, 0.3, 0.7, 0.3, 0.7, 0.7, 0.3, 0.7]]  # within one pixel, around its centre
    yield [[0.6, 0.6, 0.9, 0.6, 0.9, 0.9]]  # and not
    yield [[0, 0, w / 2, h / 2, w, h]]  # on a line
    yield [[w / 2, 0, w / 2, h, w / 2, h / 3]]
    yield [[w / 3, h / 3] * 3]  # one point
    yield [[0, 0, w, h, w, 0, 0, h]]  # crosses itself
    yield [box + box[:2]]  # closed, with its first point again
    yield [box + box]  # twice around: nothing is inside
    yield [[0, 0, w, 0, w, 0, w, h, w, h, 0, h]]  # points twice
    yield [box, box]
    yield [[0, 0, w / 2, 0, w / 2, h, 0, h], [w / 2, 0, w, 0, w, h, w / 2, h]]  # side by side
    yield [[0.5, 0.5, w - 0.5, 0.5, w - 0.5, h - 0.5, 0.5, h - 0.5]]
    yield [[0.2999999, 0.1, w - 0.1, h / 3 + 1 / 3, 0.7, h - 0.7]]
    yield [[-1e6, -1e6, 1e6, -1e6, 1e6, 1e6, w / 3, h / 7]]


def random_parts(rng, height, width):
    for corners in [3, 4, 7, 12, 30]:
        yield [star(rng, height, width, corners)]
    yield [star(rng, height, width, 5) for _ in range(4)]
    for _ in range(3):
        yield [[rng.uniform(-0.5 * side, 1.5 * side) for _ in range(rng.randint(3, 9))
                for side in (width, height)]]
    # Steep and in tenths of a pixel, where rounding decides.
    x = rng.randint(0, 10 * width)
    yield [flat(((x + rng.randint(-4, 4)) / 10, rng.randint(-20, 10 * height + 20) / 10)
                for _ in range(7))]


def polygon_golden(height, width, polygons):
    rle = coco.merge(coco.frPyObjects(polygons, height, width))
    return {"height": height, "width": width, "polygons": polygons,
            "text": rle["counts"].decode(), "area": int(coco.area(rle))}


def run_golden(height, width, counts):
    """Uncompressed runs, their text, and the pixels as rows of '0' and '1'."""
    rle = coco.frPyObjects({"size": [height, width], "counts": counts}, height, width)
    pixels = coco.decode(rle)
    return {"height": height, "width": width, "counts": counts, "text": rle["counts"].decode(),
            "area": int(coco.area(rle)), "rows": ["".join(map(str, row)) for row in pixels]}


def run_goldens(rng):
    yield 1, 1, [1]
    yield 1, 1, [0, 1]
    yield 5, 7, [35]
    yield 5, 7, [0, 35]
    yield 5, 7, [3, 0, 4, 5, 0, 0, 0, 20, 3]  # runs of length 0
    yield 5, 7, [0, 0, 0, 35, 0]
    yield 4, 3, [1] * 12
    for height, width in [(9, 4), (24, 32), (31, 33)]:
        left, counts = height * width, []
        while left:
            counts.append(rng.randint(1, min(left, 2 * height)))
            left -= counts[-1]
        yield height, width, counts


def semantic_mask(annotations, labels, height, width):
    """As MakeCocoMask documents it."""
    mask = np.zeros((height, width), np.uint8)
    layers = []
    for annotation in annotations:
        outline = annotation["segmentation"]
        if not outline:
            continue
        if isinstance(outline, list):
            rle = coco.merge(coco.frPyObjects(outline, height, width))
        elif isinstance(outline["counts"], list):
            rle = coco.frPyObjects(outline, height, width)
        else:
            rle = outline
        crowd = bool(annotation.get("iscrowd"))
        value = IGNORE if crowd else labels[annotation["category_id"]] + 1
        layers.append((crowd, -int(coco.area(rle)), value, coco.decode(rle)))
    for _, _, value, pixels in sorted(layers, key=lambda layer: layer[:2]):
        mask[pixels == 1] = value
    return mask.tolist()


def boxes(annotations, labels, height, width):
    sizes, found = [], []
    for annotation in annotations:
        if not annotation.get("bbox"):
            continue
        l, t, w, h = annotation["bbox"]
        r, b = l + w, t + h
        sizes += [float(np.float32(x)) for x in (l / width, t / height, r / width, b / height)]
        found.append(labels[annotation["category_id"]] + 1)
    return {"sizes": sizes, "labels": found}


def label_goldens():
    with open("instances_small.json", encoding="utf-8") as file:
        data = json.load(file)
    ids = sorted(category["id"] for category in data["categories"])
    labels = {category: label for label, category in enumerate(ids)}
    for image in sorted(data["images"], key=lambda image: image["id"]):
        height, width = PICTURES.get(image["id"], (image["height"], image["width"]))
        own = [a for a in data["annotations"] if a["image_id"] == image["id"]]
        yield {"id": image["id"], "height": height, "width": width,
               "mask": semantic_mask(own, labels, height, width),
               **boxes(own, labels, height, width)}


def write(path, **lists):
    with open(path, "w", encoding="ascii") as file:
        file.write("{")
        for i, (name, items) in enumerate(lists.items()):
            lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)
            file.write(f'{"," if i else ""}\n"{name}": [\n{lines}\n]')
        file.write("\n}\n")


def main():
    rng = random.Random(20170901)
    polygons = [polygon_golden(height, width, parts) for height, width in SIZES
                for maker in (nasty, random_parts) for parts in maker(rng, height, width)]
    runs = [run_golden(*arguments) for arguments in run_goldens(rng)]
    write("golden_masks.json", polygons=polygons, runs=runs)
    write("golden_labels.json", images=label_goldens())


if __name__ == "__main__":
    main()
