"""Fragments that are drawn again before the browser has been sent the page that they are in."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest, local_script_runner

import rivae.app
from rivae.runs import Run
from tests.waiting import PATIENCE_S


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


class Line:
    """A browser's connection to the app, without the browser."""

    def __init__(self, socket):
        self.socket = socket

    def ask(self, page="", query_string="", fragment_id=""):
        """Ask for a page, or for one of its fragments to be drawn again."""
        from streamlit.proto.BackMsg_pb2 import BackMsg

        asks = BackMsg()
        asks.rerun_script.query_string = query_string
        asks.rerun_script.page_script_hash = page
        asks.rerun_script.fragment_id = fragment_id
        asks.rerun_script.is_auto_rerun = bool(fragment_id)
        self.socket.send(asks.SerializeToString())

    def read_until(self, kind):
        """What comes, up to and with the first message of this kind."""
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        messages = []
        while not messages or messages[-1].WhichOneof("type") != kind:
            messages.append(ForwardMsg.FromString(self.socket.recv(timeout=PATIENCE_S)))
        return messages

    def finished(self):
        """What comes until the page is complete."""
        return self.read_until("script_finished")


@pytest.mark.slow
def test_a_fragment_of_the_page_before_is_not_drawn_any_more(runs, start_app, tmp_path):
    """Else the browser takes its page for the one that is shown, and drops what is."""
    from websockets.sync.client import connect

    shutil.copytree(runs / "digits", tmp_path / "runs" / "digits")
    run = Run(tmp_path / "runs" / "digits")
    run.write_preview(run.load_method().state_dict(), "joint", 2)
    (run.path / "model.safetensors").unlink()  # it trains, so that its page looks again and again
    with (
        start_app(tmp_path / "runs", tmp_path / "log") as address,
        connect(
            f"{address.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=["streamlit"],
            origin=address,
            max_size=None,
        ) as socket,
    ):
        line = Line(socket)
        line.ask()
        (told,) = (m.navigation for m in line.finished() if m.HasField("navigation"))
        pages = {page.url_pathname: page.page_script_hash for page in told.app_pages}
        line.ask(pages["explore"], "run=digits")
        looks = {m.auto_rerun.fragment_id for m in line.finished() if m.HasField("auto_rerun")}
        assert looks
        line.ask(pages["metrics"])
        shown = line.read_until("delta")
        for fragment_id in looks:  # the browser has not heard of that page yet
            line.ask(pages["explore"], "run=digits", fragment_id)
        shown += line.finished()
        line.ask(pages["label"])
        shown += line.read_until("new_session")
    begun = [m.new_session.page_script_hash for m in shown if m.HasField("new_session")]
    assert begun == [pages["metrics"], pages["label"]]
