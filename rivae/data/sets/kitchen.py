"""Kitchen: 6,000 dishes with recipes, made by this project from eight known factors.

Synthetic throughout: pictures (3, S, S) are rendered, texts are written by a program, both from
eight ordinal factors (levels 1 to 5) and from private factors (``rivae.data.kitchen``). It comes
with the project, in the form that ``rivae import`` gives every data set. Where the rendered
pictures are not there, they are the drawn ones of ``kitchen-drawn``.
"""

from __future__ import annotations

from rivae.data.base import PairedDataset
from rivae.data.dataset import Dataset
from rivae.data.kitchens import KITCHEN, has_rendered, kitchen_folder
from rivae.data.sets.kitchen_drawn import open_drawn
from rivae.data.sets.pairs import PictureTextSettings, open_pairs
from rivae.data.sets.pairs import Settings as PairsSettings
from rivae.data.store.content import store_content
from rivae.data.vocabulary import Vocabulary

FOLDER = kitchen_folder()


class Settings(PictureTextSettings):
    """Settings of the kitchen; pictures are stored with 192 pixels, and its split is fixed."""


def content(settings: Settings) -> str:
    """A hash of the kitchen's files, which come with the project."""
    return store_content(kitchen_folder())


def load(settings: Settings, vocabulary: Vocabulary | None = None) -> PairedDataset:
    """Open the kitchen; its split is 70 / 15 / 15 %.

    Args:
        vocabulary: as in ``rivae.data.sets.pairs.load``.

    Returns:
        Views (3, S, S) and (V,), factors (N, 8) as codes 0 to 4.

    Raises:
        DataError: when its files are missing or damaged.
    """
    if not has_rendered():
        return open_drawn(KITCHEN, settings, vocabulary)
    data = open_pairs(KITCHEN, kitchen_folder(), PairsSettings(**settings.kept()), vocabulary)
    data.settings = settings.kept()
    return data


DATASET = Dataset(
    name="kitchen",
    title="Kitchen (synthetic)",
    blurb="Dishes and their recipes: make a dish sweeter, greener, crustier.",
    description=__doc__,
    settings=Settings,
    load=load,
    content=content,
    words=True,
    texts=True,
    smallest={"image_size": 16},
)
