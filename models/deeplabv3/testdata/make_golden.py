"""Writes deeplabv3_resnet50.json: what torchvision's DeepLabV3 computes.

Made with torch 2.11.0, torchvision 0.26.0, numpy 2.1.3, in float64 on one thread:
  python make_golden.py > deeplabv3_resnet50.json

Weights are those of models/golden_values.py. Of each gradient and
statistic the file holds the norm and four elements.
"""

import json
import os
import sys

import torch
import torch.nn.functional as F
import torchvision

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import golden_values

CLASSES = 5
SAMPLES, HEIGHT, WIDTH = 2, 33, 129


def loss_of(logits, labels):
    """0.375 x cross entropy + 1.125 x Dice, as the recipes have it."""
    cross_entropy = F.cross_entropy(logits, labels, ignore_index=255)
    valid = labels != 255
    p = logits.softmax(1).permute(0, 2, 3, 1)[valid]
    t = F.one_hot(labels[valid], CLASSES)
    present = t.sum(0) > 0
    dice = 1 - (2 * (p * t).sum(0) + 1e-5) / (p.sum(0) + t.sum(0) + 1e-5)
    return 0.375 * cross_entropy + 1.125 * dice[present].mean()


def main():
    torch.set_num_threads(1)
    model = torchvision.models.segmentation.deeplabv3_resnet50(
        weights=None, weights_backbone=None, num_classes=CLASSES).double()
    model.classifier[0].project[3].p = 0.0  # dropout
    golden_values.fill(model)
    images = golden_values.uniform_tensor("images", SAMPLES, 3, HEIGHT, WIDTH) * 4 - 2
    labels = (golden_values.uniform_tensor("labels", SAMPLES, HEIGHT, WIDTH) * (CLASSES + 1)).long()
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
            "logits": golden_values.all_of(coarse),
            "loss": golden_values.rounded(loss.item()),
            "gradients": golden_values.gradients(model),
        }
    golden["names"] = [name for name, _ in model.named_parameters()]
    golden["buffers"] = golden_values.statistics(model)
    golden["backbone_parameters"] = {}
    for depth in [18, 34, 50, 101]:
        resnet = getattr(torchvision.models, f"resnet{depth}")(weights=None)
        count = sum(p.numel() for name, p in resnet.named_parameters() if not name.startswith("fc"))
        golden["backbone_parameters"][str(depth)] = count
    json.dump(golden, sys.stdout, indent=None, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
