import base64
import dataclasses
import io
import subprocess

import numpy as np
import pytest
from PIL import Image

from rivae.app.explore import state as explore
from rivae.app.panels.answers import next_rev
from rivae.app.panels.links import ExploreLink
from rivae.app.shared.uploads import KEPT, Kept, Upload, read_upload
from rivae.app.shell import cache
from rivae.base.errors import ConfigError
from rivae.data.pictures import PictureError
from tests.data.hostile_pictures import EPS, jpeg_of_scans, png
from tests.data.profiles import P3, as_srgb, matrix_profile
from tests.data.test_pictures import HONEST


@pytest.fixture
def start(digits):
    row = int(digits.search_rows[3])
    state, notes = explore.from_link(digits, "digits", ExploreLink(query=row, k=7), rev=0)
    assert not notes
    return state


def view(state, **changes):
    names = ("rev", "k", "only", "whole", "span", "by_effect")
    report = {name: getattr(state, name) for name in names}
    return {**report, "z": list(state.z), "locked": list(state.locked), **changes}


def reopened(digits, state):
    params = explore.to_link(digits, state).write()
    link, dropped = ExploreLink.read(params)
    assert not dropped
    again, notes = explore.from_link(digits, state.run, link, rev=0)
    assert not notes
    return again


def same_but_rev(a, b):
    return dataclasses.replace(a, rev=0, upload=None) == dataclasses.replace(b, rev=0, upload=None)


def test_a_query_starts_at_its_own_z(digits, start):
    expected = digits.encode(start.query)
    assert np.allclose(start.z, expected, atol=5.1e-5)
    assert start.z == start.base


@pytest.mark.parametrize("seed", range(5))
def test_a_link_restores_the_whole_state(digits, start, seed):
    rng = np.random.default_rng(seed)
    z = [float(v) for v in rng.normal(size=3).round(4)]
    z[seed % 3] = start.base[seed % 3]
    state = explore.commit(
        start, view(start, z=z, k=3, span=10, whole=seed % 2 == 0, by_effect=True, locked=[2, 0])
    )
    assert state.z == tuple(z) and state.locked == (0, 2)
    assert same_but_rev(reopened(digits, state), state)


def test_the_default_link_of_a_state_names_run_and_query_only(digits, start):
    state = dataclasses.replace(start, k=10)
    assert set(explore.to_link(digits, state).write()) == {"run", "q"}


def test_a_late_report_changes_nothing(start):
    assert explore.commit(start, view(start, rev=start.rev - 1, k=3)) is start


def test_a_commit_is_idempotent(start):
    once = explore.commit(start, view(start, z=[1, 2, 3]))
    assert explore.commit(once, view(once)) == once


@pytest.mark.parametrize(
    "changes",
    [
        {"only": 7},
        {"only": "x" * 101},
        {"k": 0},
        {"k": 99},
        {"k": None},
        {"span": 5},
        {"locked": [3]},
        {"locked": "0"},
        {"z": [1]},
    ],
)
def test_an_impossible_report_is_refused(start, changes):
    with pytest.raises(ConfigError):
        explore.commit(start, view(start, **changes))


def test_another_query_leaves_locked_dimensions_alone(digits, start):
    locked = explore.commit(start, view(start, z=[9, 9, 9], locked=[1]))
    other = explore.with_query(digits, locked, int(digits.search_rows[8]))
    assert other.z[1] == 9 and other.z[0] == other.base[0] and other.z[2] == other.base[2]
    assert other.base != start.base
    assert other.rev > locked.rev


def test_the_average_query_is_the_mean(digits, start):
    average = explore.with_query(digits, start, "mean")
    assert np.allclose(average.z, digits.mean, atol=5.1e-5)
    assert same_but_rev(reopened(digits, average), average)


def test_a_query_that_does_not_exist_is_refused(digits, start):
    with pytest.raises(ConfigError, match="no item"):
        explore.with_query(digits, start, 10**7)


def test_a_link_to_more_dimensions_says_what_is_left_out(digits):
    state, notes = explore.from_link(digits, "digits", ExploreLink(changes={0: 1.0, 8: 2.0}), rev=0)
    assert state.z[0] == 1.0 and len(state.z) == 3
    assert "z9" in notes[0]


def test_a_link_to_a_missing_item_falls_back_to_the_first(digits):
    state, notes = explore.from_link(digits, "digits", ExploreLink(query=10**7), rev=0)
    assert state.query == digits.search_rows[0]
    assert "no item" in notes[0]


NAME = "upload_" + "0123456789abcdef" * 2


def test_an_upload_comes_back_by_its_content(digits, start):
    upload = Upload(NAME, "mine.png", "data:image/png;base64,AAAA", (0.5, -0.25, 1.0))
    kept = Kept()
    kept.keep("model", upload)
    state = dataclasses.replace(explore.with_upload(start, upload), z=(0.5, 2.0, 1.0))
    link, dropped = ExploreLink.read(explore.to_link(digits, state).write())
    assert not dropped and link.upload == NAME
    again, notes = explore.from_link(digits, "digits", link, 0, kept.find("model", NAME))
    assert not notes and again.upload == upload
    assert again.z == (0.5, 2.0, 1.0) and again.base == upload.z
    assert kept.find("another model", NAME) is None, "z belongs to a model"


@pytest.mark.slow
def test_a_picture_of_another_world_says_so(digits, app):
    def as_png(image):
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return buffer.getvalue()

    own = read_upload(digits, "own.png", as_png(digits.data.picture(int(digits.search_rows[3]), 0)))
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    strange = read_upload(digits, "noise.png", as_png(Image.fromarray(noise)))
    assert not own.warning and strange.warning and "\n" not in strange.warning
    for upload in (own, strange):
        KEPT.keep(cache.model_key("digits"), upload)
        said = app("explore", run="digits", q=upload.name).warnings
        assert (strange.warning in said) is (upload is strange)


@pytest.mark.parametrize("content", [EPS, b"", jpeg_of_scans(500), png(size=(7_000, 7_000))])
def test_a_visitors_picture_passes_the_opener_of_all_pictures(digits, monkeypatch, content):
    monkeypatch.setattr(subprocess, "check_call", None)  # what starts Ghostscript
    with pytest.raises(PictureError) as error:
        read_upload(digits, f"{'long' * 99}.png", content)
    assert len(str(error.value)) <= 300 and ".png" in str(error.value)


@pytest.mark.parametrize("name", sorted(set(HONEST) - {"float tiff", "packed bmp"}))
def test_every_format_of_imports_is_a_query_too(digits, name):
    assert read_upload(digits, name, HONEST[name]).data_uri.startswith("data:image/")


def test_a_query_is_previewed_upright_and_in_srgb(digits):
    lying, tags = Image.new("RGB", (60, 120), (60, 180, 60)), Image.Exif()
    tags[0x0112] = 6
    lying.paste("black", (10, 5, 50, 40))  # a shape, away from the middle
    buffer = io.BytesIO()
    lying.save(buffer, "PNG", exif=tags.tobytes(), icc_profile=matrix_profile(P3, 2.2))
    upload = read_upload(digits, "phone.png", buffer.getvalue())
    shown = Image.open(io.BytesIO(base64.b64decode(upload.data_uri.partition(",")[2])))
    assert shown.width == 2 * shown.height
    middle = shown.convert("RGB").getpixel((shown.width // 2, shown.height // 2))
    assert np.abs(np.array(middle) - as_srgb((60, 180, 60), P3, 2.2)).max() < 9


def test_an_upload_that_is_gone_leaves_its_z_and_says_so(digits, start):
    upload = Upload(NAME, "mine.png", "data:image/png;base64,AAAA", (0.5, -0.25, 1.0))
    link = explore.to_link(digits, explore.with_upload(start, upload))
    again, notes = explore.from_link(digits, "digits", link, rev=0)
    assert again.z == again.base == upload.z, "no slider is displaced"
    assert notes == [explore.UPLOAD_GONE]
    assert explore.query_card(digits, again)["text"] == explore.CARD_GONE
    assert explore.to_link(digits, again).write() == link.write(), "the address stays"


def test_uploads_are_bounded_and_the_least_recently_used_goes_first():
    kept = Kept(max_bytes=3000)
    names = [f"upload_{n:032x}" for n in range(4)]
    for n in (0, 1):
        kept.keep("m", Upload(names[n], "a", "x" * 600, (0.0,)))
    kept.find("m", names[0])
    kept.keep("m", Upload(names[2], "a", "x" * 600, (0.0,)))
    assert [kept.find("m", name) is not None for name in names] == [True, False, True, False]
    kept.keep("m", Upload(names[3], "a", "x" * 9000, (0.0,)))
    assert [kept.find("m", name) for name in names] == [None] * 4, "too large to be kept"


def test_the_payload_holds_everything_for_the_first_picture(digits, start):
    payload = explore.payload(digits, start, "digits/test", "/api")
    assert payload["first"]["ids"] == [int(i) for i in digits.topk(np.array(start.z), 7).ids]
    assert len(payload["dims"]) == 3
    assert set(payload["first"]["items"]) == {str(i) for i in payload["first"]["ids"]}
    assert payload["query"]["title"] == digits.title(start.query)


def test_revs_grow():
    assert next_rev(0) > 10**12
    assert next_rev(10**15) == 10**15 + 1
