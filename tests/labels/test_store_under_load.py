"""Twenty annotators at once, and processes that are killed in the middle: nothing gets lost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from rivae.base.errors import LabelError
from rivae.labels import database
from rivae.labels.events import from_record
from rivae.labels.rows import insert_events
from rivae.labels.store import LabelStore
from tests.labels.making import event, undo
from tests.labels.postgres import PostgresServer
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.slow

N_ANNOTATORS = 20

# Labels as fast as it can and prints every event once the store has confirmed it.
CHILD = """
import json, sys
from tests.labels.making import event, undo
from tests.labels.postgres import PostgresServer
from rivae.labels import database
from rivae.labels.store import LabelStore
from tests.waiting import PATIENCE_S

database.PATIENCE_S = PATIENCE_S
url, annotator, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = LabelStore(url)
for i in range(n):
    batch = [event(annotator, i, 1 + (i + k) % 5, n=i) for k in range(1 + i % 3)]
    if i % 7 == 3:
        batch.append(undo(batch[-1]))
    numbers = store.append(batch)
    for e in batch:
        sys.stdout.write(json.dumps([numbers[e.id], e.record()]) + "\\n")
    sys.stdout.flush()
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """On a slow machine twenty writers wait for one another longer than a page may."""
    monkeypatch.setattr(database, "PATIENCE_S", PATIENCE_S)


def start(repo_root, url, annotator, n, output):
    # A file and not a pipe: what a killed child has written stays, and nobody has to read along.
    with output.open("wb") as stream:
        return subprocess.Popen(
            [sys.executable, "-c", CHILD, url, annotator, str(n)],
            cwd=repo_root,
            stdout=stream,
            stderr=subprocess.PIPE,
        )


def confirmed(output):
    """What was printed completely; the last line may have been cut off by the kill."""
    lines = output.split("\n")[:-1]
    return [(seq, from_record(record)) for seq, record in map(json.loads, lines)]


def check_complete(store, expected):
    """Every confirmed event is stored under its number, each number once, without a gap."""
    stored = store.events()
    assert [seq for seq, _ in stored] == list(range(1, len(stored) + 1))
    assert len({e.id for _, e in stored}) == len(stored)
    found = dict(stored)
    assert [seq for seq, e in expected if found.get(seq) != e] == []
    return stored


def test_twenty_threads_lose_nothing_and_readers_miss_nothing(url):
    store = LabelStore(url)
    done = threading.Event()

    def annotate(name):
        confirmed = []
        for i in range(15):
            batch = [event(name, i, 1 + i % 5), event(name, i, 5 - i % 5)]
            batch.append(undo(batch[1]))
            numbers = store.append(batch)
            # As a client does that got no answer.
            assert store.append(batch) == numbers
            confirmed += [(numbers[e.id], e) for e in batch]
        return confirmed

    def watch():
        seen = []
        while True:
            last_look = done.is_set()
            seen += store.events(since=seen[-1][0] if seen else 0)
            if last_look:
                return seen
            time.sleep(0.01)

    with ThreadPoolExecutor(N_ANNOTATORS + 1) as pool:
        reader = pool.submit(watch)
        try:
            names = [f"annotator {k}" for k in range(N_ANNOTATORS)]
            results = [pair for found in pool.map(annotate, names) for pair in found]
        finally:
            done.set()
    assert len(check_complete(store, results)) == len(results) == N_ANNOTATORS * 15 * 3
    assert reader.result() == store.events()
    assert {(p.annotator, p.labelled) for p in store.progress()} == {(n, 15) for n in names}
    assert all(c.event.level == 1 + int(c.event.item[8:]) % 5 for c in store.current())
    store.close()


def test_many_stores_open_an_empty_database_at_once(url):
    def work(k):
        with LabelStore(url) as store:
            return store.append([event(f"annotator {k}")])

    with ThreadPoolExecutor(N_ANNOTATORS) as pool:
        numbers = [n for found in pool.map(work, range(N_ANNOTATORS)) for n in found.values()]
    assert sorted(numbers) == list(range(1, N_ANNOTATORS + 1))
    with LabelStore(url) as store:
        assert len(store.annotators()) == len(store.current()) == N_ANNOTATORS


def test_processes_lose_nothing(url, repo_root, tmp_path):
    # Four processes as four servers would be, beside the twenty threads above.
    files = [tmp_path / f"{k}.jsonl" for k in range(4)]
    children = [start(repo_root, url, f"annotator {k}", 40, files[k]) for k in range(4)]
    for child in children:
        _, errors = child.communicate(timeout=PATIENCE_S)
        assert child.returncode == 0, errors.decode()
    results = [pair for file in files for pair in confirmed(file.read_text())]
    assert len(results) == 4 * (79 + 6)
    with LabelStore(url) as store:
        assert len(check_complete(store, results)) == len(results)


@pytest.mark.parametrize(
    "lines", [40, *(pytest.param(n, marks=pytest.mark.slow(rare=True)) for n in (1, 150))]
)
def test_a_kill_in_the_middle_of_a_burst_loses_nothing_that_was_confirmed(
    url, repo_root, tmp_path, lines
):
    files = [tmp_path / f"{k}.jsonl" for k in range(2)]
    children = [start(repo_root, url, f"annotator {k}", 10**9, files[k]) for k in range(2)]
    while any(file.read_bytes().count(b"\n") < lines for file in files):
        assert all(child.poll() is None for child in children)
        time.sleep(0.005)
    for child in children:
        child.kill()
        child.communicate()
    results = [pair for file in files for pair in confirmed(file.read_text())]
    assert len(results) >= 2 * lines
    with LabelStore(url) as store:
        stored = check_complete(store, results)
        # A batch whose confirmation the kill swallowed may be stored; a half of one may not.
        assert len(stored) - len(results) <= 2 * 4
        assert store.append([event("afterwards")])
        for k in range(2):
            mine = [e for _, e in stored if e.annotator == f"annotator {k}"]
            whole = [e for _, e in results if e.annotator == f"annotator {k}"]
            assert [e.id for e in mine[: len(whole)]] == [e.id for e in whole]


def test_a_failed_batch_leaves_nothing_behind_and_blocks_nobody(url):
    with LabelStore(url) as store:
        first = event()
        store.append([first])
        with pytest.raises(KeyboardInterrupt), store.writing() as connection:
            insert_events(connection, [event(item=2)])
            raise KeyboardInterrupt
        with pytest.raises(LabelError, match="never stored"):
            store.append([event(item=3), undo(event(id=str(uuid.uuid4())))])
        later = event(item=4)
        assert store.append([later]) == {later.id: 2}
        assert [e for _, e in store.events()] == [first, later]


def test_a_crash_of_the_server_loses_nothing_that_was_confirmed():
    # A server that is told to answer before it has written; the store insists.
    server = PostgresServer("synchronous_commit=off", "wal_writer_delay=10s")
    try:
        with LabelStore(server.empty_database()) as store:
            results = []
            for i in range(30):
                given = event(item=i)
                results.append((store.append([given])[given.id], given))
            server.stop()
            with pytest.raises(LabelError, match="did not answer"):
                store.append([event()])
            server.start()
            # The same store goes on: the app need not be started again.
            assert check_complete(store, results) == results
            assert store.append([event(item=99)])
    finally:
        server.remove()
