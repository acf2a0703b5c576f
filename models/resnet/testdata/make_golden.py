"""Writes resnet.json: what torchvision's ResNets compute.

Made with torch 2.11.0, torchvision 0.26.0, numpy 2.1.3, in float64 on one thread:
  python make_golden.py > resnet.json

Weights are those of models/golden_values.py. Of each gradient and statistic the file holds the norm
and four elements.
"""

import json
import os
import sys

import torch
import torch.nn.functional as F
import torchvision

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import golden_values as golden

CLASSES = 7
SAMPLES, HEIGHT, WIDTH = 3, 65, 49


def record(model, images, labels, smoothing):
    result = {}
    for mode in ["eval", "train"]:
        golden.fill(model)
        model.train(mode == "train")
        model.zero_grad()
        logits = model(images)
        loss = F.cross_entropy(logits, labels, label_smoothing=smoothing)
        loss.backward()
        result[mode] = {
            "logits": golden.all_of(logits),
            "loss": golden.rounded(loss.item()),
            "gradients": golden.gradients(model),
        }
    result["statistics"] = golden.statistics(model)
    result["names"] = list(model.state_dict())
    return result


def main():
    torch.set_num_threads(1)
    images = golden.uniform_tensor("images", SAMPLES, 3, HEIGHT, WIDTH) * 4 - 2
    labels = (golden.uniform_tensor("labels", SAMPLES) * CLASSES).long()
    result = {"versions": f"torch {torch.__version__}, torchvision {torchvision.__version__}"}
    for depth in [18, 50, 101]:
        model = getattr(torchvision.models, f"resnet{depth}")(num_classes=CLASSES).double()
        result[f"RESNET{depth}"] = record(model, images, labels, smoothing=0.1)
    dilated = torchvision.models.resnet50(
        num_classes=CLASSES, replace_stride_with_dilation=[False, True, True]).double()
    result["dilated"] = record(dilated, images, labels, smoothing=0.0)
    result["parameters"] = {
        f"RESNET{depth}": sum(
            p.numel() for p in getattr(torchvision.models, f"resnet{depth}")().parameters())
        for depth in [18, 34, 50, 101, 152]}
    json.dump(result, sys.stdout, separators=(",", ":"))
    print()


main()
