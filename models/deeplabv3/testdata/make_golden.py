"""Writes deeplabv3_resnet50.json: what torchvision's DeepLabV3 computes.

Made with torch 2.11.0, torchvision 0.26.0, numpy 2.1.3, in float64 on one thread:
  python make_golden.py > deeplabv3_resnet50.json

No weights are stored: both sides fill every tensor by the rule of `values`. Of each gradient and
statistic the file holds the norm and four elements.
"""

import json
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
import torchvision

CLASSES = 5
SAMPLES, HEIGHT, WIDTH = 2, 33, 129


def uniform(name, count):
    """count numbers in [0, 1): 24 bits of SplitMix64 from the FNV-1a hash of the name on."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    with np.errstate(over="ignore"):
        x = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(
            0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(40)).astype(np.float64) / 2**24


def values(name, shape):
    """A tensor of the model: float32 numbers, by its name."""
    u = uniform(name, math.prod(shape))
    if name.endswith("running_var"):
        v = 1 + u
    elif len(shape) == 4:  # convolution: variance 2 / fan-in
        v = (2 * u - 1) * math.sqrt(6 / math.prod(shape[1:]))
    elif name.endswith("weight"):  # batch norm
        v = 0.5 + 0.5 * u
    else:
        v = 0.2 * u - 0.1
    return torch.from_numpy(v.astype(np.float32).astype(np.float64).reshape(shape))


def digest(tensor):
    """Norm and four elements, the last of each quarter."""
    flat = tensor.detach().reshape(-1)
    picks = [flat[(i + 1) * flat.numel() // 4 - 1].item() for i in range(4)]
    return [rounded(x) for x in [flat.norm().item()] + picks]


def rounded(x):
    return float(f"{x:.9g}")


def loss_of(logits, labels):
    """0.375 x cross entropy + 1.125 x Dice, as the recipes have it."""
    cross_entropy = F.cross_entropy(logits, labels, ignore_index=255)
    valid = labels != 255
    p = logits.softmax(1).permute(0, 2, 3, 1)[valid]
    t = F.one_hot(labels[valid], CLASSES)
    present = t.sum(0) > 0
    dice = 1 - (2 * (p * t).sum(0) + 1e-5) / (p.sum(0) + t.sum(0) + 1e-5)
    return 0.375 * cross_entropy + 1.125 * dice[present].mean()


def fill(model):
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if not name.endswith("num_batches_tracked"):
                tensor.copy_(values(name, tuple(tensor.shape)))


def main():
    torch.set_num_threads(1)
    model = torchvision.models.segmentation.deeplabv3_resnet50(
        weights=None, weights_backbone=None, num_classes=CLASSES).double()
    model.classifier[0].project[3].p = 0.0  # dropout
    fill(model)
    images = torch.from_numpy(uniform("images", SAMPLES * 3 * HEIGHT * WIDTH) * 4 - 2)
    images = images.reshape(SAMPLES, 3, HEIGHT, WIDTH)
    labels = torch.from_numpy(
        (uniform("labels", SAMPLES * HEIGHT * WIDTH) * (CLASSES + 1)).astype(np.int64))
    labels = labels.reshape(SAMPLES, HEIGHT, WIDTH)
    labels[labels == CLASSES] = 255

    golden = {"versions": f"torch {torch.__version__}, torchvision {torchvision.__version__}"}
    for mode in ["eval", "train"]:
        model.train(mode == "train")
        model.zero_grad()
        coarse = model.classifier(model.backbone(images)["out"])
        resized = F.interpolate(coarse, (HEIGHT, WIDTH), mode="bilinear", align_corners=False)
        loss = loss_of(resized, labels)
        loss.backward()
        golden[mode] = {
            "logits_shape": list(coarse.shape),
            "logits": [rounded(x) for x in coarse.detach().reshape(-1).tolist()],
            "loss": rounded(loss.item()),
            "gradients": {name: digest(p.grad) for name, p in model.named_parameters()},
        }
    golden["names"] = [name for name, _ in model.named_parameters()]
    golden["buffers"] = {
        name: digest(buffer.double()) for name, buffer in model.named_buffers()
        if not name.endswith("num_batches_tracked")
    }
    golden["backbone_parameters"] = {}
    for depth in [18, 34, 50, 101]:
        resnet = getattr(torchvision.models, f"resnet{depth}")(weights=None)
        count = sum(p.numel() for name, p in resnet.named_parameters() if not name.startswith("fc"))
        golden["backbone_parameters"][str(depth)] = count
    json.dump(golden, sys.stdout, indent=None, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
