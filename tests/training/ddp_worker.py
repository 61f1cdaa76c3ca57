"""What is started for ``test_ddp.py``: ROOT CONFIGS STOP.

Trains every configuration of the JSON file CONFIGS below ROOT in the processes of one group; with
STOP > 0 the leading process's tick interrupts it at that step. Each process writes how each
training ended into ``ROOT/<name>.rank<r>``.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch

from rivae.base.config import RunConfig
from rivae.base.errors import RivaeError
from rivae.jobs.launch import resume, train
from rivae.runs import Run
from rivae.training.distributed import joined, leave


class StopAt:
    def __init__(self, step):
        self.left = step

    def __call__(self):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def gradients(group):
    """Of a loss of all seven rows, for weights before and behind the embeddings and for both."""
    generator = torch.Generator().manual_seed(0)
    x, before, behind, both = (
        torch.randn(*shape, generator=generator) for shape in ((7, 3), (3, 2), (2, 2), (2,))
    )
    parameters = [torch.nn.Parameter(value) for value in (before, behind, both)]
    before, behind, both = parameters
    group.share.start(7)
    v = group.share.whole((group.share.own(x) @ before).tanh() * both)
    scores = (v @ behind) @ v.T + both.sum()
    (scores.logsumexp(-1) - scores.diagonal()).mean().backward()
    group.average(parameters)
    names = ("before", "behind", "both")
    return {name: p.grad.numpy() for name, p in zip(names, parameters, strict=True)}


def main(root, configs, stop):
    with joined("cpu") as group:
        np.savez(root / f"gradients.rank{group.rank}.npz", **gradients(group))
        for text in json.loads(configs.read_text()):
            config = RunConfig.model_validate(text)
            there = group.broadcast((root / config.name).exists())
            tick = StopAt(stop)
            try:
                if there:
                    resume([Run(root / config.name)], tick=tick, group=group)
                else:
                    train([config], root, tick=tick, group=group)
                said = "done"
            except RivaeError as error:
                said = str(error)
            except KeyboardInterrupt as error:
                said = type(error).__name__
            (root / f"{config.name}.rank{group.rank}").write_text(said)
            group.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    leave(0)
