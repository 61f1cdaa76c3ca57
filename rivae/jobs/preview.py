"""Pictures of items retrieved along the axes of a model in training, drawn regularly.

They are in the run's folder, ``previews/epoch-00040.png`` for light pages and
``epoch-00040.dark.png`` for dark ones; photographs as WebP. The model is read from
``preview.safetensors``, so the numbers of the training stay the same to the last bit.
"""

from __future__ import annotations

import io
import logging
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rivae.base.errors import RunError
from rivae.base.files import write_atomic
from rivae.base.reading.regular import read_at_most
from rivae.runs import Run

if TYPE_CHECKING:
    from PIL import Image

    from rivae.data.base import PairedDataset
    from rivae.figures.sheet import Sheet
    from rivae.models.base import Method

KEEP = 12
MAX_PICTURE_BYTES = 4 * 2**20  # larger files were not written here
FOLDER = "previews"
_NAME = re.compile(r"epoch-(\d{5,9})(\.dark)?\.(png|webp)")


@dataclass(frozen=True)
class Preview:
    """The pictures after ``epoch`` epochs, for light and dark pages."""

    epoch: int
    light: Path
    dark: Path

    def content(self, dark: bool) -> bytes | None:
        """The encoded picture; None if it is gone or not a picture that ``draw`` wrote."""
        path = self.dark if dark else self.light
        try:
            picture = read_at_most(path, MAX_PICTURE_BYTES)
        except OSError:
            return None
        return picture if picture is not None and picture[:4] in (b"\x89PNG", b"RIFF") else None


def previews_of(run_folder: Path) -> list[Preview]:
    """The pictures of a run so far, by epoch."""
    paths_by_epoch: dict[int, dict[bool, Path]] = {}
    try:
        paths = sorted((run_folder / FOLDER).iterdir())
    except OSError:
        return []
    for path in paths:
        if name := _NAME.fullmatch(path.name):
            paths_by_epoch.setdefault(int(name[1]), {})[bool(name[2])] = path
    return [
        Preview(
            epoch,
            both.get(False, next(iter(both.values()))),
            both.get(True, next(iter(both.values()))),
        )
        for epoch, both in sorted(paths_by_epoch.items())
    ]


def file_name(epoch: int, dark: bool, ending: str) -> str:
    """The name of a picture's file."""
    return f"epoch-{epoch:05d}{'.dark' if dark else ''}.{ending}"


def thin_out(run_folder: Path, keep: int = KEEP) -> None:
    """Delete pictures until ``keep`` are left: the first, the last and others evenly between."""
    previews = previews_of(run_folder)
    while len(previews) > max(keep, 2):
        # Delete the one whose neighbours are closest to each other.
        gaps = [previews[i + 1].epoch - previews[i - 1].epoch for i in range(1, len(previews) - 1)]
        preview = previews.pop(1 + gaps.index(min(gaps)))
        for path in {preview.light, preview.dark}:
            path.unlink(missing_ok=True)


EVERY_S = 30.0  # at least, between two
MAX_SHARE = 0.03  # of the time, on average
MAX_FAILURES = 2
MAX_ITEMS, MAX_AXES = 1_000, 10
STEPS = (-2.0, -1.0, 0.0, 1.0, 2.0)  # s.d. of the axis over the training queries
REFERENCE_ROWS = 500
SCALE = 1.5
_PHOTO_COLOURS = 4096
log = logging.getLogger("rivae.jobs")


class Previews:
    """A listener of a trainer that draws when there is a new model and enough time has passed.

    Args:
        run: the run that trains in this process.
        every_s, share: see ``EVERY_S`` and ``MAX_SHARE``.
    """

    def __init__(self, run: Run, every_s: float = EVERY_S, share: float = MAX_SHARE) -> None:
        self.run, self.every_s, self.share = run, every_s, share
        self._data: PairedDataset | None = None
        # Of a model from before this process: its epoch is unknown.
        self._seen_stamp = self._stamp()
        self._epoch = 0  # of the model last written
        self._epoch_shown = 0
        self._next = 0.0
        self._failures = 0

    def __call__(self, row: dict[str, Any]) -> None:
        """After each epoch: draw if it is time. Raises nothing but KeyboardInterrupt."""
        epoch = row.get("epoch")
        if not isinstance(epoch, int):
            return
        stamp = self._stamp()
        if stamp is not None and stamp != self._seen_stamp:
            # The trainer saves after it calls its listeners, so this model is of the epoch before.
            self._seen_stamp, self._epoch = stamp, epoch - 1
        if self._epoch > self._epoch_shown and time.monotonic() >= self._next:
            self._draw(self._epoch)

    def finish(self) -> None:
        """Draw the finished model, unless drawing was slow."""
        try:
            epoch = self.run.status.epoch
        except RunError:
            return
        slow = self._next - time.monotonic() > 20 * self.every_s
        if self.run.ready and epoch > 0 and not slow:
            self._draw(epoch)

    def _stamp(self) -> tuple[int, int] | None:
        with suppress(OSError):
            stat = (self.run.path / "preview.safetensors").stat()
            return stat.st_ino, stat.st_mtime_ns
        return None

    def _draw(self, epoch: int) -> None:
        if self._failures >= MAX_FAILURES:
            return
        start = time.monotonic()
        try:
            if self._data is None:
                self._data = self.run.load_dataset()
            draw(self.run, epoch, self._data)
            self._epoch_shown = epoch
        except Exception:
            self._failures += 1
            log.exception("no pictures of epoch %d; training continues", epoch)
        took = time.monotonic() - start
        self._next = time.monotonic() + max(self.every_s, took / self.share)


def draw(run: Run, epoch: int, data: PairedDataset | None = None) -> list[Path]:
    """Write the pictures of the model of ``run`` after ``epoch``, and thin out older ones.

    The random state of the trainer in this process does not change.

    Returns:
        The pictures for light and for dark pages.

    Raises:
        RunError, DataError, OSError: there is no model, or the folder cannot be written.
    """
    import torch

    from rivae.figures.sheet import to_image

    data = run.load_dataset() if data is None else data
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        sheet = sheet_of(run.load_method(data, preview=True), data)
    folder = run.path / FOLDER
    folder.mkdir(exist_ok=True)
    pictures = []
    for dark in (False, True):
        content, ending = _encoded(to_image(sheet, scale=SCALE, dark=dark))
        pictures.append(folder / file_name(epoch, dark, ending))
        write_atomic(pictures[-1], content)
    thin_out(run.path)
    return pictures


def sheet_of(method: Method, data: PairedDataset) -> Sheet:
    """The pictures for one query: at most ten axes, five points each, of at most 1,000 items."""
    import numpy as np

    from rivae.figures.traversals import preview_sheet
    from rivae.retrieval.prior import aggregated_prior
    from rivae.retrieval.retriever import Retriever
    from rivae.retrieval.traversal import traverse

    rows = data.splits["test"][:MAX_ITEMS]
    rows = rows if len(rows) else np.arange(min(len(data), MAX_ITEMS))
    retriever = Retriever(method, data, rows)
    train = data.splits["train"]
    prior = aggregated_prior(*retriever.encode((train if len(train) else rows)[:REFERENCE_ROWS]))
    d = min(retriever.n_components, MAX_AXES)
    steps = np.array(STEPS)
    values = {j: prior.mean[j] + steps * max(float(prior.std[j]), 1e-6) for j in range(d)}
    z, _ = retriever.encode(rows[:1])
    traversal = traverse(retriever, z, values)
    words = ["mean" if s == 0 else f"{s:+.0f} s.d.".replace("-", "−") for s in STEPS]
    return preview_sheet(
        method.axis_names(retriever.n_components)[:d],
        traversal.ids[0, :, :, 0],
        lambda i: data.picture(i, 0 if data.shows_whole else 2),
        query=data.picture(int(rows[0]), 1),
        steps=words,
        title=data.title,
    )


def _encoded(image: Image.Image) -> tuple[bytes, str]:
    """A picture as a file: PNG for drawings, WebP for photographs."""
    image = image.convert("RGB")
    buffer = io.BytesIO()
    if image.getcolors(maxcolors=_PHOTO_COLOURS) is not None:
        image.save(buffer, "PNG", optimize=True)
        return buffer.getvalue(), "png"
    image.save(buffer, "WEBP", quality=80, method=4)
    return buffer.getvalue(), "webp"
