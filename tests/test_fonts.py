"""A text finds a font that has its letters; where none has, a sentence stands instead of boxes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rivae.base import fonts, system_fonts
from rivae.base.fonts import BUILT_IN, badly_joined, bundled, no_font, runs, without_font
from rivae.data.store.pixels import CARD_SIDE, title_card
from rivae.exploring.words.clouds import count_words
from rivae.figures.chart_letters import leave_out_letters
from rivae.figures.clouds import cloud_note, make_clouds, to_image, to_svg
from rivae.figures.fonts import font_note, text_box, text_width, wrapped
from rivae.figures.sheet import Sheet, Text
from rivae.figures.sheet import to_image as sheet_image
from tests.figures.drawn_fonts import draw_font, forget_fonts, forgotten_fonts

HINDI, KANA, RARE = "आलूप्याज", "バター", "𓀀𓀁"  # no font of this machine is looked at


@pytest.fixture(params=["fontconfig", "folders"])
def machine(request, tmp_path, monkeypatch) -> Iterator[Path]:
    """A machine whose only fonts lie in a folder, which is given."""
    folder = tmp_path / "fonts"
    folder.mkdir()
    if request.param == "folders":
        monkeypatch.setattr(system_fonts.shutil, "which", lambda program: None)
        monkeypatch.setattr(system_fonts, "_folders", lambda: [folder, tmp_path / "none"])
    elif shutil.which("fc-list") is None:
        pytest.skip("needs fontconfig")
    else:
        settings = tmp_path / "fonts.conf"
        settings.write_text(
            '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
            f"<dir>{folder}</dir><cachedir>{tmp_path / 'cache'}</cachedir></fontconfig>"
        )
        monkeypatch.setenv("FONTCONFIG_FILE", str(settings))
    with forgotten_fonts():
        yield folder


def names(text: str, **how: bool) -> list[tuple[str, str]]:
    return [
        (part, Path(face.path).stem if face else "") for part, face in runs(text, bundled(), **how)
    ]


def test_the_usual_font_draws_what_it_can_and_others_the_rest(machine):
    draw_font(machine / "Hindi.ttf", HINDI)
    draw_font(machine / "Kana.ttf", KANA, weight=400)
    assert names("crème brûlée") == [("crème brûlée", "DejaVuSans")]
    assert names(HINDI) == [(HINDI, "Hindi")]
    assert names(f"{KANA} (butter)") == [(f"{KANA} ", "Kana"), ("(butter)", "DejaVuSans")]
    assert names(f"{KANA}{HINDI}") == [(KANA, "Kana"), (HINDI, "Hindi")]
    assert names(f"{KANA} {RARE}") == [(f"{KANA} ", "Kana"), (RARE, "")]


def test_one_font_for_a_whole_text_is_better_than_several(machine):
    draw_font(machine / "A.ttf", KANA)
    draw_font(machine / "Both.ttf", f"{KANA}{HINDI} butter")
    assert names(f"butter {KANA} {HINDI}") == [(f"butter {KANA} {HINDI}", "Both")]
    # A mark is never drawn in another font than its letter.
    assert [part for part, _ in names(f"{RARE}\u093f")] == [f"{RARE}\u093f"]


def test_bold_finds_the_bold_font(machine):
    draw_font(machine / "Kana-Regular.ttf", KANA, "Kana Sans", 400)
    draw_font(machine / "Kana-Bold.ttf", KANA, "Kana Sans", 700)
    assert names(KANA) == [(KANA, "Kana-Regular")]
    assert names(KANA, bold=True) == [(KANA, "Kana-Bold")]


def test_damaged_fonts_are_passed_over(machine):
    (machine / "A.ttf").write_bytes(b"\0\1\0\0" + bytes(200))
    (machine / "B.ttc").write_bytes(draw_font(machine / "C.ttf", KANA).read_bytes()[:300])
    assert names(KANA) == [(KANA, "C")]


def test_without_a_font_a_sentence_names_the_scripts_and_the_fix(machine):
    assert without_font([f"chili {KANA}"]) == [KANA]
    note = font_note([KANA, HINDI, "chili", RARE])
    assert note.isascii() and "Katakana" in note and "Devanagari" in note and "Noto" in note
    assert no_font([]) == "" == font_note(["bread", "−3σ", "crème"])
    assert len(font_note(["".join(map(chr, range(0x900, 0x1100)))])) < 300


def ink(image: Image.Image) -> int:
    """Pixels that are not of the ground."""
    pixels = np.asarray(image.convert("L")).astype(int)
    return int((np.abs(pixels - pixels[-1, -1]) > 60).sum())


def drawn_cloud(words: list[str]) -> tuple[Image.Image, str]:
    clouds = make_clouds(count_words({"all": [0, 1]}, [words, words]))
    for word in words:
        assert word in to_svg(clouds, 0)  # whose reader has other fonts
    return to_image(clouds, scale=1), cloud_note(clouds)


def test_a_cloud_draws_its_words_or_says_why_not(machine):
    bare, note = drawn_cloud([KANA])
    assert note and ink(bare) < ink(drawn_cloud(["chili"])[0])
    draw_font(machine / "Kana.ttf", KANA)
    forget_fonts()
    full, note = drawn_cloud([KANA])
    assert not note and full.height < bare.height
    # Three full squares, each as wide as its letter goes.
    left, top, right, bottom = text_box(KANA, 100, bold=True)
    assert (right - left, bottom - top) == (pytest.approx(300, abs=2), pytest.approx(80, abs=2))
    assert ink(full) > 5_000


def test_words_of_other_fonts_do_not_overlap(machine):
    letters = [chr(code) for code in range(0x30A1, 0x30D0)]
    draw_font(machine / "Kana.ttf", "".join(letters))
    words = [letters[k] * (1 + k % 4) for k in range(25)] + ["chili", "pepper", "beans", "gyoza"]
    made = make_clouds(count_words({"all": [0]}, [words]), n_words=len(words))
    boxes = []
    for w, word in enumerate(made.counts.words):
        left, top, right, bottom = (v / 200 * made.size(0)[w] for v in text_box(word, 100, True))
        half = right - left, bottom - top
        x, y = made.layout.x[w], made.layout.y[w]
        boxes.append((x - half[0], y - half[1], x + half[0], y + half[1]))
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left > -2 and top > -2 and right < made.layout.width + 2
        for other in boxes[:i]:
            over = (
                min(right, other[2]) - max(left, other[0]),
                min(bottom, other[3]) - max(top, other[1]),
            )
            assert min(over) < 3


def test_a_sheet_draws_its_labels_or_says_why_not(machine):
    def sheet() -> Image.Image:
        labels = [Text(10, 10, KANA), Text(290, 40, f"{KANA} x", anchor="end", underlined=True)]
        return sheet_image(Sheet(300, 60, "labels", labels), scale=1)

    bare = sheet()
    assert bare.height > 60 and ink(bare.crop((0, 0, 200, 30))) == 0
    draw_font(machine / "Kana.ttf", KANA)
    forget_fonts()
    full = sheet()
    assert full.height == 60 and ink(full.crop((0, 0, 200, 20))) > 200
    assert ink(full.crop((292, 0, 300, 60))) == 0  # it ends where it should


def test_a_card_draws_its_title_or_says_why_not(machine):
    assert np.array_equal(title_card(KANA), title_card(HINDI))
    assert not np.array_equal(title_card("chili"), title_card(KANA))
    assert np.array_equal(title_card("chili"), title_card(f"chili{RARE}"))
    draw_font(machine / "Kana.ttf", KANA)
    forget_fonts()
    long = np.asarray(title_card(KANA * 20))
    assert long.shape == (CARD_SIDE, CARD_SIDE) and not np.array_equal(long, title_card(KANA))
    assert (long[:, -6:] == 128).all()  # broken into lines, not cut
    assert not np.array_equal(title_card("crème"), title_card("crme"))


def test_lines_are_broken_where_a_script_is_written_without_spaces(machine):
    draw_font(machine / "Kana.ttf", KANA)
    lines = wrapped(KANA * 5, 60, 11, max_lines=9)
    assert "".join(lines) == KANA * 5 and len(lines) > 2
    assert all(text_width(line, 11) <= 60 for line in lines)


def test_a_chart_leaves_out_what_the_browser_would_draw_as_boxes(machine):
    draw_font(machine / "Kana.ttf", f"{KANA}é")
    figure = {
        "data": [{"x": [HINDI, HINDI[:2], KANA, "é"], "y": np.arange(4), "customdata": [HINDI]}],
        "layout": {"title": {"text": f"{HINDI} é"}},
    }
    taller = leave_out_letters(figure, "#123456")
    shown = figure["data"][0]["x"]
    assert taller > 0 and shown[2:] == [KANA, "é"] and len(set(shown)) == 4
    assert not set(HINDI) & set("".join(shown)) and figure["data"][0]["customdata"] == [HINDI]
    assert figure["layout"]["title"]["text"].startswith(" é")
    (note,) = figure["layout"]["annotations"]
    assert "Devanagari" in note["text"] and "Katakana" not in note["text"]
    assert leave_out_letters({"data": [{"x": ["é"]}], "layout": {}}, "#123456") == 0


def test_without_the_library_that_joins_letters_that_is_said(monkeypatch):
    monkeypatch.setattr(fonts.features, "check", lambda name: False)
    assert "fribidi" in badly_joined([HINDI])
    assert badly_joined(["chili", KANA]) == ""
    monkeypatch.undo()


def test_pillows_own_font_is_known_by_its_letters():
    assert runs("plain", BUILT_IN) == (("plain", BUILT_IN),)
    assert without_font(["plain"], BUILT_IN) == []
