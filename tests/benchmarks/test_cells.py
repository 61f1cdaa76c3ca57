"""What tables of trained cells share: another machine adds to the table that it finds."""

import pandas as pd

from benchmarks.cells import mean_and_spread, numbers, with_stored


def test_a_range_of_numbers():
    assert numbers("0-2,5") == [0, 1, 2, 5]


def test_an_empty_column_has_no_mean():
    assert mean_and_spread(pd.Series([0.5, 0.7])) == "0.600 ± 0.141"
    assert mean_and_spread(pd.Series([None, None])) == "–"


def test_measured_cells_replace_those_of_the_table_and_others_stay(tmp_path):
    table = tmp_path / "table.parquet"
    here = pd.DataFrame({"seed": [1, 2], "score": [0.1, 0.2]})
    assert with_stored(here, table, ["seed"]) is here
    pd.DataFrame({"seed": [0, 1], "score": [0.5, 0.5]}).to_parquet(table)
    both = with_stored(here, table, ["seed"]).sort_values("seed")
    assert both.score.tolist() == [0.5, 0.1, 0.2]
    assert with_stored(pd.DataFrame(), table, ["seed"]).score.tolist() == [0.5, 0.5]
