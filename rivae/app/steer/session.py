"""The Steer page's session: its matrix, the panel's reports and the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from rivae.app.panels.component import Component
from rivae.app.panels.links import Query
from rivae.app.panels.steer_link import SteerLink
from rivae.app.shared import address, charts, defaults
from rivae.app.shared.runs import chip_title
from rivae.app.shared.session import Report, Session, answered
from rivae.app.shell import access, cache, keys, web
from rivae.app.steer import answers as steer_answers
from rivae.app.steer import state, tours
from rivae.app.steer.state import SteerState
from rivae.app.work import certainty
from rivae.base.errors import ConfigError
from rivae.exploring.explorer import Explorer
from rivae.exploring.placing import axis_names
from rivae.exploring.sliders import caption, certainty_marks
from rivae.exploring.steering import SteerRow
from rivae.exploring.tours import MAX_HEADING, TourStep
from rivae.exploring.words.axis_names import cut
from rivae.runs import Run


class SteerSession(Session[SteerState, SteerLink]):
    """The session of Steer."""

    def explorer(self, state: SteerState) -> Explorer:
        return cache.asked(state.run, state.asks)

    def in_hand(self, state: SteerState) -> tuple[str, Query | str]:
        return state.run, state.query

    def to_link(self, shown: SteerState) -> SteerLink:
        return state.to_link(shown)

    def commit(self, shown: SteerState, view: Mapping[str, Any]) -> SteerState:
        return state.commit(self.explorer(shown), shown, view)

    def with_query(self, shown: SteerState, query: Query) -> SteerState:
        return state.with_query(self.explorer(shown), shown, query)

    def on_ask(self, question: Report) -> None:
        """As on every page, about rows of several axes."""
        ask(question, self.keys.answer)

    def on_add(self, report: Report) -> None:
        """A row becomes a step of the tour in hand, or is one no longer."""
        title = f"Tour of {chip_title(self.shown.run)}"
        self.guarded(lambda: tours.flag(self._step(report), title))

    def on_caption(self, report: Report) -> None:
        """The caption of a step was edited in its row; emptied, it is written by itself again."""
        self.guarded(lambda: tours.caption(self._step(report)))

    def _step(self, report: Report) -> TourStep:
        """The row that a report names as a step, with the caption that it brings or its own."""
        state_shown, at = self.take(report.get("view")), report.get("row")
        if type(at) is not int or not 0 <= at < len(state_shown.rows):
            raise ConfigError("the panel named no row")
        row, text = SteerRow(state_shown.axes, state_shown.rows[at]), report.get("caption")
        own_caption = cut(caption(self.explorer(state_shown), row), MAX_HEADING)
        heading = text if isinstance(text, str) and text.strip() else own_caption
        return TourStep(
            heading,
            "",
            state_shown.run,
            state_shown.query,
            row,
            state_shown.n_sigma,
            state_shown.asks,
        )


PAGE = SteerSession(keys.STEER, SteerLink)
PANEL = Component(
    "rivae_steer",
    js=(
        "dom.js",
        "wire.js",
        "layout.js",
        "panel.js",
        "cloud.js",
        "levels.js",
        "sharp.js",
        "steer_row.js",
        "steer_head.js",
        "steer.js",
    ),
    css=("base.css", "cloud.css", "steer.css"),
    # The matrix after a change, an action with the matrix, and questions where the web route is
    # missing.
    reports={
        "commit": dict,
        "pick": dict,
        "choose": dict,
        "add": dict,
        "caption": dict,
        "ask": dict,
        "ask_words": dict,
    },
)


def current(entered: bool, ready: Sequence[Run]) -> tuple[SteerState, Explorer]:
    """The state to show: the session's, unless the address says otherwise.

    Raises:
        RivaeError: the run in question is missing, broken or not ready.
    """

    def begin(link: SteerLink, rev: int) -> tuple[SteerState, list[str], Explorer]:
        run, explorer, left_out = defaults.opened(
            link.run, defaults.names(ready), lambda run: cache.asked(run, link.asks)
        )
        first_state, notes = state.from_link(explorer, run, link, rev)
        return first_state, left_out + notes, explorer

    return PAGE.current(entered, PAGE.explorer, begin)


def panel_data(explorer: Explorer, shown: SteerState) -> dict[str, Any]:
    """What the panel is sent; the names of axes may change with the run as it is."""
    key = f"{cache.model_key(shown.run, shown.asks)}/{'/'.join(axis_names(explorer).values())}"
    payload = PAGE.sent(
        key, lambda: state.payload(explorer, shown, key, web.steer_url()), keys.STEER_WORDS
    )
    axis_certainty = certainty.known_certainty(explorer.run)
    return {
        **payload,
        "pictures": web.pictures_url(cache.data_version(shown.run)),
        "words": st.session_state.get(keys.STEER_WORDS),
        "colors": word_colors(),
        "marks": certainty_marks(axis_certainty, explorer.axis_names),
        "tour": tours.steps_in_hand(),
        "mayCaption": access.may_change(),
    }


def word_colors() -> dict[str, str]:
    """The colours of words by their relation, for the theme that is shown."""
    from rivae.figures.clouds import relation_color
    from rivae.figures.palette import theme as colors

    palette = colors(charts.is_dark())
    return {
        "related": relation_color("related", palette),
        "opposite": relation_color("opposite", palette),
        "none": relation_color("none", palette),
    }


def come_back() -> None:
    """The matrix as it was before a tour was presented; for callbacks."""
    if PAGE.known is not None:
        PAGE.save()
    PAGE.refresh()


def ask(question: Report, key: str) -> None:
    """Answers a question through the session, under ``key``."""
    st.session_state[key] = answered(question, steer_answers.answer)


def choose_run() -> None:
    """Another run was chosen; axes belong to a run, so its default matrix is shown."""
    link = SteerLink(st.session_state[keys.STEER_RUN])
    address.write(link.write(), SteerLink.names())
