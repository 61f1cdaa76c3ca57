"""Templates of the panels that show items: retrieved, along axes, steered, compared; and their
words (the Words page).
"""

from __future__ import annotations

from rivae.figures.snippets.writing import SAVE, Template

PICTURES: dict[str, Template] = {
    "topk": Template(
        imports=(SAVE, "from rivae.figures.results import results_sheet"),
        body="""\
z = {start}
hits = run.topk(z, {k}{narrowed})
for item, score in zip(hits.ids, hits.scores):
    print(item, run.data.title(item), round(float(score), 4))
data = run.data
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
        defaults={"rows": "test", "query": 0, "z": None, "k": 10, "side": 2, "only": ""},
    ),
    "path": Template(
        imports=(
            SAVE,
            "from rivae.exploring.paths import find_path",
            "from rivae.figures.paths import path_strip, to_gif",
            "from rivae.figures.traversals import strips_sheet",
        ),
        body="""\
stops = [run.mean if row == "mean" else run.encode(row) for row in {way_points}]
path = find_path(run.explorer, stops, n_steps={n_steps}, kind={kind})
data = run.data
sheet = strips_sheet(
    [path_strip(path)], lambda item: data.picture(item, {side}), title=data.title,
    marked=path.ids[list(path.stops)].tolist(),
)
save(sheet, "path.png")
with open("path.gif", "wb") as file:
    file.write(to_gif([data.picture(int(item), {side}) for item in path.ids], path.stops))
""",
        defaults={
            "rows": "test",
            "way_points": [0, 1],
            "n_steps": 24,
            "kind": "straight",
            "side": 2,
        },
    ),
    "strips": Template(
        imports=(
            SAVE,
            "from rivae.exploring.placing import axis_names",
            "from rivae.figures.traversals import strips_of, strips_sheet",
        ),
        body="""\
z = {start}
traversal = run.traverse(z, {range}, dims={dims}, k={k}).turned(run.explorer.signs)
data = run.data
sheet = strips_sheet(
    strips_of(
        traversal, names=list(axis_names(run.explorer).values()),
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
    "compare": Template(
        imports=(
            "from rivae.exploring.comparison import compare",
            "from rivae.figures.comparison import factor_sheet, factor_strips",
            SAVE,
        ),
        body="""\
others = {others}
comparison = compare([run.explorer, *(rivae.load_run(name{asked}).explorer for name in others)])
strips = factor_strips(comparison, {query}, {factor}, k={k}, titles=[run.id, *others])
save(factor_sheet(comparison, {query}, strips, side={side}), "compare.png")
""",
        defaults={"rows": "test", "others": [], "query": 0, "factor": 0, "k": 3, "side": 2},
    ),
    "plane": Template(
        imports=(
            "from rivae.retrieval.ranges import grid",
            "from rivae.exploring.placing import axis_names",
            "from rivae.exploring.traversing import place_on, sign_of, traverse_plane_of_axes",
            SAVE,
            "from rivae.figures.traversals import plane_sheet",
        ),
        body="""\
z = {start}
axes = {dims}
names = axis_names(run.explorer)
values_a = grid(*{range_a}, n_points={n_points})
values_b = grid(*{range_b}, n_points={n_points})
ids = traverse_plane_of_axes(run.explorer, z, axes, values_a, values_b)
data = run.data
sheet = plane_sheet(
    ids, values_a, values_b, lambda item: data.picture(item, {side}),
    names=[names[axis] for axis in axes], title=data.title,
    reference=[place_on(run.explorer, z, axis) for axis in axes],
    signs=[sign_of(run.explorer, axis) for axis in axes],
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
    "steer": Template(
        imports=(
            SAVE,
            "from rivae.figures.steering import row_clouds, steering_sheet",
            "from rivae.exploring.placing import axis_names",
            "from rivae.exploring.steering import steer, steer_rows",
        ),
        body="""\
z = {start}
rows = steer_rows({axes}, {levels})
data = run.data
sheet = steering_sheet(
    rows, steer(run.explorer, z, rows, n_sigma={n_sigma}, k={k}), axis_names(run.explorer),
    lambda item: data.picture(item, {side}), signs=run.explorer.signs.tolist(),
    clouds=row_clouds(run.explorer, rows, {n_sigma}),
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

_STATES = (
    "from rivae.exploring.words.item_words import item_words",
    "from rivae.figures.axis_clouds import shown_states",
)
_STATES_BODY = """\
data = run.data
words = item_words(data)
states = shown_states(run.explorer, {dim}, {n_sigma})
"""

WORDS: dict[str, Template] = {
    "clouds": Template(
        imports=(
            *_STATES,
            SAVE,
            "from rivae.figures.cloud_sheet import cloud_sheet",
            "from rivae.figures.clouds import make_clouds",
            "from rivae.exploring.placing import axis_names",
            "from rivae.exploring.words.clouds import count_words",
            "from rivae.exploring.words.item_words import item_tags",
            "from rivae.exploring.words.relations import AXIS, find_target",
            "from rivae.exploring.words.relations import related_words, target_values",
        ),
        body=_STATES_BODY
        + """\
left_out = () if {everyday} else words.everyday()
counts = count_words(states.by_name(), words.sets, leave_out=left_out)
tags = item_tags(data)
target = find_target({relation}, data, tags, axis_names(run.explorer)[{dim}])
rows = run.items
if target.key == AXIS:
    position = run.explorer.shown_positions({dim}).astype(float)
    relation = related_words([words.sets[i] for i in rows], position)
else:
    relation = related_words(words.sets, target_values(target, data, tags))
clouds = make_clouds(
    counts, relation, factor=target.label, n_words={n_words}, width={width}, height={height}
)
items = [states.items(s) for s in range(3)]
sheet = cloud_sheet(clouds, items, lambda item: data.picture(item, {side}), data.title)
save(sheet, "clouds.png")
""",
        defaults={
            "rows": "test",
            "dim": 0,
            "n_sigma": 3,
            "relation": "axis",
            "everyday": True,
            "n_words": 34,
            "width": 400,
            "height": 320,
            "side": 2,
        },
    ),
    "result-words": Template(
        imports=(
            SAVE,
            "from rivae.exploring.words.contrast import against_rest",
            "from rivae.exploring.words.item_words import item_words",
            "from rivae.figures.contrast import contrast_dots",
        ),
        body="""\
z = {start}
hits = run.topk(z, {k}{narrowed})
words = against_rest(hits.ids.tolist(), run.items, item_words(run.data).sets)
figure = contrast_dots(
    words, low="the other items", high="these results", n_words={n_words}, more="more in {{}}"
)
save(figure, "result-words.html")
""",
        defaults={"rows": "test", "query": 0, "z": None, "k": 10, "only": "", "n_words": 10},
    ),
    "word-contrast": Template(
        imports=(
            *_STATES,
            SAVE,
            "from rivae.figures.contrast import contrast_dots",
            "from rivae.exploring.words.contrast import contrast",
        ),
        body=_STATES_BODY
        + """\
found = contrast(states.items(0), states.items(2), words.sets)
for c in found[:{n_words}]:
    print(c.word, c.low, c.high, round(c.log_odds, 2), round(c.z, 1))
figure = contrast_dots(found, low=states.names[0], high=states.names[2], n_words={n_words})
save(figure, "contrast.html")
""",
        defaults={"rows": "test", "dim": 0, "n_sigma": 3, "n_words": 12},
    ),
    "axis-evidence": Template(
        imports=(
            "from rivae.exploring.words.item_terms import ItemTerms",
            "from rivae.exploring.words.naming import propose_name",
        ),
        body="""\
terms, rows = ItemTerms(run.data), run.items
evidence = terms.evidence(run.explorer.retriever.latents(rows), rows)
for j, found in enumerate(evidence):
    proposal = propose_name(j, found, terms.poles)
    print(run.axes[j].label, "|", proposal.name if proposal else "no proposal")
    for e in found:
        print("   ", e.kind, e.term, round(e.strength, 2))
""",
        defaults={"rows": "test"},
    ),
    "tag-graph": Template(
        imports=(
            SAVE,
            "from rivae.figures.tag_graph import tag_graph",
            "from rivae.exploring.words.item_words import item_tags",
            "from rivae.exploring.words.tags import read_tag_map, tag_nodes",
        ),
        body="""\
tags = item_tags(run.data)
factor = {factor}
nodes = [n for n in tag_nodes(read_tag_map(), tags) if factor in (None, n.factor)]
save(tag_graph(nodes, n_tags={n_tags}), "tags.html")
""",
        defaults={"factor": None, "n_tags": 10},
        asked=False,
    ),
}
