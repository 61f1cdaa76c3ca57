"""The same work on the workers of a cluster: equal results, whatever happens to the workers."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from rivae.base.cluster import on_cluster, spread
from rivae.base.errors import ConfigError, WorkStoppedError
from rivae.base.reading.tar_rows import FilePart
from rivae.cli.main import main
from rivae.data.importing.report import UnusableError
from tests.importing.clusters import both_stand, workers_of
from tests.importing.squares import Deadly, Slowly, Unopenable
from tests.importing.test_shards import tar_of
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]
distributed = pytest.importorskip("distributed")
N = 60


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Records with pictures in a folder and in a zip's way of writing, some of them unusable."""
    folder = tmp_path_factory.mktemp("pairs")
    rng = np.random.default_rng(0)
    lines = ["id,title,picture,depth"]
    (folder / "photos").mkdir()
    for i in range(N):
        picture = rng.integers(0, 255, (40 + i % 7, 48, 3), dtype=np.uint8)
        if i % 11:
            Image.fromarray(picture).save(folder / "photos" / f"p{i}.png")
        if i % 13 == 5:
            (folder / "photos" / f"p{i}.png").write_bytes(b"no picture")
        # Every fifth is guessed: the file is written otherwise than the table has it.
        lines.append(f"r{i},Soup {i},{f'P{i}.PNG' if i % 5 == 0 else f'p{i}.png'},{i % 3}")
    (folder / "table.csv").write_text("\n".join(lines))
    return folder / "table.csv"


def contents(folder):
    """Path -> bytes of what an import or features are; when it was made is not of it."""
    made = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    found = {str(path): (folder / path).read_bytes() for path in made if "cache" not in path.parts}
    if about := found.pop("store.json", b""):
        found["store.json"] = b"".join(
            line for line in about.splitlines() if b'"created"' not in line
        )
    return found


def imported(table, root, monkeypatch, *options):
    monkeypatch.setenv("RIVAE_DATA", str(root))
    images = ("--images", str(table.parent / "photos"), "--factor", "depth")
    assert main(["import", str(table), *images, "--name", "soups", *options]) == 0
    return root / "soups"


def outcomes(results):
    out = []
    for number, result in results:
        try:
            out.append((number, result()))
        except UnusableError as error:
            out.append((number, (str(error), error.what)))
    return out


@settings(max_examples=6, deadline=None)
@given(numbers=st.lists(st.integers(0, 99), max_size=70), together=st.integers(1, 9))
def test_results_and_refusals_come_in_order_as_they_do_here(address, numbers, together):
    here = outcomes(spread(numbers, Slowly()))
    with on_cluster(address):
        assert outcomes(spread(numbers, Slowly(), together=together)) == here
        assert outcomes(spread(numbers, Slowly(), n_threads=0, is_sent=False)) == here


def test_an_import_and_its_features_are_those_of_one_process(
    address, table, tmp_path, monkeypatch, capsys
):
    reports = []
    for place, options in (("here", ()), ("there", ("--on", address))):
        folder = imported(table, tmp_path / place, monkeypatch, *options)
        reports.append(capsys.readouterr().out.replace(place, ""))
        assert main(["features", str(folder), "statistics", "efficientnet-lite0", *options]) == 0
        capsys.readouterr()
    here, there = (contents(tmp_path / place / "soups") for place in ("here", "there"))
    assert "features/statistics/pictures.npy" in here
    assert there == here
    assert reports[0] == reports[1]


@pytest.mark.parametrize("where", ["here", "in a store"])
def test_pictures_of_tars_are_decoded_by_the_workers(
    address, tmp_path, monkeypatch, capsys, where, kept_apart
):
    """They read those of a folder themselves. ``file://`` is read as an object store is."""
    (tmp_path / "tars").mkdir()
    for shard in range(3):
        numbers = range(20 * shard, 20 * shard + 20)
        (tmp_path / "tars" / f"{shard}.tar").write_bytes(tar_of(numbers))
    table = str(tmp_path / "tars")
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path))
    assert main(["import", table, "--name", "alone"]) == 0
    if where == "in a store":
        pytest.importorskip("upath")
        table = f"file://{table}"
    read_here = []
    monkeypatch.setattr(FilePart, "read", lambda part: read_here.append(part))
    assert main(["import", table, "--name", "together", "--on", address]) == 0
    assert not read_here
    alone, together = (contents(tmp_path / name) for name in ("alone", "together"))
    for different in ("store.json",):  # it has the name
        assert alone.pop(different) and together.pop(different)
    assert together == alone


def test_a_worker_that_is_killed_or_stands_still_changes_nothing(cluster, address, kept_apart):
    here = outcomes(spread(range(60), Slowly()))
    killed, slow = workers_of(cluster)
    with on_cluster(address):
        results = spread(range(60), Slowly(0.05), together=4)
        some = outcomes([next(results) for _ in range(8)])
        os.kill(killed, signal.SIGKILL)
        os.kill(slow, signal.SIGSTOP)
        time.sleep(2)
        os.kill(slow, signal.SIGCONT)
        assert some + outcomes(results) == here


def test_a_worker_that_is_killed_while_it_is_told_what_to_do(cluster, address, kept_apart):
    """At any moment of the first second."""
    here = outcomes(spread(range(20), Slowly()))
    for delay in (0.0, 0.02, 0.2):
        victim = threading.Timer(delay, os.kill, (workers_of(cluster)[0], signal.SIGKILL))
        victim.start()
        with on_cluster(address):
            assert outcomes(spread(range(20), Slowly(0.02), together=3)) == here
        victim.join()
        both_stand(cluster)


def test_what_ends_its_workers_is_named_and_what_came_before_is_kept(cluster, address, kept_apart):
    done = []
    with on_cluster(address), pytest.raises(WorkStoppedError, match="41 to 44 ended 4") as error:
        for number, result in spread(range(0, 200), Deadly(), None, 4, lambda n: str(n + 1)):
            done.append(number)
            if number % 2 == 0:
                result()
    assert done == list(range(40))
    assert "same command" in str(error.value)


def test_who_stops_early_leaves_the_workers_free(address):
    with on_cluster(address):
        results = spread(range(500), Slowly(0.2))
        next(results)
        results.close()
        begun = time.monotonic()
        assert outcomes(spread([2], Slowly())) == [(2, 4)]
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("place", ["", "8786", "http://127.0.0.1:1", "tcp://127.0.0.1:x", "tcp://"])
def test_what_is_no_address(place):
    with pytest.raises(ConfigError, match="tcp://HOST"), on_cluster(place or " "):
        pass


def test_certificates_that_lack():
    with pytest.raises(ConfigError, match="needs certificates"), on_cluster("tls://x:8786"):
        pass


@pytest.mark.parametrize("is_silent", [True, False])
def test_somebody_else_who_answers_and_one_who_says_nothing(monkeypatch, is_silent):
    monkeypatch.setattr("rivae.base.cluster.ANSWERS_WITHIN_S", 2.0)
    open_connections = []
    with socket.create_server(("127.0.0.1", 0)) as other:

        def accept():
            with suppress(OSError):  # closed at the end
                while True:
                    connection, _ = other.accept()
                    open_connections.append(connection) if is_silent else connection.close()

        threading.Thread(target=accept, daemon=True).start()
        place = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(ConfigError, match="not as this machine asks"), on_cluster(place):
            pass
        other.shutdown(socket.SHUT_RDWR)
    for connection in open_connections:
        connection.close()


def test_a_worker_without_a_package_is_one_sentence_and_goes_on(address):
    here = outcomes(spread(range(3), Slowly()))
    with on_cluster(address):
        with pytest.raises(ConfigError, match="no_such_package"):
            [result() for _, result in spread([Unopenable()], Slowly())]
        assert outcomes(spread(range(3), Slowly())) == here


def test_nobody_there_or_no_worker_or_a_folder_that_they_do_not_see(address, tmp_path):
    for nobody in ("tcp://127.0.0.1:1", "tcp://nobody.invalid:8786"):
        with pytest.raises(ConfigError, match="dask scheduler"), on_cluster(nobody):
            pass
    with (
        distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as empty,
        pytest.raises(ConfigError, match="dask worker"),
        on_cluster(empty.scheduler_address),
    ):
        pass
    unseen = tmp_path / "only here"
    with pytest.raises(ConfigError, match="only here"), on_cluster(address, [unseen]):
        pass


@pytest.fixture
def lone_cluster():
    """A scheduler and one worker that are processes of their own: the address, and the former."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address, command = f"tcp://127.0.0.1:{port}", [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen(
        [*command, "scheduler", "--port", str(port), "--no-dashboard", "--host", "127.0.0.1"],
        **quiet,
    )
    worker = subprocess.Popen(
        [*command, "worker", address, "--nthreads", "1", "--no-nanny"], **quiet
    )
    yield address, scheduler
    for process in (worker, scheduler):
        process.kill()
        process.wait()


def test_a_killed_command_resumes_and_a_scheduler_that_goes_away_is_one_sentence(
    lone_cluster, table, tmp_path, monkeypatch, capfd
):
    """Of two features with the same content one is stopped twice, the other never."""
    address, scheduler = lone_cluster
    folder = imported(table, tmp_path, monkeypatch)
    command = ["features", str(folder), "efficientnet-lite0", "--batch-size", "1"]
    there = [*command, "--as", "there"]
    partial = folder / "features" / "there" / "partial.json"

    def begun():
        return subprocess.Popen([sys.executable, "-m", "rivae", *there, "--on", address])

    def n_done():
        return json.loads(partial.read_text())["done"]["pictures"] if partial.exists() else 0

    until(answers(address), "a worker is there")
    first = begun()
    until(n_done, "the first batches")
    first.kill()
    first.wait()
    second, n_before = begun(), n_done()
    until(lambda: n_done() > n_before, "more of them")
    scheduler.kill()
    assert second.wait(timeout=PATIENCE_S) == 1
    assert "does not answer any more" in capfd.readouterr().err
    assert 0 < n_done() < N
    assert main([*command, "--as", "here"]) == 0
    assert main(there) == 0
    here, resumed = (contents(folder / "features" / name) for name in ("here", "there"))
    assert here == resumed
    assert here["pictures.npy"]


def answers(address):
    def has_worker():
        with suppress(ConfigError), on_cluster(address):
            return True
        return False

    return has_worker
