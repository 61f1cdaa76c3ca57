"""Result rows made by hand."""

from rivae.benchmark.rows import make_row


def row(score=None, seed=0, *, draw=0, metric="recall_at_1", where="", **values):
    """One row of the Sprites line of RIVAE, unless other values are given."""
    base = {"dataset": "sprites", "method": "rivae", "preset": "default", "seconds": 1.0}
    return make_row(
        **{**base, "seed": seed, "draw": draw, "metric": metric, "range": where, "score": score}
        | values
    )


def failed(seed=0, message="the loss became nan", **values):
    return row(None, seed, metric="", state="failed", message=message, **values)


def not_run(seed=0, message="no data here", **values):
    return row(None, seed, metric="", state="not run", message=message, **values)
