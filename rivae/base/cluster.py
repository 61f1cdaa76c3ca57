"""Work on many items by the workers of a Dask cluster, in the order of the items.

    with on_cluster("tcp://scheduler:8786", needs=[folder]):
        for one, result in spread(inputs, work):
            result()

``spread`` is ``ahead`` where no cluster is named: the laptop is the smallest case. What is sent out
is a function and its inputs, what comes back its results, so equal inputs give equal results
wherever they are computed. Files are read where they are, by the workers: they need the folders at
the same paths, and this package in the same version.

Dask moves functions between its processes by pickle, as it does everything: whoever reaches a
scheduler can run code on its workers. Nothing of that is written to a file.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from rivae.base.ahead import AHEAD, ahead
from rivae.base.errors import ConfigError, WorkStoppedError, shown, some_of
from rivae.base.installed import VERSION, how_to_install

A = TypeVar("A")
B = TypeVar("B")
EXTRA = "cluster"
USUAL = "RIVAE_CLUSTER"  # the variable with the address for the app and its queue
ANSWERS_WITHIN_S = 15.0  # a scheduler that is there
LOOK_S = 2.0  # between two looks at a cluster that gives no result
NO_WORKER_S = 60.0  # without any worker, until that is an error
TRIES = 5  # to tell workers something while one of them dies, a second apart
AGAIN = "the same command resumes"
_MISSING = re.compile(r"No module named '([\w.]+)'")


def spread(
    inputs: Iterable[A],
    work: Callable[[A], B],
    n_threads: int | None = None,
    together: int = 1,
    called: Callable[[A], str] = str,
    is_sent: bool = True,
) -> Iterator[tuple[A, Callable[[], B]]]:
    """As ``ahead``; on the workers of the cluster where one is named.

    Args:
        n_threads: of ``ahead``.
        together: inputs of one task of the cluster, because a task costs a millisecond.
        called: names an input, for the sentence about one that ends its workers.
        is_sent: whether it is worth being sent to a cluster.
    """
    cluster = _CLUSTER.get()
    if cluster is None or not is_sent:
        return ahead(inputs, work, n_threads)
    return cluster.spread(inputs, work, together, called)


@contextmanager
def on_cluster(address: str, needs: Sequence[Path] = ()) -> Iterator[None]:
    """Let ``spread`` send its work to the Dask scheduler at ``address``; "" keeps it here.

    Args:
        address: "tcp://host:8786", or "tls://…" with Dask's own settings for certificates.
        needs: folders and files that the workers have to see.

    Raises:
        ConfigError: Dask is not installed, nobody answers there, no worker is there, or one has
            another version of this package or does not see a folder.
    """
    if not address:
        yield
        return
    client = _connected(address)
    token = None
    try:
        cluster = _Cluster(client, address)
        cluster.require([path.resolve() for path in needs])
        token = _CLUSTER.set(cluster)
        yield
    finally:
        if token is not None:
            _CLUSTER.reset(token)
        client.close(timeout=LOOK_S)


@contextmanager
def on_usual_cluster(needs: Callable[[], Sequence[Path]]) -> Iterator[str]:
    """``on_cluster`` at the address in ``RIVAE_CLUSTER``, for the app and its queue.

    Args:
        needs: called where one is named.

    Yields:
        "", or why that cannot do the work, which is then done here.
    """
    address = os.environ.get(USUAL, "")
    with ExitStack() as stack:
        problem = ""
        try:
            if address:
                stack.enter_context(on_cluster(address, needs()))
        except ConfigError as error:
            problem = str(error)
        yield problem


def _connected(address: str) -> Any:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ConfigError(f"a cluster needs Dask: {how_to_install(EXTRA)}") from None
    try:
        place = urlsplit(address)
        is_address = place.scheme in ("tcp", "tls") and place.hostname and place.port
    except ValueError:  # a port that is none
        is_address = False
    if not is_address:
        raise ConfigError(
            f"'{shown(address)}' is no address of a cluster: write tcp://HOST:8786, or tls://…"
        )
    connection_args = _connection_args(place.scheme)
    try:
        # Asked first, because a client that never was connected waits half a minute for its end.
        socket.create_connection((place.hostname, place.port), ANSWERS_WITHIN_S).close()
    except OSError as error:
        raise ConfigError(
            f"no Dask scheduler answers at {shown(address)}: start one with `dask scheduler`, and "
            "workers with `dask worker`"
        ) from error
    try:
        asyncio.run(_greet(address, connection_args))
        return distributed.Client(
            address, timeout=ANSWERS_WITHIN_S, set_as_default=False, name="rivae"
        )
    except OSError as error:
        why = str(error) or f"with nothing for {ANSWERS_WITHIN_S:.0f} s"
        raise ConfigError(
            f"{shown(address)} answers, but not as this machine asks ({why}): name tcp:// or "
            "tls:// as its scheduler does, with the same certificates"
        ) from error


async def _greet(address: str, connection_args: dict[str, Any]) -> None:
    """Let the scheduler say who it is: a client waits without end for another that says nothing.

    Raises:
        OSError: it does not, or is none.
    """
    core: Any = import_module("distributed.core")
    scheduler = core.rpc(address, timeout=ANSWERS_WITHIN_S, connection_args=connection_args)
    try:
        await asyncio.wait_for(scheduler.identity(), ANSWERS_WITHIN_S)
    finally:
        await scheduler.close_rpc()


def _connection_args(scheme: str) -> dict[str, Any]:
    """How to connect, by Dask's settings. Dask itself misses certificates when the client is made,
    which then waits long for its end.

    Raises:
        ConfigError: there are none for tls://, or they cannot be read.
    """
    security: Any = import_module("distributed.security")
    why = "none are set"
    try:
        args: dict[str, Any] = security.Security().get_connection_args("client")
        if scheme != "tls" or args.get("ssl_context"):
            return args
    except OSError as error:  # also what is wrong in them
        why = str(error)
    raise ConfigError(
        f"tls:// needs certificates ({why}): set Dask's distributed.comm.tls, for example by "
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE and DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT"
    )


class _Cluster:
    """The workers of a scheduler."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._alone_since: float | None = None

    def require(self, needs: Sequence[Path]) -> None:
        """Check that every worker can do the work: see ``on_cluster``."""
        from rivae.base.cluster_worker import facts as facts_there

        for _ in range(TRIES):
            facts = self._asked("run", facts_there, [*map(str, needs)], on_error="return")
            if not any(isinstance(fact, OSError) for fact in facts.values()):
                break
            time.sleep(1)  # one died meanwhile
        if not facts:
            raise ConfigError(
                f"the cluster at {self._address} has no workers: start some with `dask worker "
                f"{self._address}`"
            )
        for worker, fact in sorted(facts.items()):
            if isinstance(fact, BaseException) and (missing := _MISSING.search(str(fact))):
                raise ConfigError(
                    f"the worker {worker} has no {missing[1]}: install rivae-explorer {VERSION} "
                    "there, with the extras that this machine has"
                )
            if isinstance(fact, BaseException):
                raise ConfigError(f"the worker {worker} cannot work: {fact}")
            version, unseen = fact
            if version != VERSION:
                raise ConfigError(
                    f"the worker {worker} has rivae-explorer {version}, this machine {VERSION}: "
                    "install one version on both"
                )
            if unseen:
                raise ConfigError(
                    f"the worker {worker} does not see {some_of(unseen, most=2)}: share that "
                    "folder with it, at the same path"
                )

    def spread(
        self,
        inputs: Iterable[A],
        work: Callable[[A], B],
        together: int,
        called: Callable[[A], str],
    ) -> Iterator[tuple[A, Callable[[], B]]]:
        """See ``spread``. A worker that ends is replaced by another, which does its task again."""
        from rivae.base.cluster_worker import Work, results

        name = f"rivae-{uuid4().hex}"
        self._asked("register_plugin", Work(name, pickle.dumps(work)))
        tasks: deque[tuple[list[A], Any]] = deque()
        rest = iter(inputs)
        try:
            while some := list(islice(rest, together)):
                inputs_there = pickle.dumps(some)
                tasks.append((some, self._asked("submit", results, name, inputs_there, pure=False)))
                if len(tasks) >= self._n_ahead():
                    yield from self._taken(*tasks.popleft(), called)
            while tasks:
                yield from self._taken(*tasks.popleft(), called)
        finally:
            with suppress(WorkStoppedError):  # nothing is left to be ended
                self._asked("cancel", [future for _, future in tasks], force=True)
                self._asked("unregister_worker_plugin", name)

    def _asked(self, what: str, *args: Any, **options: Any) -> Any:
        """What the client's method answers, asked again where a worker dies while it is told.

        Raises:
            WorkStoppedError: the scheduler is gone.
        """
        for _ in range(TRIES):
            if self._client.status != "running":
                break
            with suppress(OSError):
                return getattr(self._client, what)(*args, **options)
            time.sleep(1)
        raise WorkStoppedError(self._gone())

    def _n_ahead(self) -> int:
        return AHEAD * max(sum(self._asked("nthreads").values()), 1)

    def _taken(
        self, inputs: list[A], future: Any, called: Callable[[A], str]
    ) -> Iterator[tuple[A, Callable[[], B]]]:
        first, last = called(inputs[0]), called(inputs[-1])
        names = first if first == last else f"{first} to {last}"
        for one, result in zip(inputs, self._result(future, names), strict=True):
            yield one, partial(_given, result)

    def _result(self, future: Any, names: str) -> list[Any]:
        """The results of a task, waited for.

        Raises:
            WorkStoppedError: the cluster is gone, has no workers, or lost one after another by
                this task.
        """
        from distributed import KilledWorker

        while True:
            try:
                results: list[Any] = future.result(timeout=LOOK_S)
            except TimeoutError:
                self._look()
            except KilledWorker as error:
                raise WorkStoppedError(
                    f"{names} ended {error.allowed_failures + 1} workers of {self._address} one "
                    f"after another: give them more memory, or take these out; {AGAIN}"
                ) from error
            except (CancelledError, OSError) as error:
                raise WorkStoppedError(self._gone()) from error
            except Exception as error:  # of the work as a whole: it cannot be opened there
                raise ConfigError(
                    f"the workers of {self._address} cannot begin ({error}): install there what "
                    "this machine has"
                ) from error
            else:
                self._alone_since = None
                return results

    def _look(self) -> None:
        """Raise a WorkStoppedError where no result can come any more."""
        if self._asked("nthreads"):
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > NO_WORKER_S:
            raise WorkStoppedError(
                f"the cluster at {self._address} has had no worker for {NO_WORKER_S:.0f} s: start "
                f"some, {AGAIN}"
            )

    def _gone(self) -> str:
        return f"the cluster at {self._address} does not answer any more: {AGAIN}"


_CLUSTER: ContextVar[_Cluster | None] = ContextVar("cluster", default=None)


def _given(result: tuple[Any, Exception | None]) -> Any:
    value, error = result
    if error is not None:
        raise error
    return value
