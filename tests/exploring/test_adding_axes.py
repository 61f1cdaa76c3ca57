"""Axes that are asked for, on the demo runs: words, tags, factors, examples, labels, proposals."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

import rivae
from rivae.base.errors import ConfigError, DataError
from rivae.cli import main
from rivae.exploring.axes import adding, finder, proposing
from rivae.exploring.axes.adding import asked_spec
from rivae.exploring.axes.finder import AxisFinder, NamedDirection
from rivae.labels.align import align_axes
from rivae.labels.guideline import guideline, label_factor, read_guideline
from rivae.labels.guideline_axes import draft_guideline_axes, factor_lines
from rivae.metrics.matching import cross_correlation
from rivae.runs.added_axes import AxisSpec, added_axes


@pytest.fixture(scope="module")
def kitchen():
    """The demo kitchen, and a finder on a part of its rows."""
    run = rivae.load_run("demo-kitchen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finder, "MAX_FIT", 900)
        patch.setattr(finder, "MAX_HELD", 300)
        found = AxisFinder(run.explorer.retriever.model, run.data)
    return run, found


def correlation(kitchen, axis, factor):
    """Of the reading of held-out items with a true factor."""
    run, found = kitchen
    k = [spec.name for spec in run.data.factor_specs].index(factor)
    return np.corrcoef(axis.at(found.held_z[0]), run.data.factors[found.held_rows, k])[0, 1]


def test_words_give_an_axis(kitchen):
    axis = kitchen[1].draft(AxisSpec("words", "soup broth water", "crackers bars"))
    (score,) = axis.scores
    assert score.asks == "first" and score.n == 300
    assert score.chance < score.low < score.score < score.high
    assert correlation(kitchen, axis, "wateriness") > 0.5
    assert axis.name == "soup broth water" and axis.poles == ("crackers bars", "soup broth water")
    turned = kitchen[1].draft(AxisSpec("words", "crackers bars", "soup broth water"))
    np.testing.assert_allclose(turned.reads, np.negative(axis.reads), atol=1e-9)


def test_a_factor_and_a_tag_give_an_axis(kitchen):
    of_factor = kitchen[1].draft(AxisSpec("factor", target="factor:fruit"))
    assert correlation(kitchen, of_factor, "fruit") > 0.8
    assert of_factor.name == "fruit" and of_factor.poles == ("no fruit", "full of fruit")
    of_tag = kitchen[1].draft(AxisSpec("tag", target="tag:soups-stews"))
    assert of_tag.scores[0].score > of_tag.scores[0].chance
    assert correlation(kitchen, of_tag, "wateriness") > 0.4


def test_examples_and_labels_give_an_axis(kitchen):
    run, found = kitchen
    ids, rows = run.data.item_ids(), found.fit_rows[:400]
    dessert = run.data.factors[rows, 6]
    sweet = tuple(ids[i] for i in rows[dessert == 4][:25])
    savory = tuple(ids[i] for i in rows[dessert == 0][:25])
    against = found.draft(AxisSpec("examples", items=sweet, against=savory), name="sweet")
    rest = found.draft(AxisSpec("examples", items=sweet))
    labelled = tuple((ids[i], float(v) + 1) for i, v in zip(rows[:40], dessert[:40], strict=True))
    few = found.draft(AxisSpec("labels", levels=labelled))
    for axis in (against, rest, few):
        assert correlation(kitchen, axis, "dessert") > 0.5
        assert axis.scores[0].score > axis.scores[0].chance
    assert against.name == "sweet" and rest.name == "25 items"
    typed = found.draft(AxisSpec("labels", "dessert cake pudding", levels=labelled[:8]))
    assert correlation(kitchen, typed, "dessert") > 0.4


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (AxisSpec("words", "chocolat"), "'chocolat'.*chocolate"),
        (AxisSpec("words", "xyzzy plugh"), "'xyzzy'"),
        (AxisSpec("words", "the"), "'the'.*nearly"),
        (AxisSpec("words", " \t"), "1 to 300"),
        (AxisSpec("words", "cake " * 90), "1 to 300"),
        (AxisSpec("words", "cake", "cake"), "ends.*equal"),
        (AxisSpec("words", "cake sugar", "Sugar, cakes"), "ends.*equal"),
        (AxisSpec("words", "cake", "xyzzy"), "'xyzzy'"),
        (AxisSpec("tag", target="tag:soupy"), "tag 'soupy'.*soups-stews"),
        (AxisSpec("factor", target="factor:fruity"), "factor 'fruity'.*fruit"),
        (AxisSpec("examples", items=("nope",)), "item 'nope'"),
        (AxisSpec("examples", items=("79f935f625",)), "1 marked"),
        (AxisSpec("labels", levels=(("79f935f625", 1.0),)), "1 labels"),
        (AxisSpec("proposed", "xyzzy"), "title.*'xyzzy'"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(kitchen, spec, says):
    with pytest.raises((ConfigError, DataError), match=says):
        kitchen[1].draft(spec)


def test_marked_items_on_both_sides_and_equal_labels(kitchen):
    run, found = kitchen
    ids = [run.data.item_ids()[i] for i in found.fit_rows[:8]]
    with pytest.raises(ConfigError, match="both"):
        found.draft(AxisSpec("examples", items=tuple(ids[:4]), against=tuple(ids[3:])))
    with pytest.raises(DataError, match=r"labels.*equal"):
        found.draft(AxisSpec("labels", levels=tuple((name, 3.0) for name in ids)))
    with pytest.raises(ConfigError, match="finite"):
        found.draft(AxisSpec("labels", levels=tuple((name, np.nan) for name in ids)))


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({}, "name one"),
        ({"tag": "a", "high": "b"}, "name one"),
        ({"items": ["a"], "levels": [("b", 1)]}, "name one"),
        ({"low": "a"}, "high"),
        ({"tag": "a", "against": ["b"]}, "compared"),
    ],
)
def test_an_axis_has_one_source(asked, says):
    with pytest.raises(ConfigError, match=says):
        asked_spec(**asked)


def test_unknown_words_are_said_and_others_count(kitchen):
    axis = kitchen[1].draft(AxisSpec("words", "soup xyzzy", "cakke bars"))
    unknown, _, near = axis.remark.partition(";")
    assert "cakke, xyzzy" in unknown and "cake" in near


def test_a_run_without_texts():
    digits = rivae.load_run("demo-digits")
    with pytest.raises(DataError, match=r"texts.*factor"):
        digits.axis_finder.draft(AxisSpec("words", "seven"))
    drafts = digits.propose_axes(4)
    assert len(drafts) == 4 and all(d.spec.target.startswith("factor:digit=") for d in drafts)
    with pytest.raises(ConfigError, match="1 to 50"):
        digits.propose_axes(0)


def test_proposals_read_well_and_repeat_nothing(kitchen):
    found = kitchen[1]
    families = proposing.family_proposals(found, 5)
    assert set(families) == set(proposing.FAMILIES)
    for axes in families.values():
        readings = np.stack([axis.at(found.finder.z) for axis in axes], axis=1)
        alike = np.abs(np.corrcoef(readings.T)) - np.eye(len(axes))
        assert alike.max() < proposing.TWINS
        assert all(axis.scores[0].score > axis.scores[0].chance for axis in axes)
    chosen = proposing.propose_axes(found, 5)
    scores = [proposing.own_score(found, axes) for axes in families.values()]
    at = [[a.spec for a in axes] for axes in families.values()].index([a.spec for a in chosen])
    assert scores[at] > max(scores) - proposing.TIE * len(scores)
    # They are found again from what they were asked with.
    assert found.draft(chosen[0].spec).reads == chosen[0].reads
    run = kitchen[0]
    factors = run.data.factors[found.held_rows]
    table = cross_correlation(np.stack([a.at(found.held_z[0]) for a in chosen], 1), factors)
    assert np.abs(table).max(axis=1).mean() > 0.4


def test_all_factors_of_a_guideline_at_once(kitchen):
    found = kitchen[1]
    food = read_guideline()
    drafts = draft_guideline_axes(found, food)
    assert next(axis.poles for axis in drafts) == ("dry", "liquid") and len(drafts) == 8
    levels = np.stack([found.levels_of(axis.spec)[0] for axis in drafts], axis=1)
    wanted = align_axes(found.finder.z, found.fit_z[0], levels, food.ids).change
    np.testing.assert_allclose(
        np.array([a.reads for a in drafts]).T, wanted.matrix[:, :8], rtol=1e-6
    )
    assert (
        np.mean([correlation(kitchen, a, f) for a, f in zip(drafts, food.ids, strict=True)]) > 0.3
    )
    own = guideline(
        "own",
        [
            label_factor(
                id="wet", name="wet", definition="d", levels=("dry", "b", "c", "soup", "water")
            )
        ],
    )
    assert factor_lines(own) == {"wet": ("dry, b", "soup, water")}
    assert factor_lines(own, {"wet": ("x", "y")}) == {"wet": ("x", "y")}
    with pytest.raises(ConfigError, match=r"factor 'dry'.*wet"):
        factor_lines(own, {"dry": ("x", "y")})


@pytest.mark.slow
def test_a_guideline_of_a_run(runs, kitchen, monkeypatch):
    run = rivae.load_run("demo-kitchen")
    run.__dict__["axis_finder"] = kitchen[1]
    axes = run.add_guideline_axes()
    assert [axis.id for axis in axes] == [f"a{k}" for k in range(1, 9)]
    assert axes[0].name == "wateriness" and axes[0].poles == ("dry", "liquid")
    assert added_axes(run._folder) == tuple(axes)


def test_what_an_axis_shares_and_moving_it_alone(kitchen):
    found = kitchen[1]
    first = found.draft(AxisSpec("factor", target="factor:dessert"))
    others = [NamedDirection("a1", "dessert", first.reads)]
    axis = found.draft(AxisSpec("words", "cake sugar dessert", "salt soup"), others=others)
    assert axis.shares[0].id == "a1" and axis.shares[0].correlation > 0.3
    alone, d = adding.alone(axis, others, found.finder.covariance), len(axis.reads)
    assert np.dot(alone, axis.reads) == pytest.approx(1)
    assert np.dot(alone, first.reads) == pytest.approx(0, abs=1e-9)
    assert adding.alone(first, [NamedDirection("a9", "same", first.reads)], np.eye(d)) is None


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_axes_are_kept_beside_the_latents(runs):
    run = rivae.load_run("demo-digits")
    before = run.axes
    axis = run.add_axis(factor="digit=3", name="three", poles=("other", "3"))
    assert run.axes[:-1] == before and run.axes[-1].added == axis
    shown = run.axes[-1]
    assert shown.id == axis.id == "a1" and shown.label == "a1 · three"
    assert shown.poles == ("other", "3") and 0 < shown.effect <= 1
    assert shown.low < shown.mean < shown.high and np.dot(
        shown.reads, shown.moves
    ) == pytest.approx(1)
    assert shown.moves_alone == ()  # all latents of this run have names: nothing is left to move
    z = run.encode(run.items[:3].tolist())
    np.testing.assert_array_equal(run.encode(run.items[:3].tolist()), z)  # the model is unchanged
    assert run.effects("a1").axis == run.effects("Three").axis == run.effects(shown).axis == "three"
    second = run.add_axis(items=run.items[:5].tolist(), name="marked")
    assert second.id == "a2"
    assert rivae.load_run("demo-digits").axes[-1].id == "a2"
    path = next((runs / "axes").glob("*.json"))
    path.write_text("{")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(rivae.load_run("demo-digits").axes) == len(before)
    assert any("damaged" in str(one.message) for one in caught)
    with pytest.raises(DataError, match="damaged"):
        run.add_axis(factor="digit=3")


def test_another_model_is_asked_for_the_same_axes(runs):
    first = rivae.load_run("demo-digits").add_axis(factor="digit=3", name="three", poles=("a", "b"))
    lost = replace(first, name="lost", spec=AxisSpec("factor", target="factor:height"))
    other = rivae.load_run("demo-synth")
    kept, problems = adding.refit_axes(other._folder, other.axis_finder, [first, lost])
    assert kept == [] and [text.partition(":")[0] for text in problems] == ["three", "lost"]
    again = rivae.load_run("demo-digits")
    (axis,), problems = adding.refit_axes(again._folder, again.axis_finder, [first, lost])
    assert (
        problems
        and axis.id == "a2"
        and replace(axis, id="a1", shares=(), created="") == replace(first, shares=(), created="")
    )


@pytest.mark.slow
def test_the_command_adds_lists_bakes_and_removes(runs, capsys):
    def rivae_axes(*words):
        code = main(["axes", *words, "--json"])
        captured = capsys.readouterr()
        return code, json.loads(captured.out)

    code, (axis,) = rivae_axes("add", "demo-digits", "--factor", "digit=0", "--name", "zero")
    assert code == 0 and axis["id"] == "a1" and axis["name"] == "zero"
    code, drafts = rivae_axes("propose", "demo-digits", "--n", "2", "--keep")
    assert [draft["id"] for draft in drafts] == ["a2", "a3"]
    code, listed = rivae_axes("list", "demo-digits")
    assert [one["id"] for one in listed] == ["a1", "a2", "a3"]
    assert main(["axes", "list", "demo-digits"]) == 0
    assert "zero" in capsys.readouterr().out
    code, made = rivae_axes("bake", "demo-digits", "a3", "a1", "--as", "baked")
    assert code == 0 and made["run"] == "baked"
    baked, run = rivae.load_run("baked"), rivae.load_run("demo-digits")
    rows = run.items[:50].tolist()
    first = {axis.id: axis for axis in added_axes(run._folder)}
    np.testing.assert_allclose(
        baked.encode(rows)[:, :2],
        np.stack([first[i].at(run.encode(rows)) for i in ("a3", "a1")], axis=1),
        atol=1e-3,
    )
    assert baked.axes[1].name == "zero"
    found = [each.topk(each.encode(rows), 5).ids for each in (run, baked)]
    np.testing.assert_array_equal(found[0][:, 0], found[1][:, 0])
    code, (renamed,) = rivae_axes("rename", "demo-digits", "a1", "--name", "nought")
    assert code == 0 and renamed == {**axis, "name": "nought", "poles": ["", "digit: 0"]}
    assert rivae_axes("list", "demo-digits")[1][0] == renamed
    code, gone = rivae_axes("remove", "demo-digits", "a1", "a2")
    assert [one["id"] for one in gone] == ["a1", "a2"]
    assert [one["id"] for one in rivae_axes("list", "demo-digits")[1]] == ["a3"]
    for words, says in (
        (("remove", "demo-digits", "a1"), "'a1'"),
        (("remove", "demo-digits"), "remove"),
        (("rename", "demo-digits", "a3"), "--name NAME"),
        (("rename", "demo-digits", "a9", "--name", "x"), "'a9'"),
        (("rename", "demo-digits", "a3", "--name", "x" * 200), "name"),
        (("bake", "demo-digits"), "--as NAME"),
        (("list", "demo-digits", "a1"), "no ids"),
        (("add", "demo-digits"), "name one"),
        (("add", "demo-digits", "--guideline", "food", "--tag", "x"), "guideline"),
    ):
        code, answer = rivae_axes(*words)
        assert code == 1 and says in answer["error"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,2\n", "columns item"),
        ("", "columns item"),
        ("item,level\n0,x\n", "line 2"),
        ("item,level\n0,1\n0,2\n", "0 twice"),
        ("item,level\n0,1\n", "1 labels"),
        ("item,level\n" + "".join(f"{i},{i % 3}\n" for i in range(60)), ""),
        ("item,level\n" + "".join(f"digits:{i},{i % 3}\n" for i in range(60)), ""),
    ],
)
def test_labels_come_from_a_file(runs, tmp_path, capsys, content, says):
    path = tmp_path / "levels.csv"
    path.write_text(content)
    code = main(["axes", "add", "demo-digits", "--labels", str(path), "--name", "x", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert code == (1 if says else 0)
    assert says in answer["error"] if says else answer[0]["scores"][0]["n"] == 60
