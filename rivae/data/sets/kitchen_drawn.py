"""Drawn kitchen: the 6,000 dishes that came with the project before there were rendered ones.

The same eight factors as in ``kitchen``, other pictures (3, S, S) and other words. The texts come
with the project; a picture is drawn when it is first asked for, 6,000 in about five minutes.
"""

from __future__ import annotations

import io

from rivae.base.errors import DataError
from rivae.data.base import PairedDataset
from rivae.data.dataset import Dataset
from rivae.data.kitchens import DRAWN, KITCHEN, KITCHEN_DRAWN
from rivae.data.sets.pairs import Pairs, PictureTextSettings, open_pairs
from rivae.data.sets.pairs import Settings as PairsSettings
from rivae.data.store import PairStore
from rivae.data.store.content import store_content
from rivae.data.store.layout import pictures_path
from rivae.data.vocabulary import Vocabulary

_SEED = 0


class Settings(PictureTextSettings):
    """Settings of the drawn kitchen; pictures have 128 pixels, and its split is fixed."""


class DrawnStore(PairStore):
    """The store of the drawn kitchen without its pictures, which it draws."""

    def picture_bytes(self, i: int) -> bytes:
        """The encoded picture of dish ``i``, as it was bundled."""
        from rivae.data.kitchen import draw, make_dish
        from rivae.data.kitchen.layout import WEBP_QUALITY

        self._place(i)
        out = io.BytesIO()
        draw(make_dish(_SEED, int(i))).save(out, "WEBP", quality=WEBP_QUALITY, method=6)
        return out.getvalue()


class DrawnKitchen(Pairs):
    """The drawn kitchen, which was the kitchen: what was kept of it by this name stays valid, and
    labels of its dishes are those of the kitchen's, which are the same.
    """

    @property
    def first_name(self) -> str:
        return KITCHEN

    @property
    def key_name(self) -> str:
        return KITCHEN


def drawn_store() -> PairStore:
    """The drawn kitchen's store.

    Raises:
        DataError: when its files are missing or damaged.
    """
    if not (DRAWN / "store.json").is_file():
        raise DataError(
            "the kitchen's files are missing in assets/kitchen: get them again, or make them with "
            "`python -m rivae.cli.demo --only kitchen-data`"
        )
    has_pictures = pictures_path(DRAWN, 0).is_file()
    return PairStore(DRAWN) if has_pictures else DrawnStore(DRAWN)


def open_drawn(
    name: str, settings: PictureTextSettings, vocabulary: Vocabulary | None = None
) -> PairedDataset:
    """The drawn kitchen as data set ``name``.

    Raises:
        DataError: when its files are missing or damaged.
    """
    asked = PairsSettings(**settings.kept())
    data = open_pairs(name, DRAWN, asked, vocabulary, drawn_store(), DrawnKitchen)
    data.settings = settings.kept()
    return data


def content(settings: Settings) -> str:
    """A hash of the drawn kitchen's files, as they were when its pictures were among them."""
    return store_content(DRAWN)


def load(settings: Settings, vocabulary: Vocabulary | None = None) -> PairedDataset:
    """Open the drawn kitchen; its split is 70 / 15 / 15 %.

    Args:
        vocabulary: as in ``rivae.data.sets.pairs.load``.

    Returns:
        Views (3, S, S) and (V,), factors (N, 8) as codes 0 to 4.

    Raises:
        DataError: when its files are missing or damaged.
    """
    return open_drawn(KITCHEN_DRAWN, settings, vocabulary)


DATASET = Dataset(
    name="kitchen-drawn",
    title="Kitchen, drawn (synthetic)",
    blurb="The same dishes as drawings: what the kitchen was before its pictures were rendered.",
    description=__doc__,
    settings=Settings,
    load=load,
    content=content,
    words=True,
    texts=True,
    smallest={"image_size": 16},
)
