import re
import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rivae.figures.palette import (
    DARK,
    LIGHT,
    contrast,
    luminance,
    rgb,
    sample,
    text_on,
)

ROOT = Path(__file__).resolve().parents[2]
# Severity 1.0 of Machado, Oliveira and Fernandes 2009, on linear RGB.
VISION = {
    "full": np.eye(3),
    "red-blind": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "green-blind": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "blue-blind": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip


def lab_seen(color, vision):
    c = np.array(rgb(color)) / 255
    linear = VISION[vision] @ np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(np.maximum(to_xyz @ np.clip(linear, 0, 1), 0) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_and_text_stand_out_from_their_surface(colors):
    for color in (*colors.series, colors.frame, colors.reference, colors.selection):
        assert contrast(color, colors.surface) >= 3
    for color in (colors.text, colors.muted):
        for surface in (colors.surface, colors.panel, *colors.bands):
            assert contrast(color, surface) >= 4.5


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_no_two_series_merge_for_any_reader(colors, vision):
    seen = [lab_seen(color, vision) for color in colors.series]
    closest = min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2))
    assert closest >= 10


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_more_is_farther_from_the_surface(colors):
    light = [luminance(sample(colors.sequential, t)) for t in np.linspace(0, 1, 41)]
    assert (np.diff(light) > 0).all() if colors.dark else (np.diff(light) < 0).all()
    middle = luminance(sample(colors.diverging, 0.5))
    ends = [luminance(colors.diverging[0]), luminance(colors.diverging[-1])]
    assert all(end > middle if colors.dark else end < middle for end in ends)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_in_cells_are_readable(colors):
    for scale in (colors.sequential, colors.diverging):
        for t in np.linspace(0, 1, 101):
            fill = sample(scale, t)
            assert contrast(text_on(fill), fill) >= 4.5


def test_surfaces_are_those_of_the_pages():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    for name, colors in (("light", LIGHT), ("dark", DARK)):
        page = config[name]
        assert page["backgroundColor"].lower() == colors.surface
        assert page["secondaryBackgroundColor"].lower() == colors.panel
        assert page["textColor"].lower() == colors.text


def test_colours_live_in_one_place():
    for path in (ROOT / "rivae" / "figures").glob("*.py"):
        if path.name != "palette.py":
            assert not re.findall(r"#[0-9a-fA-F]{6}\b", path.read_text()), path.name
