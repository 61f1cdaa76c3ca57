"""Templates of the panels that show numbers.

Panels named "stored-..." show what ``rivae evaluate`` wrote; the others run the model again,
with the first test rows as queries.
"""

from __future__ import annotations

from rivae.figures.snippets.writing import SAVE, Template

_MANY_QUERIES = """\
z = run.encode(run.items[:{n_queries}])
traversal = run.traverse(z, {range}).turned(run.explorer.signs)
"""
_MANY_DEFAULTS = {"rows": "test", "n_queries": 100, "range": "paper"}
_METRICS = """\
for group, results in run.evaluation.groups().items():
    print(f"## {{group}}\\n")
    print(to_markdown(scores_of(results, run.id), corner="Run", digits=4))
"""
_SCORES = """\
print(to_markdown(scores_of(run.evaluation.groups()[{group}], run.id, {metrics})))
"""

MEASURES: dict[str, Template] = {
    "axis": Template(
        imports=(
            SAVE,
            "from rivae.exploring.axis_card import QUANTILES, examples",
            "from rivae.figures.axis_card import position_histogram",
            "from rivae.figures.effects import effect_bars",
        ),
        body="""\
name = run.axes[{dim}].label
effects = run.effects({dim})
print(effects.sentence)
print(effects.table().head(20))
for share, rows in zip(QUANTILES, examples(run.explorer, {dim})):
    print(share, [run.data.title(row) for row in rows])
save(position_histogram(run.explorer.shown_positions({dim}), name), "positions.html")
save(effect_bars(effects), "effects.html")
""",
        defaults={"rows": "test", "dim": 0},
    ),
    "effects": Template(
        imports=(SAVE, "from rivae.figures.effects import effect_heatmap"),
        body="""\
axes = {axes}
changes = [run.effects(j).changes for j in axes]
names = {names} or [run.axes[j].label for j in axes]
save(effect_heatmap(changes, names, axes=axes), "effects.html")
""",
        defaults={"rows": "test", "axes": [0], "names": None},
    ),
    "correlation": Template(
        imports=(
            SAVE,
            "from rivae.metrics.correlation import correlation_table",
            "from rivae.figures.heatmap import correlation_heatmap",
        ),
        body=_MANY_QUERIES
        + """\
data = run.data
table = correlation_table(traversal, data.factors, data.factor_specs)
print(table.absolute.round(3))
shown = table.signed if {signed} else table.absolute
figure = correlation_heatmap(
    shown, table.factor_names, [axis.label for axis in run.axes],
    threshold={threshold}, signed={signed},
)
save(figure, "correlation.html")
""",
        defaults={**_MANY_DEFAULTS, "threshold": 0.5, "signed": False},
    ),
    "scatter": Template(
        imports=(SAVE, "from rivae.figures.scatter import traversal_scatter"),
        body=_MANY_QUERIES
        + """\
j, k = {dim}, {factor}
data = run.data
spec = data.factor_specs[k]
figure = traversal_scatter(
    traversal.values[j], data.factors[traversal.ids[:, j, :, 0], k],
    axis_name=run.axes[j].label, j=j, k=k, factor_name=spec.name, levels=spec.levels,
    ordered=spec.kind != "categorical",
)
save(figure, "scatter.html")
""",
        defaults={**_MANY_DEFAULTS, "dim": 0, "factor": 0},
    ),
    "matrix": Template(
        imports=(
            SAVE,
            "from rivae.metrics.correlation import correlation_table, numeric_factors",
            "from rivae.figures.scatter import plot_matrix",
        ),
        body=_MANY_QUERIES
        + """\
data = run.data
columns = numeric_factors(data.factor_specs)
table = correlation_table(traversal, data.factors, data.factor_specs).absolute
figure = plot_matrix(
    traversal.values, data.factors[traversal.ids[..., 0]][..., columns],
    [data.factor_specs[k].name for k in columns], [axis.label for axis in run.axes],
    table=table, threshold={threshold},
)
save(figure, "matrix.html")
""",
        defaults={**_MANY_DEFAULTS, "threshold": 0.5},
    ),
    "digits": Template(
        imports=(
            SAVE,
            "from rivae.metrics.measures.digits import digit_metrics, transition_table",
            "from rivae.figures.digits import transition_heatmap",
        ),
        body=_MANY_QUERIES
        + """\
table = transition_table(run.data.factors[traversal.ids[..., 0], 0])
for name, result in digit_metrics(table).items():
    print(name, result.score)
save(transition_heatmap(table, [axis.label for axis in run.axes]), "digits.html")
""",
        defaults=_MANY_DEFAULTS,
    ),
    "stored-correlation": Template(
        imports=(SAVE, "from rivae.figures.heatmap import correlation_heatmap"),
        body="""\
stored = run.evaluation.along[{other}].correlation
table = np.array(stored.signed if {signed} else stored.absolute)
figure = correlation_heatmap(
    table, stored.factor_names, {names}, threshold={threshold}, signed={signed}
)
save(figure, "correlation.html")
""",
        defaults={"other": False, "threshold": 0.5, "signed": False, "names": None},
    ),
    "stored-digits": Template(
        imports=(SAVE, "from rivae.figures.digits import transition_heatmap"),
        body="""\
table = np.array(run.evaluation.along[{other}].digits.transitions.table)
save(transition_heatmap(table, {names}), "digits.html")
""",
        defaults={"other": False, "names": None},
    ),
    "stored-digit-ranges": Template(
        imports=(SAVE, "from rivae.figures.digits import digit_range_lines"),
        body="""\
rows, names = run.evaluation.digits_ranges, ("n_std", "overlap", "coverage")
columns = (np.array([getattr(row, name) for row in rows], dtype=float) for name in names)
save(digit_range_lines(*columns), "digit_ranges.html")
""",
    ),
    "stored-scatter": Template(
        imports=(
            "from rivae.evaluation.replay import replay",
            SAVE,
            "from rivae.figures.scatter import traversal_scatter",
        ),
        body="""\
j, k = {dim}, {factor}
data = run.data
spec = data.factor_specs[k]
traversal = replay(run.explorer.retriever, data, run.evaluation, j, other={other})
traversal = traversal.turned(run.explorer.signs)
figure = traversal_scatter(
    traversal.values[0], data.factors[traversal.ids[:, 0, :, 0], k],
    axis_name=run.axes[j].label, j=j, k=k, factor_name=spec.name, levels=spec.levels,
    ordered=spec.kind != "categorical",
)
save(figure, "scatter.html")
""",
        defaults={"rows": "test", "dim": 0, "factor": 0, "other": False},
    ),
    "stored-alpha": Template(
        imports=(SAVE, "from rivae.figures.alpha import alpha_curve"),
        body="""\
table = np.array(run.evaluation.along[{other}].correlation.absolute)
save(alpha_curve(table[:, {columns}], {alpha}), "alpha.html")
""",
        defaults={"other": False, "columns": [0], "alpha": 10.0},
    ),
    "metrics": Template(
        imports=("from rivae.figures.tables import scores_of, to_markdown",),
        body=_METRICS,
    ),
    "scores": Template(
        imports=("from rivae.figures.tables import scores_of, to_markdown",),
        body=_SCORES,
        defaults={"group": "retrieval", "metrics": None},
    ),
}
