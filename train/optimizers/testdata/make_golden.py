"""Writes sgd_golden.json: five steps of torch.optim.SGD, and of the same with decay apart.

Made with torch 2.11.0. usage: make_golden.py > sgd_golden.json

The decoupled cases follow Composer's DecoupledSGDW (0.32): the momentum step of torch.optim.SGD without
weight decay, and p <- p * (1 - lr / initial_lr * weight_decay) before it.
"""

import json
import sys

import torch

FACTORS = [1.0, 0.9, 0.5, 0.1, 0.0]
CASES = [
    dict(lr=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False),
    dict(lr=0.1, momentum=0.9, dampening=0.0, weight_decay=0.01, nesterov=False),
    dict(lr=0.1, momentum=0.9, dampening=0.0, weight_decay=0.01, nesterov=True),
    dict(lr=0.1, momentum=0.5, dampening=0.25, weight_decay=0.1, nesterov=False),
]


def run(case, decoupled):
    parameter = torch.linspace(-1, 1, 7).requires_grad_()
    options = dict(case, weight_decay=0.0 if decoupled else case["weight_decay"])
    optimizer = torch.optim.SGD([parameter], **options)
    steps = []
    for step, factor in enumerate(FACTORS):
        optimizer.param_groups[0]["lr"] = case["lr"] * factor
        parameter.grad = torch.cos(torch.arange(7.0) + step)
        if decoupled:
            with torch.no_grad():
                parameter.mul_(1 - factor * case["weight_decay"])
        optimizer.step()
        steps.append(parameter.tolist())
    return dict(case, decoupled=decoupled, steps=steps)


cases = [run(case, decoupled) for case in CASES for decoupled in (False, True)]
json.dump({"torch": torch.__version__, "factors": FACTORS, "cases": cases}, sys.stdout, indent=1)
print()
