"""Kitchen: 6,000 drawn dishes with recipes, made by this project from eight known factors.

Synthetic throughout: pictures (3, S, S) are drawn, texts are written by a program, both from eight
ordinal factors (levels 1 to 5) and from private factors (``rivae.data.kitchen``). It comes with the
project, in the form that ``rivae import`` gives every data set.
"""

from __future__ import annotations

from rivae.base.errors import DataError
from rivae.base.installed import APP_FILES
from rivae.data.base import PairedDataset
from rivae.data.dataset import Dataset
from rivae.data.sets.pairs import PictureTextSettings, open_pairs
from rivae.data.sets.pairs import Settings as PairsSettings
from rivae.data.store.content import store_content
from rivae.data.vocabulary import Vocabulary

FOLDER = APP_FILES / "assets" / "kitchen"


class Settings(PictureTextSettings):
    """Settings of the kitchen; pictures are stored with 128 pixels, and its split is fixed."""


def content(settings: Settings) -> str:
    """A hash of the kitchen's files, which come with the project."""
    return store_content(FOLDER)


def load(settings: Settings, vocabulary: Vocabulary | None = None) -> PairedDataset:
    """Open the kitchen; its split is 70 / 15 / 15 %.

    Args:
        vocabulary: as in ``rivae.data.sets.pairs.load``.

    Returns:
        Views (3, S, S) and (V,), factors (N, 8) as codes 0 to 4.

    Raises:
        DataError: when its files are missing or damaged.
    """
    if not (FOLDER / "store.json").is_file():
        raise DataError(
            "the kitchen's files are missing in assets/kitchen: get them again, or make them with "
            "`python -m rivae.cli.demo --only kitchen-data`"
        )
    data = open_pairs("kitchen", FOLDER, PairsSettings(**settings.kept()), vocabulary)
    data.settings = settings.kept()
    return data


DATASET = Dataset(
    name="kitchen",
    title="Kitchen (synthetic)",
    blurb="Drawn dishes and their recipes: make a dish sweeter, greener, crustier.",
    description=__doc__,
    settings=Settings,
    load=load,
    content=content,
    words=True,
    texts=True,
    smallest={"image_size": 16},
)
