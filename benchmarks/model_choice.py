"""Does label-free model choice pick the better seeds? Measured on finished runs.

    python benchmarks/model_choice.py FOLDER [FOLDER ...]

FOLDER holds run folders, e.g. those of ``rivae benchmark``. Runs that differ in nothing but their
seed form a group (one draw of the data). Within each group the criterion (UDR by rank correlation,
UDR by lasso, validation retrieval) is set beside the true MCC and D of the test pairs, which the
criterion never sees. Writes ``benchmarks/results/model-choice.md`` and ``.parquet``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from choice_stats import MIN_FOR_INTERVAL, Verdict, verdict  # noqa: E402

from rivae.base.config import RunConfig  # noqa: E402
from rivae.base.errors import RivaeError  # noqa: E402
from rivae.evaluation.choice import comparison_rows, configuration, run_latents  # noqa: E402
from rivae.evaluation.of_run import evaluate  # noqa: E402
from rivae.jobs.launch import make_config  # noqa: E402
from rivae.metrics.measures.udr import udr  # noqa: E402
from rivae.runs import Run, list_runs  # noqa: E402
from rivae.training.validation import validation_scores  # noqa: E402

CRITERIA = {
    "udr_spearman": "UDR (rank correlation)",
    "udr_lasso": "UDR (lasso)",
    "validation_mrr": "validation retrieval (MRR)",
}
TRUTHS = {"mcc": "MCC", "disentanglement": "D", "r2": "linear R²"}
READING = """\
## How to read it

* UDR sees whether seeds find the same axes, and with them whether a map is folded: a folded map
  resembles no other. It cannot see whether the common axes are the true ones.
* On Synth the shared factors are Gaussian and G is random, so every rotation of the true axes is
  equally likely (see the README); no criterion without labels can gain in D there. MCC can still be
  gained, since it also falls when the map is folded, which linear R² shows by itself.
* The p are not corrected. "yes": the pick's p stays below .05 divided by the number of rows; "a
  hint": one of the two p is below .05 by itself, which chance alone gives one row in ten or so.
* Where all seeds score alike (last table) there is nothing to gain.
"""
LINE = ["dataset", "method", "preset", "changes"]  # runs of one full configuration, but the draw
N_PERMUTATIONS = 4000
WORTH = 0.01  # a best run nearer than this to the mean is not worth picking


def groups_of(folders: list[Path]) -> list[list[Run]]:
    """Finished runs with a latent that differ in their seed alone, three or more each."""
    groups: dict[tuple[str, ...], list[Run]] = {}
    for run in list_runs(folders):
        try:
            if run.status.state == "finished":
                key = (run.config.method.preset, *configuration(run.config))
                groups.setdefault(key, []).append(run)
        except RivaeError as error:
            print(f"left out: {error}")
    return [sorted(g, key=lambda r: r.config.seed) for g in groups.values() if len(g) >= 3]


def changes(config: RunConfig) -> str:
    """What the method's settings change of the preset, as "key=value, key=value"."""
    own, data = config.method, config.dataset
    usual = make_config(
        data.name, own.name, own.preset, name="usual", dataset_settings=data.settings
    ).method
    other = {k: v for k, v in own.settings.items() if usual.settings.get(k) != v}
    return ", ".join(f"{key}={value}" for key, value in sorted(other.items()))


def line_name(key: tuple[str, ...]) -> str:
    """A line of the tables for readers."""
    dataset, method, preset, changed = key
    return f"{dataset} / {method} ({preset}{', ' * bool(changed)}{changed})"


def measure(runs: list[Run]) -> list[dict[str, Any]]:
    """One row per run of a group: the criteria and the true scores."""
    data = runs[0].load_dataset()
    if data.factors is None:
        return []
    rows, z, masks, out = comparison_rows(data), [], [], []
    for run in runs:
        method = run.load_method(data)
        if not method.has_latent:
            return []
        mu, mask = run_latents(method, data, rows)
        result = run.evaluation or evaluate(
            method, data, null_permutations=0, null_permutations_slow=0
        )
        truth = {key: result.score(key) for key in TRUTHS}
        if None in truth.values() or not np.isfinite(mu).all():
            print(f"left out: {run.id} has no MCC and D")
            return []
        z.append(mu)
        masks.append(mask)
        out.append(
            {
                "run": run.id,
                "dataset": data.name,
                "data_settings": str(run.config.dataset.settings),
                "method": run.config.method.name,
                "preset": run.config.method.preset,
                "changes": changes(run.config),
                "seed": run.config.seed,
                "informative_axes": int(mask.sum()),
                "validation_mrr": validation_scores(method, data)["score"],
                **truth,
            }
        )
    for name in ("spearman", "lasso"):
        for row, result in zip(out, udr(z, informative=masks, similarity=name), strict=True):
            row[f"udr_{name}"] = result.score
    return out


def verdicts(table: pd.DataFrame) -> list[tuple[str, str, str, Verdict]]:
    """(data set and method, criterion, truth, verdict) over all draws."""
    found = []
    for key, part in table.groupby(LINE, sort=False):
        draws = [draw for _, draw in part.groupby("data_settings", sort=False)]
        for criterion in CRITERIA:
            for truth in TRUTHS:
                pairs = [(d[criterion].fillna(-1.0).to_numpy(), d[truth].to_numpy()) for d in draws]
                judged = verdict(pairs, n_permutations=N_PERMUTATIONS)
                found.append((line_name(key), criterion, truth, judged))
    return found


def _cell(value: float, low: float, high: float) -> str:
    limits = f" [{low:.2f}, {high:.2f}]" if low == low else ""
    return f"{value:.2f}{limits}"


def _answer(v: Verdict, n_rows: int) -> str:
    """In words; with many rows one of twenty reaches p = .05 by luck, hence the two grades."""
    if v.best - v.mean < WORTH:
        return "nothing to pick from"
    if v.gain_p * n_rows < 0.05:
        return "yes"
    if min(v.gain_p, v.rho_p) < 0.05:
        return "a hint"
    return "too few draws" if v.n_groups < MIN_FOR_INTERVAL else "not shown"


def report(table: pd.DataFrame) -> str:
    """The verdicts for a person."""
    lines = [
        "# Does label-free model choice pick the better seeds?",
        "",
        "`python benchmarks/model_choice.py FOLDER`. A group is one draw of the data with several "
        f"seeds; {len(table)} runs in all. UDR compares the axes over "
        "validation rows and reads no label; MCC and D (alpha 10, −10 … 10) are those of the test "
        "pairs. ρ: rank correlation of criterion and true score within a group, mean over groups. "
        "Picked: true score of the run with the best criterion; its gain is over the mean of all "
        "seeds, which is what picking blindly gives. Brackets: 95 % bootstrap interval over groups "
        "(from five groups on). p: one-sided, true scores shuffled within groups, "
        f"{N_PERMUTATIONS:,} times.",
        "",
        "| runs | criterion | true score | groups | ρ | p | picked | mean | best | gain | p "
        "| picks better ones |",
        "|---" * 12 + "|",
    ]
    judged = verdicts(table)
    for name, criterion, truth, v in judged:
        gain = f"{v.gain:+.3f}"
        if v.gain_low == v.gain_low:
            gain += f" [{v.gain_low:+.3f}, {v.gain_high:+.3f}]"
        lines.append(
            f"| {name} | {CRITERIA[criterion]} | {TRUTHS[truth]} | {v.n_groups} × "
            f"{v.n_runs / v.n_groups:.0f} | {_cell(v.rho, v.rho_low, v.rho_high)} | {v.rho_p:.3f} "
            f"| {v.picked:.3f} | {v.mean:.3f} | {v.best:.3f} | {gain} | {v.gain_p:.3f} "
            f"| {_answer(v, len(judged))} |"
        )
    lines += [
        "",
        "## What there is to choose from",
        "",
        "| runs | UDR | MCC, s.d. within a group | D, s.d. within a group |",
        "|---|---|---|---|",
    ]
    for key, part in table.groupby(LINE, sort=False):
        within = part.groupby("data_settings")[["mcc", "disentanglement"]].std(ddof=0).mean()
        lines.append(
            f"| {line_name(key)} | {part['udr_spearman'].mean():.3f} ± "
            f"{part['udr_spearman'].std(ddof=0):.3f} | {within['mcc']:.4f} | "
            f"{within['disentanglement']:.4f} |"
        )
    return "\n".join([*lines, "", READING])


def main() -> None:
    """Measure every group and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, help="folders of run folders")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for runs in groups_of(options.folders):
        print(f"{runs[0].id} and {len(runs) - 1} more", flush=True)
        try:
            rows += measure(runs)
        except RivaeError as error:
            print(f"left out: {error}")
    if not rows:
        parser.error("no group of three finished seeds with true factors in these folders")
    table = pd.DataFrame(rows)
    options.out.mkdir(parents=True, exist_ok=True)
    table.to_parquet(options.out / "model-choice.parquet", index=False)
    text = report(table)
    (options.out / "model-choice.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
