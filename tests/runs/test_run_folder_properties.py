"""Whatever stands in the files of one run: it is a broken one, and the others stay as they were."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import RivaeError
from rivae.benchmark.scores import scores
from rivae.cli import show
from rivae.jobs.history import RunHistory
from rivae.jobs.overview import entries, progress_of
from rivae.jobs.preview import previews_of
from rivae.jobs.tail import tail_rows
from rivae.runs import DEMO_ROOT, Run, list_runs
from rivae.runs.axis_names import read_names
from rivae.runs.evaluation_file import AGAIN, DAMAGED
from rivae.runs.notes import about, is_archived

pytest.importorskip("streamlit", reason="the extra 'app' is missing")
from rivae.app.shared.runs import describe_run, run_title
from rivae.benchmark.run_report import report_of

FILES = (
    "config.json",
    "status.json",
    "evaluation.json",
    "metrics.jsonl",
    "timing.jsonl",
    "alignment.json",
    "about.json",
    "axis_names.json",
)
# What readers stumble over: no JSON, or JSON that is too deep, too large or of another kind.
HOSTILE = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"NaN",
    b"[" * 5000,
    b"[" * 90 + b"]" * 90,
    b"9" * 5000,
    b"1e999",
    b"-" + b"9" * 400,
    b'"\\ud800"',
    b"\xff\xfe",
    b'{"a":' * 300,
    b"\n" * 11_000,
    b'{"retrieval": {"recall_at_1": "x"}}',
    b'{"retrieval": 5}',
    b'{"state": 5}',
    b'{"epoch": 1e308, "stage": {}}\n' * 3,
    b'"' + b"\x1b[2J" * 10 + b'"',
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([10**400, -1, 10**18, 1e308, "finished", "running", "\x1b[2J", "", "2026"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@cache
def _files() -> dict[str, bytes]:
    """The files of a whole run but for its weights."""
    demo = DEMO_ROOT / "demo-synth"
    found = {name: (demo / name).read_bytes() for name in FILES if (demo / name).is_file()}
    found["metrics.jsonl"] = b"\n".join(found["metrics.jsonl"].split(b"\n")[:12]) + b"\n"
    found["timing.jsonl"] = b'{"epoch": 1, "seconds": 0.1, "wall": 0.2}\n'
    found["about.json"] = b'{"version": 1, "note": "mine", "tags": ["a"], "archived": false}'
    names = {"version": 1, "axes": [{"dim": 0, "name": "x", "direction": 1}]}
    found["axis_names.json"] = json.dumps(names).encode()
    assert set(found) == set(FILES)
    return found


@contextlib.contextmanager
def _two_runs() -> Iterator[Path]:
    """A folder with the runs "good" and "odd", and no others beside them."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "runs"
        for name in ("good", "odd"):
            (root / name).mkdir(parents=True)
            for file, content in _files().items():
                (root / name / file).write_bytes(content)
        places = {"RIVAE_RUNS": str(root)}
        nowhere = mock.patch("rivae.runs.folders.DEMO_ROOT", root.parent / "none")
        with nowhere, mock.patch.dict(os.environ, places):
            yield root


def _changed(draw: st.DataObject, content: bytes) -> bytes:
    """The file of a stranger: cut, with other bytes, or with another value somewhere in it."""
    how = draw.draw(st.sampled_from(["hostile", "cut", "bytes", "value", "value", "value"]))
    if how == "hostile":
        return draw.draw(st.sampled_from(HOSTILE))
    at = draw.draw(st.integers(0, len(content) - 1))
    if how == "cut":
        return content[:at]
    if how == "bytes":
        return content[:at] + draw.draw(st.binary(min_size=1, max_size=3)) + content[at + 1 :]
    lines = content.split(b"\n") if content.count(b"\n{") else [content]
    root = [json.loads(lines[0])]
    place: Any = root
    key: Any = 0
    while isinstance(place[key], dict | list) and place[key] and draw.draw(st.integers(0, 4)):
        place = place[key]
        options = sorted(place) if isinstance(place, dict) else range(len(place))
        key = draw.draw(st.sampled_from(options))
    place[key] = draw.draw(VALUES)
    return b"\n".join([json.dumps(root[0]).encode(), *lines[1:]])


def _look_at(run: Run) -> None:
    """Everything that a list, a page or a report reads of a run."""
    describe_run(run), run_title(run), is_archived(run), previews_of(run.path)
    for read in (
        lambda: run.config,
        lambda: run.status,
        run.metrics,
        lambda: about(run),
        lambda: read_names(run.path / "axis_names.json", 2),
    ):
        with contextlib.suppress(RivaeError):
            read()
    tail_rows(run.log.path)
    RunHistory(run.path).look()
    with contextlib.suppress(RivaeError):
        report = run.evaluation
        if report is not None:
            report_of(report, "synth", "rivae")
            scores(report)


def _check(root: Path) -> dict[str, Any]:
    """The good run is in every list, as it was; what ``rivae runs`` says about each."""
    runs = list_runs([root])
    for entry in entries([], runs, root):
        progress_of(entry)
        assert entry.id != "good" or entry.state == "finished"
    for run in runs:
        _look_at(run)
    assert describe_run(Run(root / "good")).scores
    said = {}
    for as_json in (True, False):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            # As `rivae runs --all`, without making the parser of all commands every time.
            assert show._runs(Namespace(all=True, json=as_json)) == 0
        said[as_json] = out.getvalue()
        out.getvalue().encode()
    rows = {row["run"]: row for row in json.loads(said[True])}
    assert rows["good"]["state"] == "finished" and 0 < rows["good"]["R@1"] < 1
    assert len(said[False].splitlines()) == 1 + len(rows), "one line each"
    for row in rows.values():
        if row["state"] == "broken":
            assert row["message"] and row["message"].isprintable()
            assert row["message"] in said[False]
    return rows


@pytest.mark.slow
@given(st.data())
def test_one_odd_file_hides_no_other_run(data: st.DataObject) -> None:
    with _two_runs() as root:
        for name in data.draw(st.sets(st.sampled_from(FILES), min_size=1, max_size=2)):
            path = root / "odd" / name
            path.write_bytes(_changed(data, path.read_bytes()))
        _check(root)


@pytest.mark.parametrize("kind", ["pipe", "endless", "folder", "loop", "nothing"])
def test_what_is_no_file_is_not_waited_for(kind: str) -> None:
    with _two_runs() as root:
        for name in (*FILES, ".lock"):
            folder = shutil.copytree(root / "odd", root / f"odd-{name}")
            path = folder / name
            path.unlink(missing_ok=True)
            if name == ".lock":
                status = json.loads(_files()["status.json"])
                (folder / "status.json").write_text(json.dumps({**status, "state": "running"}))
            if kind == "pipe":
                os.mkfifo(path)
            elif kind == "folder":
                path.mkdir()
            elif kind != "nothing":
                path.symlink_to("/dev/zero" if kind == "endless" else path)
        rows = _check(root)
        assert rows["odd-status.json"]["state"] == "broken"
        assert "odd-config.json" not in rows, "no run without a configuration"
        if kind != "nothing":
            said = rows["odd-evaluation.json"]["message"]
            assert DAMAGED.format("evaluation.json") in said


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ({"retrieval": {"recall_at_1": "x"}}, "retrieval / recall_at_1"),
        ({"retrieval": 5}, "retrieval"),
        ({"factors": {"r2": {"score": "high"}}}, "factors / r2 / score"),
        ({"digits_ranges": [{"overlap": 1}]}, "digits_ranges / 0 / n_std"),
        ({"correlation": {"alpha_sensitivity": [{"rho": "exp"}]}}, "correlation"),
        ({"retrieval": {"median_rank": {"score": True}}}, "retrieval / median_rank / score"),
    ],
)
def test_a_broken_evaluation_is_one_row_with_its_reason(content: Any, where: str) -> None:
    with _two_runs() as root:
        (root / "odd" / "evaluation.json").write_text(json.dumps(content))
        odd = _check(root)["odd"]
        assert odd["state"] == "broken" and odd["data set"] == "synth"
        assert f"broken evaluation ({where}" in odd["message"]
        assert AGAIN in odd["message"]
        card = describe_run(Run(root / "odd"))
        assert card.note == odd["message"] and not card.scores and card.broken_evaluation
        assert card.action == "measure"


def test_stored_evaluations_read_as_they_stand() -> None:
    for path in DEMO_ROOT.glob("*/evaluation.json"):
        assert Run(path.parent).evaluation.document() == json.loads(path.read_bytes())
    with _two_runs() as root:
        newer = {"retrieval": {"recall_at_1": {"score": 0.5, "new": [1]}}, "also_new": {"a": 1}}
        (root / "odd" / "evaluation.json").write_text(json.dumps(newer))
        assert Run(root / "odd").evaluation.document() == newer


def test_any_name_may_stand_among_the_runs() -> None:
    with _two_runs() as root:
        for name in (b"\xff\xfe", b"a\x1b[2Jb\n", b"x" * 255):
            shutil.copytree(root / "good", os.fsdecode(os.fsencode(root) + b"/" + name))
        _check(root)
        assert len(list_runs([root])) == 5


def test_a_folder_without_the_right_is_a_row_and_a_root_without_it_is_passed_over() -> None:
    with _two_runs() as root:
        refuse = mock.patch.object(Path, "is_file", side_effect=PermissionError)
        with refuse:
            assert {run.id for run in list_runs([root])} == {"good", "odd"}
        with mock.patch.object(Path, "iterdir", side_effect=PermissionError):
            assert list_runs([root]) == []
