"""Templates of the Words page's panels."""

from __future__ import annotations

from rivae.snippets.panel import SAVE, Panel

_STATES = (
    "from rivae.words.item_words import item_words",
    "from rivae.words.clouds import N_QUERIES, axis_states",
)
_STATES_BODY = """\
data = explorer.data
words = item_words(data)
queries = explorer.search_rows[:N_QUERIES]
states = axis_states(explorer.retriever, explorer.prior, {dim}, {n_sigma}, queries)
"""

WORDS: dict[str, Panel] = {
    "clouds": Panel(
        imports=(
            *_STATES,
            SAVE,
            "from rivae.plots.cloud_sheet import cloud_sheet",
            "from rivae.plots.clouds import make_clouds",
            "from rivae.words.clouds import count_words",
            "from rivae.words.item_words import item_tags",
            "from rivae.words.relations import AXIS, find_target, related_words, target_values",
        ),
        body=_STATES_BODY
        + """\
left_out = () if {everyday} else words.everyday()
counts = count_words(states.by_name(), words.sets, leave_out=left_out)
tags = item_tags(data)
target = find_target({relation}, data, tags, explorer.axis_ids[{dim}])
rows = explorer.search_rows
if target.key == AXIS:
    position = explorer.retriever.latents(rows)[:, {dim}]
    relation = related_words([words.sets[i] for i in rows], position)
else:
    relation = related_words(words.sets, target_values(target, data, tags))
clouds = make_clouds(
    counts, relation, factor=target.label, n_words={n_words}, width={width}, height={height}
)
sheet = cloud_sheet(
    clouds, [states.items(s) for s in range(3)], lambda item: data.picture(item, 2), data.title
)
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
        },
    ),
    "word-contrast": Panel(
        imports=(
            *_STATES,
            SAVE,
            "from rivae.plots.contrast import contrast_dots",
            "from rivae.words.contrast import contrast",
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
    "axis-evidence": Panel(
        imports=(
            "from rivae.words.item_words import has_texts, item_tags, item_words",
            "from rivae.words.naming import axis_evidence, propose_name",
            "from rivae.words.relations import factor_table",
        ),
        body="""\
data, rows = explorer.data, explorer.search_rows
words = item_words(data).sets if has_texts(data) else [()] * len(data)
tags = item_tags(data)
factors, names = factor_table(data)
evidence = axis_evidence(
    explorer.retriever.latents(rows), [words[i] for i in rows],
    None if tags is None else [tags[i] for i in rows],
    None if factors is None else factors[rows], names,
)
for j, found in enumerate(evidence):
    proposal = propose_name(j, found)
    print(explorer.axis_names[j], "|", proposal.name if proposal else "no proposal")
    for e in found:
        print("   ", e.kind, e.term, round(e.strength, 2))
""",
        defaults={"rows": "test"},
    ),
    "tag-graph": Panel(
        imports=(
            SAVE,
            "from rivae.plots.tag_graph import tag_graph",
            "from rivae.words.item_words import item_tags",
            "from rivae.words.tags import read_tag_map, tag_nodes",
        ),
        body="""\
tags = item_tags(run.load_dataset())
factor = {factor}
nodes = [n for n in tag_nodes(read_tag_map(), tags) if factor in (None, n.factor)]
save(tag_graph(nodes, n_tags={n_tags}), "tags.html")
""",
        defaults={"factor": None, "n_tags": 10},
        opens=False,
    ),
}
