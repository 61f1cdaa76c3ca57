"""The tables in README and docs are those of the stored rows."""

import pytest

from benchmarks import doc_tables as bench
from rivae.benchmark.rows import make_row
from rivae.benchmark.summary import summarise
from tests.benchmark.rows_for_tests import row


@pytest.mark.slow
def test_the_tables_of_readme_and_docs_are_those_of_the_stored_rows():
    rows = [bench.completed_row(each) for each in bench.read_rows(bench.RESULTS)]
    lines, earlier = summarise(rows), bench.of_earlier_presets(rows)
    for path in bench.TEXTS:
        text = path.read_text(encoding="utf-8")
        assert bench.BLOCK.search(text)
        assert bench.rewritten(text, lines, earlier) == text, "run benchmarks/doc_tables.py"


def test_a_table():
    rows = [row(0.5, 0), row(0.7, 1), row(0.1, 0, settings="lambda_reg=0.0")]
    rows.append(make_row(dataset="sprites", method="chance-items", metric="recall_at_1", score=0.1))
    lines = summarise(rows)
    one = bench.table("R@1, MCC | sprites", lines, set())
    assert "| RIVAE | .60 ± .14 [1] | – | 2 |" in one and "without L_Reg | .10 [0.01] |" in one
    assert "| *chance: random items* | .10 | – |  |" in one
    several = bench.table("R@1 | sprites: rivae | synth: rivae", lines, set())
    assert several.count("\n") == 3 and "| Sprites | RIVAE | .60 ± .14 [1] | 2 |" in several
    with pytest.raises(KeyError):
        bench.table("R@7 | sprites", lines, set())


def test_lines_of_other_settings_are_marked():
    today = bench.Cell("sprites", "rivae", "default", (0,))
    same = row(0.5, config=today.settings_json)
    assert bench.of_earlier_presets([same]) == set()
    other = same | {"config": same["config"].replace('"reg_every": 4', '"reg_every": 1')}
    assert bench.of_earlier_presets([other]) == {bench.line_key(other)}
    assert "| RIVAE ‡ | .50 [1] |" in bench.table(
        "R@1 | sprites", summarise([other]), {bench.line_key(other)}
    )


def test_lines_of_imports_are_marked_too_wherever_their_data_are():
    settings = {"dataset.store": "not-here", "dataset.features": "statistics"}
    line = ", ".join(f"{key}={value}" for key, value in settings.items())
    today = bench.Cell("pairs", "rivae", "default", (0,), settings=tuple(settings.items()))
    same = row(0.5, dataset="pairs", settings=line, config=today.settings_json)
    # Features of both sides or of pictures alone: nobody knows without the data.
    other = same["config"].replace('"input_dropout": 0.5', '"input_dropout": 0.4')
    assert other != same["config"]
    assert bench.of_earlier_presets([same | {"config": other}]) == set()
    earlier = same | {"config": same["config"].replace('"init_epochs": 36', '"init_epochs": 24')}
    assert bench.of_earlier_presets([earlier]) == {bench.line_key(earlier)}
