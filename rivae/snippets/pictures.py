"""Templates of the panels that show items: retrieved, along axes, steered, compared."""

from __future__ import annotations

from rivae.snippets.panel import SAVE, TRAVERSE, VALUES, Panel

PICTURES: dict[str, Panel] = {
    "topk": Panel(
        imports=(SAVE, "from rivae.plots.results import results_sheet"),
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
        imports=(*TRAVERSE, SAVE, "from rivae.plots.strips import strips_of, strips_sheet"),
        body="""\
z = {start}
"""
        + VALUES
        + """\
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
        defaults={
            "rows": "test",
            "query": 0,
            "z": None,
            "range": "paper",
            "dims": None,
            "k": 3,
            "changes_only": True,
            "max_points": 24,
            "side": 2,
            "layout": "rows",
        },
    ),
    "compare": Panel(
        imports=("from rivae.comparison import compare, factor_sheet, factor_strips", SAVE),
        body="""\
others = {others}
comparison = compare([explorer, *(Explorer.open(find_run(name)) for name in others)])
strips = factor_strips(comparison, {query}, {factor}, k={k}, titles=[run.id, *others])
save(factor_sheet(comparison, {query}, strips, side={side}), "compare.png")
""",
        defaults={"rows": "test", "others": [], "query": 0, "factor": 0, "k": 3, "side": 2},
    ),
    "plane": Panel(
        imports=(
            "from rivae.ranges import grid",
            "from rivae.traversal import traverse_plane",
            SAVE,
            "from rivae.plots.plane import plane_sheet",
        ),
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
        defaults={
            "rows": "test",
            "query": 0,
            "z": None,
            "dims": (0, 1),
            "range_a": (-3.0, 3.0),
            "range_b": (-3.0, 3.0),
            "n_points": 9,
            "side": 2,
        },
    ),
    "steer": Panel(
        imports=(
            SAVE,
            "from rivae.plots.steering import row_clouds, steering_sheet",
            "from rivae.steering import steer, steer_rows",
        ),
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
        defaults={
            "rows": "test",
            "query": 0,
            "z": None,
            "axes": (0, 1),
            "levels": None,
            "n_sigma": 3.0,
            "k": 5,
            "side": 2,
        },
    ),
}
