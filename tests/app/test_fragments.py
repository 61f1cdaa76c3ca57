"""Fragments that are drawn again before the browser has been sent the page that they are in."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest, local_script_runner

import rivae.app


def own_page():
    import streamlit as st

    from rivae.app.shell.fragments import fragment

    st.text("above")
    fragment()(lambda: st.text("within"))()
    st.text("below")


def streamlits_page():
    import streamlit as st

    st.text("above")
    st.fragment(lambda: st.text("within"))()
    st.text("below")


@pytest.mark.parametrize(("script", "breaks"), [(own_page, False), (streamlits_page, True)])
def test_the_page_below_has_its_place_when_a_fragment_is_taken_back(monkeypatch, script, breaks):
    queues = []
    real = local_script_runner.ForwardMsgQueue
    monkeypatch.setattr(
        local_script_runner, "ForwardMsgQueue", lambda: queues.append(real()) or queues[-1]
    )
    shown = AppTest.from_function(script).run()
    assert [text.value for text in shown.text] == ["above", "within", "below"]
    (queue,) = queues
    deltas = [message for message in queue._queue if message.HasField("delta")]
    queue.clear(True, list({message.delta.fragment_id for message in deltas} - {""}))
    children, refused = {}, []
    for message in queue._queue:
        if message.HasField("delta"):
            *block, index = message.metadata.delta_path
            known = children.setdefault(tuple(block), set())
            if index > len(known):
                refused.append(message)
            known.add(index)
    assert len(children[(0,)]) > 1 and bool(refused) == breaks


def test_no_page_has_a_fragment_without_a_place():
    folder = Path(rivae.app.__file__).parent
    (only,) = (p for p in folder.rglob("*.py") if "st.fragment" in p.read_text(encoding="utf-8"))
    assert only.name == "fragments.py"
