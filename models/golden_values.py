"""What the scripts that write golden values have in common: see golden_values.h, its other side.

No weights are stored: both sides fill every tensor by the rule of `values`.
"""

import math

import numpy as np
import torch


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


def uniform_tensor(name, *shape):
    return torch.from_numpy(uniform(name, math.prod(shape))).reshape(shape)


def values(name, shape):
    """A tensor of a model: float32 numbers, by its name."""
    u = uniform(name, math.prod(shape))
    if name.endswith("running_var"):
        v = 1 + u
    elif len(shape) == 4:  # convolution: variance 2 / fan-in
        v = (2 * u - 1) * math.sqrt(6 / math.prod(shape[1:]))
    elif len(shape) == 2:  # linear: variance 1 / fan-in
        v = (2 * u - 1) * math.sqrt(3 / shape[1])
    elif name.endswith("weight"):  # batch norm
        v = 0.5 + 0.5 * u
    else:
        v = 0.2 * u - 0.1
    return torch.from_numpy(v.astype(np.float32).astype(np.float64).reshape(shape))


def fill(model):
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if not name.endswith("num_batches_tracked"):
                tensor.copy_(values(name, tuple(tensor.shape)))


def rounded(x):
    return float(f"{x:.9g}")


def digest(tensor):
    """Norm and four elements, the last of each quarter."""
    flat = tensor.detach().reshape(-1)
    picks = [flat[(i + 1) * flat.numel() // 4 - 1].item() for i in range(4)]
    return [rounded(x) for x in [flat.norm().item()] + picks]


def all_of(tensor):
    return [rounded(x) for x in tensor.detach().reshape(-1).tolist()]


def gradients(model):
    return {name: digest(p.grad) for name, p in model.named_parameters()}


def statistics(model):
    return {
        name: digest(buffer.double()) for name, buffer in model.named_buffers()
        if not name.endswith("num_batches_tracked")
    }
