"""How sure the axes are, as pages show it: a mark with a reason per slider, and nothing without."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from rivae.app.metrics.certainty import READING, TITLE
from rivae.app.panels.component import source
from rivae.app.work import certainty
from rivae.app.work.tasks import Task
from rivae.exploring.explorer import Explorer
from rivae.exploring.sliders import CERTAINTY
from rivae.runs import Run
from rivae.training.alignment.certainty import FITS, NO_FITS, kept_certainty

NAME = "digits-sure"


@pytest.fixture
def sure_run(run_folder, digits, tmp_path, monkeypatch):
    """A copy of "digits" with fits that hold some of its axes; not measured yet."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "no-demos")
    run = Run(shutil.copytree(run_folder / "digits", tmp_path / "runs" / NAME))
    config = json.loads((run.path / "config.json").read_text())
    (run.path / "config.json").write_text(json.dumps({**config, "name": NAME}))
    z = digits.retriever.encode(digits.data.splits["train"])[0]
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    noise = np.random.default_rng(0).normal(size=(2, len(z)))
    fits = [np.column_stack([z[:, 0], z[:, 1] + t * z[:, 0], noise[0]]) for t in (-1.0, 1.0)]
    run.unfolded.parent.mkdir(exist_ok=True)
    save_file({FITS: torch.tensor(np.stack(fits)).float()}, run.unfolded)
    monkeypatch.setattr(certainty, "_measuring", type(certainty._measuring)(9, RuntimeError, ""))
    return run


def test_every_slider_has_its_mark_and_its_reason(app, sure_run):
    found = Explorer.open(sure_run).certainty
    assert len(found) == 3 and {axis.verdict for axis in found} != {"sure"}
    for page in ("explore", "steer"):
        marks = app(page, run=NAME).panel()["marks"]
        assert [mark["verdict"] for mark in marks] == [axis.verdict for axis in found]
        for mark, axis in zip(marks, found, strict=True):
            assert mark["text"].startswith(CERTAINTY[axis.verdict])
            assert mark["text"].endswith(axis.reason(["z1", "z2", "z3"]))


def test_lists_of_axes_have_the_signs_and_reasons(app, sure_run):
    found = Explorer.open(sure_run).certainty
    names = ["z1", "z2", "z3"]
    listed = [f"{certainty.SIGNS[axis.verdict]} {names[axis.axis]}" for axis in found]
    page = app("traverse", run=NAME, view="Plane", a="z2", b="z3")
    for key, j in (("a_widget", 1), ("b_widget", 2)):
        chosen = page.at.selectbox(key=key)
        assert chosen.options == listed
        assert found[j].reason(names)[:20] in chosen.help.replace("\\", "")
    assert certainty.signed(None, names) == names and certainty.reasons((), names, [0]) is None


def test_metrics_has_the_table_of_the_marks(app, sure_run):
    found = Explorer.open(sure_run).certainty
    page = app("metrics", show="run", run=NAME, open_sure="true")
    table = next(c for c in page.components if json.loads(c.proto.json).get("label") == TITLE)
    data = json.loads(table.proto.json)
    assert [row["name"] for row in data["rows"]] == ["z1", "z2", "z3"]
    for row, axis in zip(data["rows"], found, strict=True):
        cells = dict(zip([c["id"] for c in data["columns"][1:]], row["cells"], strict=True))
        assert cells["verdict"]["main"] == CERTAINTY[axis.verdict]
        assert cells["agreement"]["main"] == f"{axis.agreement:.2f}"
        assert cells["reason"]["main"] == axis.reason(["z1", "z2", "z3"])
    assert READING in page.words and NO_FITS not in page.words


def test_without_fits_metrics_says_what_to_do(app, sure_run):
    sure_run.unfolded.unlink()
    page = app("metrics", show="run", run=NAME, open_sure="true")
    assert NO_FITS in page.words and READING not in page.words


def test_runs_without_fits_have_no_marks(app):
    assert app("explore", run="digits").panel()["marks"] == []
    assert app("compare", runs="digits,digits-turned").panel()["marks"] == []


def test_marks_come_when_the_background_has_measured_them(app, sure_run, monkeypatch):
    begun = []

    def begin(key, title, work, spec):
        begun.append((work, spec, Task(key, title, None)))
        return begun[-1][2]

    monkeypatch.setattr(certainty, "start_process", begin)
    shown = app("explore", run=NAME)
    assert shown.panel()["marks"] == [] and kept_certainty(sure_run) is None
    assert certainty.known_certainty(sure_run) is None and len(begun) == 1
    ((work, spec, task),) = begun
    assert work == f"{certainty.__name__}:{certainty.measure.__name__}"
    result = certainty.measure(spec, lambda stage, share: None)
    kept = kept_certainty(sure_run)
    assert kept and certainty.known_certainty(sure_run) == kept
    shown.at.run()
    assert len(shown.panel()["marks"]) == 3
    # Where the folder cannot be written, what the process has said is known all the same.
    shutil.rmtree(sure_run.path / "cache")
    task.running, task.result = False, result
    assert certainty.known_certainty(sure_run) == kept
    task.result = None  # it failed: no mark, and not tried again on every rerun
    assert certainty.known_certainty(sure_run) == () and len(begun) == 1


def test_a_mark_is_a_picture_with_a_text_that_describes_its_slider(page):
    from playwright.sync_api import expect

    page.set_content("<main></main>")
    page.add_script_tag(content=source("dom.js", "rows.js", "steer_head.js"))
    text = "Unsure: nobody knows <b>why</b>"
    page.evaluate(
        """([first, second]) => {
        const dims = ["z1", "z2"].map((name, j) => (
          { j, name, short: name, given: "", mean: 0, std: 1, effect: 0.5 }))
        const nothing = new Proxy({}, { get: () => () => {} })
        const row = new Row(dims[0], nothing), bare = new Row(dims[1], nothing)
        row.setMark(first)
        row.setMark(second)  // the newest counts
        bare.setMark(second)
        bare.setMark(undefined)
        document.querySelector("main").append(row.element, bare.element)
        }""",
        [{"verdict": "sure", "text": "Sure"}, {"verdict": "unsure", "text": text}],
    )
    mark = page.get_by_role("img", name=text)
    expect(mark).to_have_count(1)
    expect(mark).to_have_attribute("data-verdict", "unsure")
    expect(page.get_by_role("slider", name="z1")).to_have_accessible_description(text)
    expect(page.get_by_role("slider", name="z2")).to_have_accessible_description("")
    page.evaluate(
        """(mark) => {
        const heads = new AxisHeads({})
        const dims = ["z1", "z2"].map((name) => ({ name, short: name }))
        document.querySelector("main").replaceChildren(heads.element)
        heads.setMarks([undefined, mark])
        heads.show([1], dims, [0, 1], 2)
        }""",
        {"verdict": "plane", "text": text},
    )
    expect(page.get_by_role("img", name=text)).to_have_attribute("data-verdict", "plane")
    expect(page.get_by_test_id("axis")).to_have_accessible_description(text)
