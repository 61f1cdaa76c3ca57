"""The walk of docs/extending.md names exactly the Python files that a warm answer passes."""

import asyncio
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import rivae
from rivae.app import server
from rivae.app.shell import cache, web

ROOT = Path(rivae.__file__).parents[1]


def named_files():
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    walk = text.partition("## From slider to picture")[2]
    return set(re.findall(r"^\| \d+ \| `(rivae/[^`]+\.py)`", walk, re.MULTILINE))


def test_a_warm_answer_passes_the_files_that_the_walk_names(runs, monkeypatch):
    # The next look at the run's folder, which is every two seconds, must not fall between the two.
    monkeypatch.setattr(cache, "RESOLVED_S", float("inf"))
    explorer = cache.explorer("digits")
    z = [round(float(v), 4) for v in explorer.mean]
    question = {"run": "digits", "rows": "test", "z": z, "k": 12, "side": 2, "seq": 1}
    passed, is_warm = set(), False

    def note(frame, event, arg):
        if is_warm and event == "call":
            passed.add(frame.f_code.co_filename)

    async def ask():
        nonlocal is_warm
        asked = json.dumps(question).encode()
        first = await server.answer_posted(web.TOPK_PATH, asked, cache.at_once)
        is_warm = True
        second = await server.answer_posted(web.TOPK_PATH, asked, cache.at_once)
        is_warm = False
        return first, second

    threading.setprofile(note)  # for the thread that answers, which the first question starts
    try:
        # In a thread of its own: a browser of other tests may have left a loop in this one.
        with ThreadPoolExecutor(1) as thread:
            first, second = thread.submit(lambda: asyncio.run(ask())).result()
    finally:
        threading.setprofile(None)
    assert first.body == second.body and len(json.loads(second.body)["items"]) == 12
    own = {Path(name).relative_to(ROOT).as_posix() for name in passed if is_own(name)}
    assert own == named_files() | {file_of_index(explorer)}
    assert len(named_files()) <= 10


def file_of_index(explorer):
    """Where another index suits better than the one that is named, the walk passes it, too."""
    return f"{type(explorer.retriever.index).__module__.replace('.', '/')}.py"


def is_own(name):
    return Path(name).is_relative_to(ROOT / "rivae")
