"""Who labels or decides: the name, and the question about a name like one that is known."""

from __future__ import annotations

from urllib.parse import unquote, urlencode

import streamlit as st

from rivae.app.label import page_keys
from rivae.app.shared import labels
from rivae.app.shell import keys
from rivae.app.shell.text import markdown
from rivae.base.errors import LabelError

ASK = "There is an annotator **{}** already. Is that you?"
COOKIE = "rivae_by"  # as in assets/components/label.js
MAX_NAME = 80
DECIDE = "'{}' may be {}, who has labels here: answer the question at the top of the page"


def field(about: str) -> str:
    """The field of the name; returns what stands in it, without spaces around.

    At first it is the name in the address, else the one that last labelled in this browser.
    """
    if page_keys.BY not in st.session_state and page_keys.BY not in st.query_params:
        st.session_state[page_keys.BY] = _last_here()
    name: str = st.text_input(
        "Your name",
        key=page_keys.BY,
        bind="query-params",
        max_chars=MAX_NAME,
        width=180,
        help=about,
    )
    return name.strip()


def link(plan: str, name: str = "") -> str:
    """The address of this page with a plan and, where one is given, the name of who labels."""
    here = str(st.context.url or "").rstrip("/").removesuffix("/label")
    address_fields = {keys.LABEL_PLAN: plan, **({page_keys.BY: name} if name else {})}
    return f"{here}/label?{urlencode(address_fields)}"


def _last_here() -> str:
    """The name in the browser's cookie, which the desk writes; not trusted."""
    cookie = st.context.cookies.get(COOKIE)
    name = unquote(cookie)[:MAX_NAME].strip() if isinstance(cookie, str) else ""
    return name if name.isprintable() else ""


def question(name: str) -> bool:
    """Ask whether somebody is a known annotator with another spelling; whether that is open."""
    others = _others(name)
    if not others:
        return False
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(ASK.format(markdown(others[0])), width="content")
        for n, other in enumerate(others):
            st.button(
                f"I am {markdown(other)}",
                key=f"{page_keys.SAME}_{n}",
                type="primary" if n == 0 else "secondary",
                on_click=_be,
                args=(other,),
            )
        st.button(
            f"I am somebody else: {markdown(name)}",
            key=f"{page_keys.SAME}_new",
            on_click=_be_new,
            args=(name,),
        )
    return True


def current() -> str:
    """The name that stands in the field.

    Raises:
        LabelError: it is like a known one, and nobody has said whether that is the same person.
    """
    name = str(st.session_state.get(page_keys.BY) or "").strip()
    if others := _others(name):
        raise LabelError(DECIDE.format(name, others[0]))
    return name


def _others(name: str) -> tuple[str, ...]:
    from rivae.labels.annotators import alike

    if not name or name in st.session_state.get(page_keys.SAME, ()):
        return ()
    annotators = labels.store().annotators()
    return () if name in annotators else alike(name, annotators)


def _be(name: str) -> None:
    st.session_state[page_keys.BY] = name


def _be_new(name: str) -> None:
    st.session_state[page_keys.SAME] = {*st.session_state.get(page_keys.SAME, ()), name}
