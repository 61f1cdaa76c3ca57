"""Several processes that train one run together, one per graphics card, on one machine.

Gradients are averaged by one explicit exchange between the backward pass and clipping, and not by
wrapping the model in DistributedDataParallel: a loss here calls many maps of a method (embedders
one by one, a forward derivative of one of them, heads), every stage trains other parameters, and a
wrapper sees one forward call of one module only. It also leaves the names of weights alone.

How rows are shared is in ``rivae.models.nets.share``. Messages between processes are JSON. They
meet through a file and talk over the loopback interface, which nobody outside this machine reaches.
One process leads and writes the run folder; for the others it is a ``Follower``.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError
from rivae.models.base import Method
from rivae.models.nets.layers import RandomLayer
from rivae.models.nets.share import Share, exchanging
from rivae.runs import Run
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.records import MetricsLog
from rivae.training.models import Models

# The others wait while the first one measures, writes or unfolds; a crash is noticed at once.
PATIENCE = timedelta(hours=12)
Value = TypeVar("Value")


class Group:
    """The processes that train a run together; by default just this one, with nothing to exchange.

    The process of rank 0 leads: only it writes files, measures and decides. Every method but the
    first two has to be called by all processes in the same order, and raises PeerLostError, a
    KeyboardInterrupt, when another process has ended.
    """

    def __init__(self, rank: int = 0, size: int = 1, local_rank: int = 0) -> None:
        self.rank, self.size, self.local_rank = rank, size, local_rank
        self.share = Share(rank, size)

    @property
    def leads(self) -> bool:
        """Whether this process writes, measures and decides."""
        return self.rank == 0

    def device(self, name: str) -> torch.device:
        """The device of this process for a run on the device ``name``: each process has a card."""
        if self.size > 1 and name != "cpu":
            return torch.device("cuda", self.local_rank)
        return torch.device(name)

    def wait(self) -> None:
        """Wait until all processes have come this far."""
        if self.size > 1:
            with exchanging():
                dist.all_reduce(torch.zeros(1))

    def broadcast(self, value: Value) -> Value:
        """The value that the leading process calls this with, anything that JSON can hold."""
        if self.size == 1:
            return value
        text = json.dumps(value).encode() if self.leads else b""
        length = torch.tensor([len(text)])
        with exchanging():
            dist.broadcast(length, 0)
            message = torch.zeros(int(length), dtype=torch.uint8)
            if self.leads:
                message = torch.frombuffer(bytearray(text), dtype=torch.uint8)
            dist.broadcast(message, 0)
        content: Value = json.loads(message.numpy().tobytes())
        return content

    def same(self, tensors: Iterable[Tensor]) -> None:
        """Overwrite these tensors with those of the leading process."""
        if self.size > 1:
            with exchanging(), torch.no_grad():
                for tensor in tensors:
                    dist.broadcast(tensor, 0)

    def table(self, make: Callable[[], Tensor], device: torch.device) -> Tensor:
        """The table that the leading process makes, float32, on ``device``."""
        if self.size == 1:
            return make().to(device)
        source = make().to(device).contiguous() if self.leads else None
        shape = self.broadcast(list(source.shape) if source is not None else [])
        table = torch.empty(shape, device=device) if source is None else source
        self.same([table])
        return table

    def average(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace gradients by their means over the processes, in one exchange."""
        if self.size == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
        with exchanging():
            dist.all_reduce(flat)
        flat /= self.size
        parts = flat.split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def step(self, tick: Callable[[], None] | None) -> None:
        """Call the leading process's ``tick``; when that interrupts, all are interrupted.

        Raises:
            KeyboardInterrupt: then.
        """
        if self.size == 1 or self.leads:
            try:
                if tick:
                    tick()
            except KeyboardInterrupt:
                self._broadcast_stop(True)
                raise
        if self._broadcast_stop(False):
            raise KeyboardInterrupt

    def _broadcast_stop(self, stop: bool) -> bool:
        if self.size == 1:
            return stop
        flag = torch.tensor([stop], dtype=torch.uint8)
        with exchanging():
            dist.broadcast(flag, 0)
        return bool(flag)

    def prepare(self, models: Models, n: int) -> None:
        """Make a model of ``n`` training pairs ready to see shares of its batches.

        Raises:
            ConfigError: it cannot train in several processes.
        """
        if self.size == 1:
            return
        method, stages, device = models.method, models.stages, models.device
        if models.stacked:
            raise ConfigError("runs that train as one batch take one process: resume them there")
        if not method.trains_in_shares:
            raise ConfigError(
                f"{method.title} cannot share its batches among {self.size} processes: train it "
                "in one process"
            )
        least = min([n, *(stage.batch_size for stage in stages if stage.epochs)])
        if least < self.size:
            raise ConfigError(
                f"batches of {least} pairs cannot be shared among {self.size} processes: train in "
                "fewer processes or raise batch_size"
            )
        has_batch_norm = any(isinstance(module, nn.BatchNorm2d) for module in method.modules())
        if has_batch_norm and device.type == "cpu":
            raise ConfigError(
                "networks with batch normalisation (small-resnet, resnet50-attention) share their "
                "batches on graphics cards only: train in one process, or with --device cuda"
            )
        if has_batch_norm:
            nn.SyncBatchNorm.convert_sync_batchnorm(method)
        for side in (1, 2):
            embedder = getattr(method, f"embedder{side}")
            for module in embedder.modules():
                if isinstance(module, RandomLayer):
                    module.share = self.share


@contextmanager
def joined(device: str) -> Iterator[Group]:
    """The group that this process was started in, for a run on ``device``.

    It is in the environment: RANK of WORLD_SIZE processes, with the card LOCAL_RANK, and
    RIVAE_MEETING, a file that is empty or missing whenever they are started.
    """
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Group()
        return
    group = Group(int(os.environ["RANK"]), size, int(os.environ.get("LOCAL_RANK", "0")))
    _stay_on_this_machine()
    backend = "gloo"
    if device != "cpu" and torch.cuda.device_count() > group.local_rank:
        # Messages go through the CPU: waiting there costs nothing and knows no watchdog.
        backend = "cpu:gloo,cuda:nccl"
        torch.cuda.set_device(group.local_rank)
    with exchanging():
        store = dist.FileStore(os.environ["RIVAE_MEETING"], size)  # type: ignore[attr-defined]
        store.set_timeout(PATIENCE)
        dist.init_process_group(
            backend, store=store, rank=group.rank, world_size=size, timeout=PATIENCE
        )
    # It ends with the process, which also informs the others after an error; see ``leave``.
    yield group


def _stay_on_this_machine() -> None:
    """Let gloo and NCCL listen on the loopback interface only, and on nothing for diagnosis."""
    names = {name for _, name in socket.if_nameindex()}
    loopback = "lo0" if "lo0" in names else "lo"  # of macOS, of Linux
    os.environ["GLOO_SOCKET_IFNAME"] = os.environ["NCCL_SOCKET_IFNAME"] = loopback
    os.environ["NCCL_RAS_ENABLE"] = "0"


def leave(code: int) -> None:
    """End this process now, with everything written: now and then the threads of a group abort a
    process that shuts them down properly, and it would be restarted.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class _Silent(MetricsLog):
    def append(self, row: dict[str, Any]) -> None:
        """Does nothing: the leading process writes this row."""

    def sync(self) -> None:
        """Nothing."""

    def truncate(self, last_epoch: int) -> None:
        """Nothing."""


class Follower(Run):
    """A run whose folder is written, and may still have to be created, by the leading process.

    Args:
        config: of a new run; read from the folder by default.
    """

    def __init__(self, path: Path, config: RunConfig | None = None) -> None:
        super().__init__(path)
        if config is not None:
            self.config = config

    @property
    def log(self) -> MetricsLog:
        """The rows so far; new ones are dropped."""
        return _Silent(super().log.path)

    @property
    def timing(self) -> MetricsLog:
        """The times so far; new ones are dropped."""
        return _Silent(super().timing.path)

    def set_status(self, **changes: Any) -> None:
        """Nothing."""

    def write_model(self, method: Method) -> None:
        """Nothing."""

    def write_preview(self, weights: Mapping[str, Tensor], stage: str = "", epoch: int = 0) -> None:
        """Nothing."""

    def write_evaluation(self, evaluation: Evaluation, or_elsewhere: bool = False) -> None:
        """Nothing."""
