"""Python snippets that reproduce a panel of the app from the id of its run.

Every panel has a template below. A page asks ``snippet(run_id, "strips", query=12, k=3)`` and
offers the text beside the panel; the tests run every template. Panels named "stored-..." show what
``rivae evaluate`` wrote; the others ask the model again, with the first test rows as queries. A
query of which only z is known (an upload) is given as ``query=None, z=...``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rivae.errors import ConfigError
from rivae.snippet_panel import SAVE as _SAVE
from rivae.snippet_panel import Panel
from rivae.snippet_words import WORDS

_TRAVERSE = (
    "from rivae.evaluation import traversal_values",
    "from rivae.traversal import traverse",
)
# The values of every dimension: "data", "paper", "prior", "sigma" or two numbers.
_VALUES = """\
values, _ = traversal_values({range}, explorer.prior)
"""
_MANY_QUERIES = """\
z_ref, _ = explorer.retriever.encode(explorer.search_rows[:{n_queries}])
""" + _VALUES + """\
traversal = traverse(explorer.retriever, z_ref, values)
"""
_MANY_DEFAULTS = {"rows": "test", "n_queries": 100, "range": "paper"}
_SCORES = """\
results = run.evaluation or {{}}
scores = scores_of(results.get({group}) or {{}}, run.id, {metrics})
print(to_markdown(scores))
"""

PANELS: dict[str, Panel] = {
    "topk": Panel(
        imports=(_SAVE, "from rivae.plots.results import results_sheet"),
        body="""\
z = {start}
hits = explorer.topk(z, {k})
for item, score in zip(hits.ids, hits.scores):
    print(item, explorer.title(item), round(float(score), 4))
data = explorer.data
sheet = results_sheet(
    hits.ids.tolist(),
    lambda item: data.picture(item, {side}),
    query={query_picture},
    query_title={query_title},
    title=data.title,
    scores=hits.scores,
)
save(sheet, "results.png")
""",
        defaults={"rows": "test", "query": 0, "z": None, "k": 10, "side": 2},
    ),
    "strips": Panel(
        imports=(*_TRAVERSE, _SAVE, "from rivae.plots.strips import strips_of, strips_sheet"),
        body="""\
z = {start}
""" + _VALUES + """\
traversal = traverse(explorer.retriever, z, values, dims={dims}, k={k})
data = explorer.data
sheet = strips_sheet(
    strips_of(
        traversal, names=explorer.axis_names,
        changes_only={changes_only}, max_points={max_points},
    ),
    lambda item: data.picture(item, {side}),
    query={query_picture},
    query_title={query_title},
    title=data.title,
    marked={marked},
    layout={layout},
)
save(sheet, "strips.png")
""",
        defaults={"rows": "test", "query": 0, "z": None, "range": "paper", "dims": None, "k": 3,
                  "changes_only": True, "max_points": 24, "side": 2, "layout": "rows"},
    ),
    "compare": Panel(
        imports=("from rivae.comparison import compare, factor_sheet, factor_strips", _SAVE),
        body="""\
others = {others}
comparison = compare([explorer, *(Explorer.open(find_run(name)) for name in others)])
strips = factor_strips(comparison, {query}, {factor}, k={k}, titles=[run.id, *others])
save(factor_sheet(comparison, {query}, strips, side={side}), "compare.png")
""",
        defaults={"rows": "test", "others": [], "query": 0, "factor": 0, "k": 3, "side": 2},
    ),
    "plane": Panel(
        imports=("from rivae.traversal import grid, traverse_plane", _SAVE,
                 "from rivae.plots.plane import plane_sheet"),
        body="""\
z = {start}
a, b = {dims}
values_a = grid(*{range_a}, n_points={n_points})
values_b = grid(*{range_b}, n_points={n_points})
ids = traverse_plane(explorer.retriever, z, a, values_a, b, values_b)
data = explorer.data
sheet = plane_sheet(
    ids, values_a, values_b, lambda item: data.picture(item, {side}),
    names=(explorer.axis_names[a], explorer.axis_names[b]), reference=(z[a], z[b]),
    title=data.title,
)
save(sheet, "plane.png")
""",
        defaults={"rows": "test", "query": 0, "z": None, "dims": (0, 1), "range_a": (-3.0, 3.0),
                  "range_b": (-3.0, 3.0), "n_points": 9, "side": 2},
    ),
    "steer": Panel(
        imports=(_SAVE, "from rivae.plots.steering import row_clouds, steering_sheet",
                 "from rivae.steering import steer, steer_rows"),
        body="""\
z = {start}
rows = steer_rows({axes}, {levels})
data = explorer.data
sheet = steering_sheet(
    rows, steer(explorer, z, rows, n_sigma={n_sigma}, k={k}), explorer.axis_names,
    lambda item: data.picture(item, {side}),
    clouds=row_clouds(explorer, rows, {n_sigma}),
    query={query_picture},
    query_title={query_title},
    title=data.title, n_sigma={n_sigma},
)
save(sheet, "steer.png")
""",
        defaults={"rows": "test", "query": 0, "z": None, "axes": (0, 1), "levels": None,
                  "n_sigma": 3.0, "k": 5, "side": 2},
    ),
    "correlation": Panel(
        imports=(*_TRAVERSE, _SAVE, "from rivae.metrics.correlation import correlation_table",
                 "from rivae.plots.heatmap import correlation_heatmap"),
        body=_MANY_QUERIES + """\
data = explorer.data
table = correlation_table(traversal, data.factors, data.factor_specs)
print(table.absolute.round(3))
shown = table.signed if {signed} else table.absolute
figure = correlation_heatmap(
    shown, table.factor_names, explorer.axis_names, threshold={threshold}, signed={signed}
)
save(figure, "correlation.html")
""",
        defaults={**_MANY_DEFAULTS, "threshold": 0.5, "signed": False},
    ),
    "scatter": Panel(
        imports=(*_TRAVERSE, _SAVE, "from rivae.plots.scatter import traversal_scatter"),
        body=_MANY_QUERIES + """\
j, k = {dim}, {factor}
data = explorer.data
spec = data.factor_specs[k]
figure = traversal_scatter(
    traversal.values[j], data.factors[traversal.ids[:, j, :, 0], k],
    latent_name=explorer.axis_names[j], j=j, k=k, factor_name=spec.name, levels=spec.levels,
    ordered=spec.kind != "categorical",
)
save(figure, "scatter.html")
""",
        defaults={**_MANY_DEFAULTS, "dim": 0, "factor": 0},
    ),
    "matrix": Panel(
        imports=(*_TRAVERSE, _SAVE, "from rivae.plots.matrix import plot_matrix"),
        body=_MANY_QUERIES + """\
data = explorer.data
figure = plot_matrix(
    traversal.values, data.factors[traversal.ids[..., 0]],
    [spec.name for spec in data.factor_specs], explorer.axis_names,
)
save(figure, "matrix.html")
""",
        defaults=_MANY_DEFAULTS,
    ),
    "digits": Panel(
        imports=(*_TRAVERSE, _SAVE,
                 "from rivae.metrics.digits import digit_metrics, transition_table",
                 "from rivae.plots.digits import transition_heatmap"),
        body=_MANY_QUERIES + """\
table = transition_table(explorer.data.factors[traversal.ids[..., 0], 0])
for name, result in digit_metrics(table).items():
    print(name, result.score)
save(transition_heatmap(table, explorer.axis_names), "digits.html")
""",
        defaults=_MANY_DEFAULTS,
    ),
    "stored-correlation": Panel(
        imports=(_SAVE, "from rivae.plots.heatmap import correlation_heatmap"),
        body="""\
stored = run.evaluation[{group}]
table = np.array(stored["signed" if {signed} else "absolute"])
figure = correlation_heatmap(
    table, stored["factor_names"], {names}, threshold={threshold}, signed={signed}
)
save(figure, "correlation.html")
""",
        defaults={"group": "correlation", "threshold": 0.5, "signed": False, "names": None},
        opens=False,
    ),
    "stored-digits": Panel(
        imports=(_SAVE, "from rivae.plots.digits import transition_heatmap"),
        body="""\
table = np.array(run.evaluation[{group}]["transitions"]["table"])
save(transition_heatmap(table, {names}), "digits.html")
""",
        defaults={"group": "digits", "names": None},
        opens=False,
    ),
    "stored-digit-ranges": Panel(
        imports=(_SAVE, "from rivae.plots.digit_ranges import digit_range_lines"),
        body="""\
rows, names = run.evaluation["digits_ranges"], ("n_std", "overlap", "coverage")
columns = (np.array([row[name] for row in rows], dtype=float) for name in names)
save(digit_range_lines(*columns), "digit_ranges.html")
""",
        opens=False,
    ),
    "stored-scatter": Panel(
        imports=("from rivae.replay import replay", _SAVE,
                 "from rivae.plots.scatter import traversal_scatter"),
        body="""\
j, k = {dim}, {factor}
data = explorer.data
spec = data.factor_specs[k]
traversal = replay(explorer.retriever, data, run.evaluation, j, other={other})
figure = traversal_scatter(
    traversal.values[0], data.factors[traversal.ids[:, 0, :, 0], k],
    latent_name=explorer.axis_names[j], j=j, k=k, factor_name=spec.name, levels=spec.levels,
    ordered=spec.kind != "categorical",
)
save(figure, "scatter.html")
""",
        defaults={"rows": "test", "dim": 0, "factor": 0, "other": False},
    ),
    "stored-alpha": Panel(
        imports=(_SAVE, "from rivae.plots.alpha import alpha_curve"),
        body="""\
table = np.array(run.evaluation[{group}]["absolute"])
save(alpha_curve(table[:, {columns}], {alpha}), "alpha.html")
""",
        defaults={"group": "correlation", "columns": [0], "alpha": 10.0},
        opens=False,
    ),
    "curves": Panel(
        imports=(_SAVE, "from rivae.plots.curves import training_curves"),
        body='save(training_curves(run.metrics()), "training.html")\n',
        opens=False,
    ),
    "scores": Panel(
        imports=("from rivae.plots.tables import scores_of, to_markdown",),
        body=_SCORES,
        defaults={"group": "retrieval", "metrics": None},
        opens=False,
    ),
    **WORDS,
}


def snippet(run_id: str, call: str, **kwargs: Any) -> str:
    """The snippet of panel ``call`` for a run; a keyword left out has the panel's default.

    Args:
        run_id: name or path of the run, as ``rivae.runs.find_run`` takes it.
        call: a name in ``PANELS``.
        **kwargs: numbers, text, None, and lists or arrays of them.

    Raises:
        ConfigError: the panel or a keyword is unknown, or a value cannot be written as Python.
    """
    if call not in PANELS:
        raise ConfigError(f"there is no panel '{call}': choose one of {', '.join(PANELS)}")
    panel = PANELS[call]
    unknown = set(kwargs) - set(panel.defaults)
    if unknown:
        raise ConfigError(
            f"panel '{call}' takes no {', '.join(sorted(unknown))}: it takes "
            f"{', '.join(panel.defaults) or 'nothing'}"
        )
    settings = {**panel.defaults, **kwargs}
    values = {name: literal(value) for name, value in settings.items()}
    if "z" in settings:
        values |= _query(settings["query"], settings["z"])
    imports = [*panel.imports, "from rivae.runs import find_run"]
    body = f"run = find_run({literal(run_id)})\n"
    if panel.opens:
        imports.append("from rivae.explorer import Explorer")
        body += f"explorer = Explorer.open(run, rows={values['rows']})\n"
    body += panel.body.format(**values)
    head = "\n".join(sorted(imports))
    if "np." in body:
        head = f"import numpy as np\n\n{head}"
    return f"{head}\n\n{body}"


def _query(row: int | None, z: Any) -> dict[str, str]:
    """Places that say where a traversal starts: at a z of its own, or at a data row's."""
    if row is None and z is None:
        raise ConfigError("a snippet of this panel needs a query row or a z to start from")
    known = row is not None
    return {
        "start": f"explorer.encode({literal(row)})" if z is None else f"np.array({literal(z)})",
        "query_picture": f"data.picture({literal(row)}, 1)" if known else "None",
        "query_title": f"data.title({literal(row)})" if known else repr("query"),
        "marked": f"[{literal(row)}]" if known else "[]",
    }


def literal(value: Any) -> str:
    """A plain value as Python source that evaluates to it (numbers to 6 significant digits).

    Raises:
        ConfigError: it is not a number, text, None, or a list or array of them.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    raise ConfigError(f"a snippet cannot hold {type(value).__name__} {value!r}: pass plain values")
