"""Writes golden.safetensors with the Python library. Made with safetensors 0.8.0, torch 2.11.0.

usage: make_golden.py golden.safetensors
"""

import sys

import torch
from safetensors.torch import save_file

tensors = {
    "layer.weight": torch.arange(6, dtype=torch.float32).reshape(2, 3) / 4,
    "layer.bias": torch.tensor([1.5, -2.0], dtype=torch.float64),
    "counter": torch.tensor(7, dtype=torch.int64),
    "half": torch.tensor([0.5, 2.0], dtype=torch.float16),
    "brain": torch.tensor([0.25], dtype=torch.bfloat16),
    "bytes": torch.tensor([0, 255, 3], dtype=torch.uint8),
    "mask": torch.tensor([True, False]),
    "a32": torch.tensor([-5], dtype=torch.int32),
    "short": torch.tensor([-300, 300], dtype=torch.int16),
    "tiny": torch.tensor([[-1], [1]], dtype=torch.int8),
    'quoted "\\ \n\x1f é': torch.tensor([1.0]),
    "empty": torch.zeros(0, 4),
}
save_file(tensors, sys.argv[1], metadata={"format": "pt"})
