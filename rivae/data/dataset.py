"""What a data set says of itself: one object in the file of its name in ``rivae/data/sets``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rivae.data.base import PairedDataset, Shape
from rivae.data.settings import DatasetSettings


@dataclass(frozen=True)
class Dataset:
    """A data set by name: its settings, and how its items are made or opened.

    Attributes:
        name: in commands, files and addresses; its file has this name ("_" for "-").
        title: what a table and a page call it.
        blurb: one line for a reader who has never heard of it.
        description: one line on what it holds; of a longer text, such as the docstring of its
            file, the first line.
        settings: the class of its settings; the command line checks them and the training form
            shows their titles, descriptions and bounds.
        load: makes or opens the items, ``load(settings)``; with ``words``
            ``load(settings, vocabulary)``, where ``vocabulary`` is that of a run or None.
        shapes: the shapes of the items of both views, called like ``load`` and without making any;
            None where they have to be made for it.
        content: where items are read from files, a hash of these.
        version: where a program makes the items, another one as soon as the same settings make
            other items.
        words: texts become numbers by a vocabulary, which a run keeps.
        texts: items have texts whose words can be counted (Words, names of axes).
        drawn_by: settings that get the number of a draw of the benchmark, where it is drawn.
        seeded_by: settings that get the seed of a run of the benchmark.
        smallest: settings with which a test makes it in a moment.
        presets: values of settings of the method that are better for these data than those of
            their shape, by the name of the preset ("default", "paper").
    """

    name: str
    title: str
    blurb: str
    settings: type[DatasetSettings]
    load: Callable[..., PairedDataset]
    description: str = ""
    shapes: Callable[..., tuple[Shape, Shape]] | None = None
    content: Callable[[Any], str] | None = None
    version: str = "1"
    words: bool = False
    texts: bool = False
    drawn_by: tuple[str, ...] = ()
    seeded_by: tuple[str, ...] = ()
    smallest: Mapping[str, Any] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """One line about it."""
        return (self.description or self.blurb).strip().splitlines()[0]
