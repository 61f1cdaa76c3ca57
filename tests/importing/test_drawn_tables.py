"""Tables as people write them: whatever way a table is written, what was drawn is imported.

Each example draws what the items are (titles, ingredients, tags, a number, a picture) and, apart
from that, how somebody wrote it down: the kind of file, separator, encoding, the writing of lists,
the names of picture files and where these lie. The import must give back the items.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import tempfile
import unicodedata
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from PIL import Image

from rivae.data.importing import run_import
from rivae.data.importing.plan import Plan
from rivae.data.store import PairStore

pytestmark = pytest.mark.slow

N = 31
# Words of one script each; with marks, without spaces, from right to left.
_LINES = {
    "English": "flour salt water butter eggs onion garlic rice milk beans",
    "French": "crème pâté œufs bœuf épinards maïs brûlée jambon thé piñata",
    "Vietnamese": "bò bơ bó phở nước mắm gừng tỏi ớt đường",
    "Russian": "мука соль вода яйцо лук чай сёмга йогурт рис мясо",
    "Hindi": "आलू दाल हल्दी चावल नमक पानी मिर्च घी अदरक टमाटर",
    "Thai": "ข้าว เกลือ น้ำตาล ไข่ กระเทียม พริก หมู ไก่ ปลา ผัก",
    "Arabic": "طحين ملح ماء زبدة بيض بصل ثوم أرز حليب فول",
    "Japanese": "バター ごま油 パン粉 じゃがいも 塩 水 卵 豆腐 ご飯 醤油",
    "Korean": "밀가루 소금 물 버터 달걀 양파 마늘 쌀 우유 콩",
}
WORDS = {script: line.split() for script, line in _LINES.items()}
LEGACY = {  # encodings that hold a script, besides Unicode's
    "English": ("cp1252",),
    "French": ("cp1252",),
    "Russian": ("cp1251", "koi8-r"),
    "Japanese": ("shift_jis", "euc_jp"),
    "Korean": ("cp949",),
}
AMOUNTS = ("2 cups", "1 tsp", "½ kg", "3", "100 g")
# What items may hold inside, which some writings cannot show.
INSIDE = ("", ", chopped", " (fresh)", "'s best", ' 5" long', "; sifted", " & more")


@dataclass
class Written:
    """A table and its pictures on the disk, and what they say."""

    table: Path
    images: list[Path]
    encoding: str
    titles: list[str]
    ingredients: list[list[str]]
    tags: list[list[str]]
    numbers: list[float]
    colours: list[tuple[int, int, int]]


def numpy_print(items: list[str]) -> str:
    """As pandas writes a column of arrays: no commas, and a line break now and then."""
    printed = [repr(item) for item in items]
    return "[" + "\n ".join(" ".join(printed[k : k + 2]) for k in range(0, len(printed), 2)) + "]"


def r_call(items: list[str]) -> str:
    return "c(" + ", ".join(json.dumps(item, ensure_ascii=False) for item in items) + ")"


# name -> how it is written, and the letters that no item may hold then.
WRITINGS: dict[str, tuple[Any, str]] = {
    "python": (repr, ""),
    "json": (lambda items: json.dumps(items, ensure_ascii=False), ""),
    "json escaped": (json.dumps, ""),
    "numpy": (numpy_print, ""),
    "array": (lambda items: f"array({items!r}, dtype=object)", ""),
    "r": (r_call, ""),
    "tuple": (lambda items: repr(tuple(items)), ""),
    "lines": ("\n".join, ""),
    "windows lines": ("\r\n".join, ""),
    "breaks": ("<br>".join, ""),
    "pipes": ("|".join, ""),
    "semicolons": ("; ".join, ";"),
    "commas": (", ".join, ",;"),
    "objects": (
        lambda items: json.dumps([{"ingredient": item} for item in items], ensure_ascii=False),
        "",
    ),
}
TAG_WRITINGS = ("python", "json", "numpy", "commas", "pipes", "semicolons")
FORMS = st.sampled_from(["NFC", "NFD"])


@st.composite
def written(draw: st.DrawFn, folder: Path) -> Written:
    """One table of N items, and how it is written."""
    script = draw(st.sampled_from(sorted(WORDS)))
    words, random = WORDS[script], draw(st.randoms(use_true_random=False))
    writing = draw(st.sampled_from(sorted(WRITINGS)))
    say, taboo = WRITINGS[writing]
    inside = [text for text in INSIDE if not set(text) & set(taboo)]

    def item() -> str:
        return f"{random.choice(AMOUNTS)} {random.choice(words)}{random.choice(inside)}"

    # A cell with one item says nothing about separators, so lists have two items or more.
    ingredients = [[item() for _ in range(random.randint(2, 4))] for _ in range(N)]
    titles = [f"{random.choice(words)} {random.choice(words)} {i}" for i in range(N)]
    tags = [random.sample(words[:6], random.randint(2, 3)) for _ in range(N)]
    numbers = [round(random.uniform(0, 500), 2) + i / 8 for i in range(N)]
    tag_say = WRITINGS[draw(st.sampled_from(TAG_WRITINGS))][0]

    kind = draw(st.sampled_from(["csv", "tsv", "txt", "jsonl", "json", "parquet", "csv.gz"]))
    encodings = ["utf-8", "utf-8-sig", "utf-16", *LEGACY.get(script, ())]
    encoding = "utf-8" if kind in ("parquet", "json") else draw(st.sampled_from(encodings))
    # An old encoding has composed letters only, and not all of the amounts.
    old = not encoding.startswith("utf")
    form = "NFC" if old else draw(FORMS)
    if old:
        ingredients = [[line.replace("½", "1/2") for line in lines] for lines in ingredients]
    real_lists = kind in ("jsonl", "json", "parquet") and draw(st.booleans())

    images, names, colours = pictures(draw, folder, words, FORMS if not old else st.just("NFC"))
    if draw(st.integers(0, 7)) == 0:
        images, names = [], in_cells(draw, colours, kind)
    columns: dict[str, list[Any]] = {
        "id": [f"x{i}" for i in range(N)],
        draw(st.sampled_from(["image", "Image_Path", "file name", "photo"])): names,
        draw(st.sampled_from(["title", "Name", "TITLE"])): [
            unicodedata.normalize(form, title) for title in titles
        ],
        draw(st.sampled_from(["ingredients", "Ingredients", "recipeIngredient"])): [
            lines if real_lists else say(lines)
            for lines in ([unicodedata.normalize(form, x) for x in lines] for lines in ingredients)
        ],
        draw(st.sampled_from(["tags", "keywords"])): [
            tag_say([unicodedata.normalize(form, tag) for tag in item]) for item in tags
        ],
        "kcal": numbers,
        "nobody reads this": [random.choice(words) for _ in range(N)],
    }
    order = draw(st.permutations(sorted(columns)))
    columns = {name: columns[name] for name in order}
    table = folder / f"t.{kind}"
    write(draw, table, columns, encoding)
    note(f"{script}, {writing}, {kind}, {encoding}, {form}, lists: {real_lists}, {images}")
    note(table.read_bytes()[:600])
    declared = encoding if old else "utf-8"
    return Written(table, images, declared, titles, ingredients, tags, numbers, colours)


def png(colour: tuple[int, int, int]) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (9, 9), colour).save(out, "PNG")
    return out.getvalue()


def in_cells(draw: st.DrawFn, colours: list[tuple[int, int, int]], kind: str) -> list[Any]:
    """The pictures themselves, as a table holds them."""
    how = draw(st.sampled_from(["uri", "bytes", "struct"] if kind == "parquet" else ["uri"]))
    if how == "uri":
        encoded = (base64.b64encode(png(colour)).decode() for colour in colours)
        return [f"data:image/png;base64,{text}" for text in encoded]
    contents = [png(colour) for colour in colours]
    return contents if how == "bytes" else [{"bytes": c, "path": None} for c in contents]


def pictures(
    draw: st.DrawFn, folder: Path, words: list[str], forms: st.SearchStrategy[str]
) -> tuple[list[Path], list[str], list[tuple[int, int, int]]]:
    """Pictures in a folder or a zip, how the table names them, and their colours."""
    colours = [(8 * i, 250 - 7 * i, 40 + 5 * i) for i in range(N)]
    nested = draw(st.booleans())
    stems = [f"{words[i % len(words)]} {i // 2 if nested else i}" for i in range(N)]
    below = [f"{'ab'[i % 2]}/" if nested else "" for i in range(N)]  # both have a picture 0
    top = draw(st.sampled_from(["", "data/", "data/photos/"]))
    on_disk = draw(FORMS)
    files = [
        unicodedata.normalize(on_disk, f"{top}{b}{s}.png")
        for b, s in zip(below, stems, strict=True)
    ]
    contents = [png(colour) for colour in colours]
    place = folder / "pictures.zip"
    if draw(st.booleans()):
        with zipfile.ZipFile(place, "w") as archive:
            for name, content in zip(files, contents, strict=True):
                archive.writestr(name, content)
            if draw(st.booleans()):  # as a Mac packs it
                for name in files:
                    archive.writestr(f"__MACOSX/{Path(name).parent}/._{Path(name).name}", b"\0")
    else:
        place = folder / "pictures"
        for name, content in zip(files, contents, strict=True):
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    said = draw(st.sampled_from(["whole", "end", "more", "backslash", "bare ending", "case"]))
    in_table = draw(forms)
    names = []
    for name, b, s in zip(files, below, stems, strict=True):
        shown = {
            "whole": name,
            "end": f"{b}{s}.png",
            "more": f"work/{name}",
            "backslash": f"C:\\work\\{name}".replace("/", "\\"),
            "bare ending": f"{b}{s}",
            "case": f"{b}{s}.PNG",
        }[said]
        names.append(unicodedata.normalize(in_table, shown))
    return [place], names, colours


def write(draw: st.DrawFn, table: Path, columns: dict[str, list[Any]], encoding: str) -> None:
    kind = table.suffixes[0]
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if kind == ".parquet":
        pq.write_table(pa.table(columns), table)
        return
    if kind == ".json":
        table.write_text(json.dumps(records, ensure_ascii=draw(st.booleans())), "utf-8")
        return
    out = io.StringIO()
    if kind == ".jsonl":
        escaped = draw(st.booleans())
        out.writelines(json.dumps(r, ensure_ascii=escaped) + "\n" for r in records)
    else:
        separator = "\t" if kind == ".tsv" else draw(st.sampled_from(",;\t"))
        empty = draw(st.integers(0, 2))  # columns that a spreadsheet adds
        if kind != ".tsv" and draw(st.booleans()):
            out.write(f"sep={separator}\r\n")
        writer = csv.writer(out, delimiter=separator, quoting=draw(st.sampled_from([0, 1])))
        writer.writerow([*columns, *[""] * empty])
        short = draw(st.booleans())  # the last cells of some rows are not written
        for k, record in enumerate(records):
            writer.writerow([*record.values(), *[""] * (empty if k % 2 or not short else 0)])
    content = out.getvalue().encode(encoding)
    table.write_bytes(gzip.compress(content, 1) if table.suffix == ".gz" else content)


@settings(max_examples=30)
@given(st.data())
def test_what_was_drawn_is_imported(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        drawn = data.draw(written(folder))
        plan = Plan(
            table=drawn.table,
            images=tuple(drawn.images),
            encoding=drawn.encoding,
            factors=("kcal",),
            name="drawn",
            root=folder / "data",
        )
        report = run_import(plan.source(), plan.settings())
        assert (report.taken, report.left_out) == (N, {}), report.lines()
        store = PairStore(folder / "data" / "drawn")
        for i in range(N):
            recipe = store.recipe(i)
            assert recipe.id == f"x{i}"
            assert recipe.title == drawn.titles[i]
            assert list(recipe.ingredients) == drawn.ingredients[i]
            assert list(recipe.tags) == drawn.tags[i]
            pixel = np.asarray(Image.open(io.BytesIO(store.picture_bytes(i))))[4, 4]
            assert np.abs(pixel.astype(int) - drawn.colours[i]).max() <= 6
        (kcal,) = store.manifest.factors
        assert kcal.kind == "continuous"
        np.testing.assert_allclose(store.factors[:, 0], drawn.numbers, rtol=1e-6)
        assert "nobody reads this" in "\n".join(report.lines())
