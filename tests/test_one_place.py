"""What the library does in one place only: opening pictures, writing files, writing tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.test_house import LIBRARY, imports, name, parse


def mentioning(*words: str) -> Iterator[Path]:
    """The files that could do it: parsing them all takes seconds."""
    for path in LIBRARY:
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield path


def called(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The last two names of whatever a file calls, and the call."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Call):
            yield ".".join(ast.unparse(node.func).split(".")[-2:]), node


# Pictures


OPENER = "rivae/data/pictures.py"
DECODERS = {"imageio", "cv2", "imagecodecs", "skimage", "tifffile", "matplotlib", "pillow_heif"}


def test_pictures_are_opened_in_one_place():
    found = set()
    for path in mentioning("PIL", *DECODERS):
        if imports(parse(path)) & DECODERS:
            found.add(name(path))
        for function, _ in called(path):
            if function in ("Image.open", "ImageFile.Parser"):
                found.add(name(path))
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PIL"):
                taken = {alias.name for alias in node.names}
                if taken & {"open", "Parser"} or any(n.endswith("ImagePlugin") for n in taken):
                    found.add(name(path))
    assert found == {OPENER}


def test_endings_of_pictures_are_named_in_one_place():
    assert [name(p) for p in mentioning('".jpeg"', '".tiff"', '".bmp"')] == [OPENER]
