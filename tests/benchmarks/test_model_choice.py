"""Label-free model choice is judged by lines of one full configuration."""

import pandas as pd

from benchmarks import model_choice as bench
from rivae.jobs.launch import make_config


def test_lines_of_other_settings_are_told_apart():
    usual = make_config("sprites", "dcca", name="a")
    other = make_config("sprites", "dcca", name="b", method_settings={"init": "smooth"})
    assert bench.changes(usual) == "" and bench.changes(other) == "init=smooth"
    rows = [
        {"dataset": "sprites", "method": "dcca", "preset": "default", "changes": changes}
        | {"data_settings": "", "seed": seed, "mcc": mcc, "disentanglement": mcc, "r2": mcc}
        | dict.fromkeys(bench.CRITERIA, float(seed))
        for changes, mcc in (("", 0.2), ("init=smooth", 0.9))
        for seed in range(3)
    ]
    text = bench.report(pd.DataFrame(rows))
    line = "(rank correlation) | MCC | 1 × 3 |"
    assert f"| sprites / dcca (default) | UDR {line}" in text
    assert f"| sprites / dcca (default, init=smooth) | UDR {line}" in text
