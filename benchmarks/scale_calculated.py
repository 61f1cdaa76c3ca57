"""What follows from the measured parts of ``benchmarks/scale.py``: more items, and more users.

Files and times grow in proportion to the items; questions that wait for
one of several equal workers are those of the M/M/c queue (Erlang's C), whose answers vary more
than ours do. Its 95 % quantiles of the wait and of an answer are added.
"""

from __future__ import annotations

import math
from typing import Any

SIZES = (100_000_000, 1_000_000_000)
USERS, RATE, WORKERS = 50, 10, 4
BYTES_OF_PAIR = 2 * 256 * 4  # of the embeddings
NEEDED = {"search", "import", "open the first time", "text", "drag"}
HEADER = (
    "items",
    "embeddings",
    "texts, factors",
    "index",
    "import",
    "closed form",
    "embedding, once",
    "ten best, median / p95 ms",
    "a text in all items, ms",
    "drag, median / p95 ms",
    "memory of the server, own / mapped",
    "in Qdrant",
    "in Qdrant's engine",
    "",
)


def calculated(items: int, measured: dict[int, dict[str, Any]]) -> list[str]:
    """Two sections in Markdown; none where a part that they need was not measured.

    Args:
        items: of the report that they stand in.
        measured: parts by the number of items that they were measured with.
    """
    whole = {n: parts for n, parts in measured.items() if parts.keys() >= NEEDED}
    users = measured[items].get("20 users - 2 workers", {})
    return [*(_sizes(whole) if whole else []), *(_users(users) if "server" in users else [])]


def _sizes(measured: dict[int, dict[str, Any]]) -> list[str]:
    largest = max(measured)
    with_engine = [n for n, parts in measured.items() if "engine" in parts]

    def row(n: int, parts: dict[str, Any]) -> list[str]:
        *cells, how = _row(n, parts, n / largest if n not in measured else 1.0)
        if not with_engine:
            return [*cells, "–", "–", how]
        engine = measured[max(with_engine)]["engine"]
        times, mark = n / max(with_engine), "" if n in with_engine else "≈ "
        there, median = _bytes(1e6 * times * engine["MB there"]), times * engine["engine"][0]
        return [*cells, f"{mark}{there}", f"{mark}{median:,.0f} ms", how]

    rows = [row(n, parts) for n, parts in sorted(measured.items())]
    rows += [row(n, measured[largest]) for n in SIZES if n > largest]
    return [
        "",
        "## More items",
        "",
        *(f"| {' | '.join(cells)} |" for cells in (HEADER, ["---"] * len(HEADER), *rows)),
        "",
        "Calculated rows are in proportion to the largest that was measured, on one machine with "
        "as fast a core; what a drag takes beside the search is not known there. Memory is that of "
        "the app after the drags; what is mapped are files, which the system gives back. With five "
        "million items and more the embedders are a start in closed form with 64 numbers, below "
        "that networks with 1,024, so that a point has 64 or 101 numbers. ≈: calculated from the "
        "largest that was pushed to Qdrant's engine, which searched in this process on one core; a "
        "server adds the network, and may use more cores.",
    ]


def _row(n: int, found: dict[str, Any], times: float) -> list[str]:
    searches = [found["search"][f"{reach} s.d."] for reach in (0, 1, 3, 10)]
    numbers = found["search"]["numbers of a point"]
    text = found["text"]["all of 'lemon rice'"][0]
    drag, server = found["drag"]["drag"], found["drag"]["server"]
    closed_form = found.get("train", {}).get("ridge-cca, s")
    is_measured = times == 1.0
    return [
        f"{n:,}",
        _bytes(n * BYTES_OF_PAIR),
        _bytes(times * 1e6 * found["import"]["MB of texts"]),
        _bytes(4.0 * n * numbers),
        _time(times * found["import"]["seconds"]),
        "–" if closed_form is None else _time(times * closed_form),
        _time(times * found["open the first time"]["all items, s"]),
        " / ".join(f"{times * max(column):,.1f}" for column in zip(*searches, strict=True)),
        f"{times * text:,.0f}",
        f"{drag['median_ms']:.0f} / {drag['p95_ms']:.0f}" if is_measured else "–",
        f"{_bytes(1e6 * server['own_mb'])} / {_bytes(1e6 * server['rss_mb'])}"
        if is_measured
        else "–",
        "measured" if is_measured else "calculated",
    ]


def _bytes(n: float) -> str:
    return f"{n / 1e9:,.1f} GB" if n < 1e12 else f"{n / 1e12:,.1f} TB"


def _time(seconds: float) -> str:
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def _users(cost: dict[str, Any]) -> list[str]:
    app, whole = cost["of it in the app"], cost["cpu ms of an update"]
    asked, work = USERS * RATE, whole - app
    busy, passing = asked * work / 1000 / WORKERS, asked * app / 1000
    wait = waiting_ms(asked / 1000, work, WORKERS)
    said = f"p95 {wait + 3 * work:,.0f} ms" if math.isfinite(wait) else "more than they can answer"
    return [
        "",
        "## More users",
        "",
        f"By calculation, {USERS} users with {RATE} updates/s each and {WORKERS} workers, a core "
        f"for each and one for the app: an update costs a worker {work:.1f} ms and the app "
        f"{app:.1f} ms (measured with two workers). The workers are busy {busy:.0%} of the time, "
        f"{said}; the app, which passes questions on, {passing:.0%} of its core"
        + (
            "."
            if passing < 1
            else ": too much for one process, so a reverse proxy has to share visitors among apps."
        ),
    ]


def waiting_ms(per_ms: float, work_ms: float, workers: int) -> float:
    """95 % quantile of the wait for a worker; infinite where they cannot keep up.

    Args:
        per_ms: questions that come in a millisecond.
        work_ms: mean time of an answer.
    """
    load = per_ms * work_ms
    if load >= workers:
        return math.inf
    terms = [load**k / math.factorial(k) for k in range(workers)]
    last = load**workers / math.factorial(workers) * workers / (workers - load)
    waits = last / (sum(terms) + last)
    return max(0.0, math.log(waits / 0.05)) * work_ms / (workers - load)
