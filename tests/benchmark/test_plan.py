"""What the command runs for which words."""

import json
from dataclasses import replace

import pytest

from rivae.base.errors import ConfigError
from rivae.benchmark.lines import ABLATION, TABLE_LINES
from rivae.benchmark.plan import SIZES, Cell, completed_row, plan, settings_json
from rivae.benchmark.rows import make_row
from rivae.benchmark.tables import VARIANTS
from rivae.cli import main
from rivae.cli.bench import count_or_range
from rivae.models.registry import METHODS


def test_the_default_is_every_table_with_every_method_once() -> None:
    cells = plan()
    assert len(set(cells)) == len(cells)
    # Imported pairs are the user's own and are named with --tables pairs.
    known = {d for lines in TABLE_LINES.values() for d in lines}
    assert {c.dataset for c in cells} == known - {"pairs"}
    for dataset in ("synth", "sprites", "split-mnist"):
        mine = [c for c in cells if c.dataset == dataset]
        usual = [c for c in mine if c.preset == "default"]
        assert {c.method for c in usual if not c.settings} == set(METHODS)
        assert [c.method for c in usual if c.settings == ABLATION] == ["rivae"]
        assert {c.draws for c in mine} == {tuple(range(4 if dataset == "synth" else 1))}
        assert {c.seeds for c in mine} == {(0, 1, 2, 3, 4)}


def test_filters_keep_what_they_name() -> None:
    cells = plan(tables=["sprites", "ablation"], datasets=["sprites"], methods=["rivae"], seeds=[7])
    assert [(c.dataset, c.method, c.settings, c.seeds) for c in cells] == [
        ("sprites", "rivae", (), (7,)),
        ("sprites", "rivae", ABLATION, (7,)),
    ]
    assert {c.preset for c in plan(tables=["synth"], presets=["default", "paper"])} == {
        "default",
        "paper",
    }
    assert [c.dataset for c in plan(datasets=["split-digits"], methods=["rivae"])] == [
        "split-digits"
    ]


def test_tables_that_share_a_cell_train_it_once() -> None:
    cells = plan(tables=["ablation", "synth"], datasets=["synth"], methods=["rivae"])
    assert [c.settings for c in cells] == [(), ABLATION]


def test_every_line_has_a_name_and_can_be_configured() -> None:
    cells = [cell for cell in plan(tables=["all"]) if cell.settings]
    assert {cell.settings_text for cell in cells} <= set(VARIANTS)
    for cell in cells:
        settings = cell.config(0, 0).method.settings
        for key, value in cell.settings:
            name, _, part = key.partition(".")
            found = settings[name][part] if part else settings[name]
            assert found == (list(value) if isinstance(value, tuple) else value)


def test_every_seed_of_sprites_has_its_own_split_in_one_line() -> None:
    cell = Cell("sprites", "rivae", "default", seeds=(0, 1))
    assert [c.dataset.settings["split_seed"] for c in cell.configs()] == [0, 1]
    assert len({settings_json(c) for c in cell.configs()}) == 1


def test_a_row_that_names_its_split_is_of_the_same_line() -> None:
    cell = Cell("sprites", "rivae", "default", seeds=(0,))
    older = json.loads(cell.settings_json)
    older["dataset"]["split_seed"] = 0
    row = make_row(dataset="sprites", method="rivae", config=json.dumps(older))
    assert completed_row(row)["config"] == cell.settings_json


def test_a_line_has_runs_of_any_processor() -> None:
    cell = Cell("split-mnist", "rivae", "default", seeds=(0,))
    on_card = replace(cell, place=(("device", "cuda"), ("precision", "bf16")))
    here, there = cell.config(0, 0).training, on_card.config(0, 0).training
    assert (here.device, here.precision) == ("cpu", "auto")
    assert (there.device, there.precision) == ("cuda", "bf16")
    assert on_card.settings_json == cell.settings_json and on_card.line_key == cell.line_key
    older = json.loads(cell.settings_json)
    older["training"] |= {"device": "cpu", "precision": "auto"}
    row = make_row(dataset="split-mnist", method="rivae", config=json.dumps(older))
    assert completed_row(row)["config"] == cell.settings_json


def test_the_literal_preset_needs_no_word() -> None:
    cells = plan(tables=["paper"])
    assert {cell.preset for cell in cells} == {"paper"} and len(cells) == 7


def test_changed_settings_are_lines_of_their_own() -> None:
    (cell,) = plan(tables=["synth"], methods=["rivae"], settings={"eta": [0.2, 0.2]})
    assert cell.settings_text == "eta=(0.2, 0.2)"
    assert cell.config(0, 0).method.settings["eta"] == [0.2, 0.2]
    assert cell.config(0, 0).name == "bench-synth-rivae-default-eta--0.2--0.2--d0-s0"
    many = {"eta": [0.2, 0.2], "joint_epochs": 3, "ivae_epochs": 7}
    (first,) = plan(tables=["synth"], methods=["rivae"], settings=many)
    (second,) = plan(tables=["synth"], methods=["rivae"], settings=many | {"ivae_epochs": 8})
    assert len(first.label) < 50 and first.label != second.label


def test_a_part_of_a_setting_can_be_changed() -> None:
    (cell,) = plan(tables=["synth"], methods=["rivae"], settings={"embedder.hidden": [7]})
    (usual,) = plan(tables=["synth"], methods=["rivae"])
    embedder = usual.config(0, 0).method.settings["embedder"]
    assert embedder["hidden"] != [7]
    assert cell.config(0, 0).method.settings["embedder"] == {**embedder, "hidden": [7]}
    (wrong,) = plan(tables=["synth"], methods=["rivae"], settings={"joint_epochs.half": 1})
    with pytest.raises(ConfigError, match="has the part 'joint_epochs"):
        wrong.config(0, 0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"tables": ["synht"]}, "there is no table 'synht'"),
        ({"datasets": ["mnist"]}, "there is no data set 'mnist'"),
        ({"methods": ["vae"]}, "there is no method 'vae'"),
        ({"presets": ["best"]}, "there is no preset 'best'"),
        ({"tables": ["synth"], "datasets": ["sprites"]}, "leave out"),
        ({"tables": ["ablation"], "methods": ["cos-sim-lvm"]}, "leave out"),
    ],
)
def test_a_wrong_name_is_one_sentence(words, sentence) -> None:
    with pytest.raises(ConfigError, match=sentence):
        plan(**words)


def test_shortened_runs_have_other_names_fewer_epochs_and_less_data() -> None:
    full, quick, tiny = (Cell("synth", "rivae", "default", (0,), size=size) for size in SIZES)
    names = [cell.configs()[0].name for cell in (full, quick, tiny)]
    assert names[0] == "bench-synth-rivae-default-d0-s0"  # finished runs have this name
    assert names[1:] == [
        "bench-synth-rivae-default-quick-d0-s0",
        "bench-synth-rivae-default-tiny-d0-s0",
    ]
    epochs = [
        [
            cell.config(0, 0).method.settings[f"{stage}_epochs"]
            for stage in ("init", "ivae", "joint")
        ]
        for cell in (full, quick, tiny)
    ]
    assert epochs[1] == [round(n / 10) for n in epochs[0]] and epochs[2] == [1, 1, 1]
    assert tiny.config(0, 0).dataset.settings["n_pairs"] == 150
    assert tiny.config(2, 0).dataset.settings["g_seed"] == 2


def test_fits_of_the_contrastive_start_are_shortened_as_well() -> None:
    steps = [
        Cell("sprites-hard", "rivae", "default", (0,), size=size)
        .config(0, 0)
        .method.settings["contrast"]["steps"]
        for size in SIZES
    ]
    assert steps[1] == round(steps[0] / 10) and 1 <= steps[2] < steps[1]


def test_milestones_move_with_the_epochs() -> None:
    full, quick = (
        Cell("synth", "rivae", "paper", (0,), size=size).config(0, 0).method.settings
        for size in ("full", "quick")
    )
    assert [m[0] for m in quick["milestones"]] == [round(m[0] / 10) for m in full["milestones"]]
    assert [m[1] for m in quick["milestones"]] == [m[1] for m in full["milestones"]]


def test_a_changed_setting_is_not_shortened() -> None:
    cell = Cell("synth", "rivae", "default", (0,), settings=(("joint_epochs", 9),), size="tiny")
    assert cell.config(0, 0).method.settings["joint_epochs"] == 9


def test_small_models_train_as_one_batch_and_others_run_by_run() -> None:
    small = Cell("synth", "rivae", "default", (0, 1), (0, 1))
    assert small.parts() == [small]
    parts = Cell("sprites", "rivae", "default", (0, 1)).parts()
    assert [part.seeds for part in parts] == [(0,), (1,)]


def test_a_number_counts_and_a_range_names() -> None:
    assert count_or_range("5", "seeds") == [0, 1, 2, 3, 4]
    assert count_or_range("3-5", "seeds") == [3, 4, 5]
    assert count_or_range("0,7", "seeds") == [0, 7]
    for text in ("0", "", "x", "-3", "5-", "99999"):
        with pytest.raises(ConfigError, match="names no draws"):
            count_or_range(text, "draws")


def test_the_command_refuses_in_one_sentence(capsys) -> None:
    for words, sentence in (
        (["--tables", "synht"], "table 'synht'"),
        (["--methods", "vae"], "method 'vae'"),
        (["--seeds", "none"], "'none'"),
        (["--jobs", "0"], "--jobs 0: "),
        (["--device", "gpu"], "'gpu'"),
        (["--device", ""], "''"),
        (["--device", "cuda:99"], "has no device cuda:99"),
    ):
        assert main(["benchmark", *words]) == 1
        *before, error = capsys.readouterr().err.splitlines()
        assert sentence in error and len(before) <= 1


def test_every_registered_method_has_a_line_and_stands_in_the_help(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in METHODS)
