"""What follows from the measured parts of ``benchmarks/scale.py``: more items, and more users.

Nothing here was measured. Files and times grow in proportion to the items; questions that wait for
one of several equal workers are those of the M/M/c queue (Erlang's C), whose answers vary more
than ours do. Its 95 % quantiles of the wait and of an answer are added.
"""

from __future__ import annotations

import math
from typing import Any

SIZES = (1, 10, 100)  # times the items that were measured
USERS, RATE, WORKERS = 50, 10, 4
NEEDED = {"search", "engine", "import", "open the first time", "20 users - 2 workers"}


def calculated(items: int, found: dict[str, Any]) -> list[str]:
    """Two sections in Markdown; none where a part that they need was not measured."""
    if not found.keys() >= NEEDED or "server" not in found["20 users - 2 workers"]:
        return []
    return [*_sizes(items, found), *_users(found["20 users - 2 workers"])]


def _sizes(items: int, found: dict[str, Any]) -> list[str]:
    engine, texts = found["engine"], found["import"]["MB of texts"]
    index, there = engine["index of all items, MB"], engine["MB there"]
    embedding = found["open the first time"]["all items, s"]
    search = max(found["search"][f"{reach} s.d."][0] for reach in (0, 1, 3, 10))
    lines = [
        "",
        "## More items",
        "",
        "| items | in Qdrant | our index | texts, factors | embedding, once "
        "| ten best here, median | in Qdrant's engine | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for times in SIZES:
        n = times * items
        parts = [
            f"{times * there / 1e3:,.1f} GB",
            f"{times * index / 1e3:,.1f} GB",
            f"{times * texts / 1e3:,.1f} GB",
            f"{times * embedding / 60:,.0f} min",
            f"{times * search:,.0f} ms",
            f"{times * engine['engine'][0]:,.0f} ms",
        ]
        how = "measured" if times == 1 else "calculated"
        lines.append(f"| {n:,} | {' | '.join(parts)} | {how} |")
    return [
        *lines,
        "",
        "Calculated rows are in proportion to the first. Qdrant's engine searched in this process, "
        "on one core; a server adds the network, and may use more cores.",
    ]


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
