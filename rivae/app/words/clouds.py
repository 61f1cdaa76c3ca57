"""The clouds of the Words page: three states of an axis, with pictures and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.app.panels.answers import picture
from rivae.app.panels.component import Component
from rivae.app.shared import charts, frame, share, words
from rivae.app.shell import cache
from rivae.app.shell.report import waiting
from rivae.app.shell.text import escape, markdown
from rivae.app.words import page_keys, session
from rivae.exploring.placing import axis_names
from rivae.exploring.words.axis_names import signed_id

if TYPE_CHECKING:
    from rivae.app.words.session import AxisChoice
    from rivae.exploring.explorer import Explorer
    from rivae.exploring.placing import AxisKey
    from rivae.exploring.words.clouds import AxisStates
    from rivae.exploring.words.relations import Target
    from rivae.figures.clouds import Clouds

NO_WORDS = "No retrieved item here has words. Choose another axis or width."
NO_RARE_WORDS = NO_WORDS[:-1] + ", or show everyday words."
N_PICTURES = 4


def panel(explorer: Explorer, run_id: str) -> None:
    """Controls, clouds, legend and counts."""
    key = cache.model_key(run_id, explorer.asks)
    choice = session.axis_and_width(explorer)
    with frame.details():
        axis = axis_names(explorer)[choice.key]
        target = session.relation_picker(words.targets_of(explorer.data, axis))
        everyday = session.everyday_toggle()
    with waiting("Counting the words along this axis …", 460):
        axis_states = words.states(key, choice.key, choice.n_sigma, explorer)
        clouds = words.clouds(key, choice.key, choice.n_sigma, target, everyday, explorer)
    if clouds is None:
        st.info(NO_WORDS if everyday else NO_RARE_WORDS)
        return
    _remark(axis_states)
    CLOUDS(
        payload(explorer, clouds, axis_states, choice.key, dark=charts.is_dark()),
        key=page_keys.PANEL,
        word=lambda report: _word(explorer, clouds, axis_states, report),
        item=lambda i: open_item(explorer, i),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(legend(clouds, dark=charts.is_dark()), width="content")
        st.space("stretch")
        _export(explorer, run_id, clouds, axis_states, choice, target, everyday)
    _counts(clouds)


def payload(
    explorer: Explorer, clouds: Clouds, found: AxisStates, key: AxisKey, *, dark: bool
) -> dict[str, Any]:
    """What the component draws; the SVGs are escaped, all other text is plain."""
    from rivae.figures.clouds import to_svg

    letter, poles = _called(explorer, key)
    states = []
    for s, name in enumerate(found.names):
        items = found.items(s)
        value = f"{found.values[s]:.2f}".replace("-", "−")
        n = f"{len(items)} different items"
        states.append(
            {
                "name": name,
                "note": " · ".join(filter(None, (poles[s], f"{letter} = {value}", n))),
                "svg": to_svg(clouds, s, dark=dark),
                "tiles": [
                    [i, *picture(explorer, i, explorer.found_side)] for i in items[:N_PICTURES]
                ],
            }
        )
    return {"states": states, "aspect": explorer.aspect(explorer.found_side)}


def _called(explorer: Explorer, key: AxisKey) -> tuple[str, tuple[str, str, str]]:
    """The letter of an axis, and its poles with room between them."""
    if isinstance(key, str):
        low, high = next(p.axis.poles for p in explorer.added_axes if p.axis.id == key)
        return key, (low, "", high)
    name = explorer.known_names[key]
    letter = signed_id(explorer.axis_ids[key], int(explorer.signs[key]))
    return letter, (name.poles[0], "", name.poles[1]) if name else ("", "", "")


def legend(clouds: Clouds, *, dark: bool) -> str:
    """The three kinds of words, each written as in the clouds, as HTML."""
    from rivae.figures.clouds import LEGEND, relation_color
    from rivae.figures.palette import theme as palette

    css = {
        "related": "font-weight:700;text-decoration:underline",
        "opposite": "font-weight:700;font-style:italic",
        "none": "",
    }
    marks = "".join(
        f'<span style="color:{relation_color(relation, palette(dark))};{css[relation]}">'
        f"{escape(text.format(clouds.factor))}</span>"
        for relation, text in LEGEND.items()
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:.2rem 1.4rem">{marks}</div>'


def _remark(states: AxisStates) -> None:
    """A warning if an end lies far from all data, which the clouds do not show."""
    few = [
        name for s, name in enumerate(states.names) if len(states.items(s)) <= states.ids.shape[2]
    ]
    if few:
        st.warning(
            f"At {' and '.join(few)} every query finds the same few items: this far from the data "
            "the words mean little.",
            icon=":material/info:",
        )


def _word(
    explorer: Explorer, clouds: Clouds, states: AxisStates, report: dict[str, object]
) -> None:
    """A word was clicked: list the items of its state that have it."""
    from rivae.exploring.words.item_words import items_with

    s, w = report.get("state"), report.get("word")
    if not isinstance(s, int) or not isinstance(w, int):
        return
    if s in range(len(states.names)) and w in range(len(clouds.counts.words)):
        word = clouds.counts.words[w]
        ids = items_with(words.words_of(explorer.data).sets, word, states.items(s))
        session.open_list(f"{word} at {states.names[s]}", ids)


def open_item(explorer: Explorer, i: int) -> None:
    """A picture under a cloud was clicked."""
    session.close()
    session.open_item(i, explorer)


def _counts(clouds: Clouds) -> None:
    """The counts behind the clouds, drawn once they are unfolded: only then a table is needed."""
    counts = clouds.counts
    part = st.expander(
        "Counts", icon=":material/table_rows:", key=page_keys.COUNTS, on_change="rerun"
    )
    if not part.open:
        return
    import pandas as pd

    with part:
        n = " · ".join(
            f"{state} {total}" for state, total in zip(counts.states, counts.n_items, strict=True)
        )
        st.caption(markdown(f"Items that have the word, of: {n}"))
        rows = [{**row, "relation": clouds.of(row["word"])} for row in counts.rows()]
        st.dataframe(pd.DataFrame(rows), hide_index=True, height=320)


def _export(
    explorer: Explorer,
    run_id: str,
    clouds: Clouds,
    states: AxisStates,
    choice: AxisChoice,
    target: Target,
    everyday: bool,
) -> None:
    from rivae.figures.cloud_sheet import CloudSheet, cloud_sheet
    from rivae.figures.clouds import cloud_note

    data, note = explorer.data, cloud_note(clouds)

    def figure() -> CloudSheet:
        items = [states.items(s) for s in range(len(states.names))]
        return cloud_sheet(
            clouds, items, lambda i: data.picture(i, explorer.found_side), data.title
        )

    share.figure(
        "Clouds",
        "clouds",
        figure,
        run_id,
        "clouds",
        is_chart=False,
        note=f"PNG: {note}" if note else "",
        asks=explorer.asks,
        side=explorer.found_side,
        dim=choice.key,
        n_sigma=choice.n_sigma,
        relation=target.key,
        everyday=everyday,
    )


CLOUDS = Component(
    "rivae_clouds",
    js=("dom.js", "clouds.js"),
    css=("base.css", "clouds.css"),
    reports={"word": dict, "item": int},  # {"state", "word"}; the number of an item
)
