"""What several annotators' shares say together, against one annotator's labels and the truth."""

import numpy as np
import pandas as pd
import pytest

from rivae.data.food_factors import FACTOR_NAMES
from rivae.labels.early.estimates import SCORES, estimate
from rivae.labels.early.reading import partial_labels
from rivae.labels.early.sample import REPEATS, most_retrieved, sample_items
from rivae.labels.plan import label_order
from rivae.labels.shares import share_of
from tests.labels.early import table_of

NAMES = ("Ann", "bob", "É", "dan")


def drawn_plan(early_plan, traversal, ground, seed, n):
    """The kitchen's plan as another seed draws it."""
    sample = sample_items(most_retrieved([traversal]), ground.items, n, random_state=seed)
    order, again = label_order([[[row] for row in sample.rows]], seed, REPEATS)
    place = {int(row): i for i, row in enumerate(sample.rows)}
    of_position = [place[int(row)] for row in order]
    repeats = set(again.tolist())
    drawn = [at for at, i in enumerate(of_position) if sample.drawn[i] and at not in repeats]
    return early_plan.model_copy(
        update={
            "order": order.tolist(),
            "repeats": again.tolist(),
            "drawn": drawn,
            "random_state": seed,
            "chances": [float(sample.chances[i]) for i in of_position],
        }
    )


def first_rows(plan, people, name, part):
    """What an annotator has labelled once a part of the share is done."""
    share = share_of(plan, people, name, {}, FACTOR_NAMES)
    rows = list(dict.fromkeys(plan.order[at] for at in share.order))
    return np.array(rows[: round(part * len(rows))], dtype=np.int64)


@pytest.mark.slow
def test_together_they_say_what_one_would_have_said(kitchen, early_plan):
    _, traversal, ground, levels = kitchen
    truth = {name: s.value for name, s in estimate(ground, levels, FACTOR_NAMES).scores.items()}
    rng = np.random.default_rng(0)
    errors = {"together": [], "one": []}
    held = {"together": [], "one": []}
    for seed in range(10):
        plan = drawn_plan(early_plan, traversal, ground, seed, 120)
        people = NAMES[: int(rng.integers(2, 5))]

        def said(tables, plan=plan, seed=seed):
            labels = pd.concat(tables, ignore_index=True)
            known = partial_labels(labels, plan, ground.items, FACTOR_NAMES)
            assert not known.left_out
            return estimate(ground, known.levels, FACTOR_NAMES, known.apart, random_state=seed)

        def labels_at(part, plan=plan, people=people):
            """Everybody is not as fast."""
            return {
                name: first_rows(plan, people, name, part if part == 1 else part * speed)
                for name, speed in zip(people, rng.uniform(0.8, 1.2, len(people)), strict=True)
            }

        everything = labels_at(1)
        one = said([table_of(ground, levels, plan.items)])
        assert said([table_of(ground, levels, r, w) for w, r in everything.items()]).scores == (
            one.scores
        ), "once all shares are labelled nothing tells them from one annotator's labels"
        some = labels_at(0.6)
        n = len(np.unique(np.concatenate(list(some.values()))))
        ways = {
            "together": said([table_of(ground, levels, rows, who) for who, rows in some.items()]),
            "one": said([table_of(ground, levels, np.array(list(dict.fromkeys(plan.order))[:n]))]),
        }
        for way, found in ways.items():
            scores = [found.scores[name] for name in SCORES]
            errors[way].append([s.value - truth[n] for n, s in zip(SCORES, scores, strict=True)])
            held[way].append(
                [s.low <= truth[n] <= s.high for n, s in zip(SCORES, scores, strict=True)]
            )
    for way in errors:
        assert np.mean(held[way]) >= 0.86, way
    bias = {way: np.abs(np.mean(e, axis=0)) for way, e in errors.items()}
    size = {way: np.abs(e).mean(axis=0) for way, e in errors.items()}
    # While shares are half done, fewer of the most retrieved items are: D reads higher by .07.
    assert (bias["together"] < bias["one"] + 0.08).all()
    assert (size["together"] < size["one"] + 0.08).all()
