"""A plan that several annotators share, in several browsers."""

import pytest

from rivae.labels.kept_plans import join_people, name_people
from rivae.labels.shares import overlap
from tests.e2e.label_desk import burst, levels, marks, open_desk, saved, who

pytestmark = pytest.mark.slow


def label_sheet(page, until):
    burst(page, ["3"] * marks(page).count("."))
    saved(page, until)


def label_all(page, made, until):
    """Sheet after sheet, of every question, until nothing is left."""
    for _ in range(8 * len(made.plan.order)):
        label_sheet(page, until)
        if page.get_by_test_id("next").inner_text() == "Done":
            return
        burst(page, ["Enter"])
    raise AssertionError("there is always something left")


def share(page):
    """How many items the desk has."""
    return int(page.get_by_test_id("where").inner_text().split(" of ")[1])


def test_three_share_a_plan_and_one_joins_while_the_others_label(
    page, app_server, made, browser, until
):
    names = [who(made, name) for name in ("Ana", "Bea", "Cid")]
    name_people(made.store, made.plan.id, names[:2])
    contexts = [browser.new_context() for _ in range(2)]
    try:
        ana = open_desk(page, app_server, made)
        bea = open_desk(contexts[0].new_page(), app_server, made, by="Bea")
        burst(ana, ["3"] * 15)  # those of everybody, and some of her own
        saved(ana, until)
        before = {shown: share(shown) for shown in (ana, bea)}
        join_people(made.store, made.plan.id, names[2])
        for shown in (ana, bea):
            burst(shown, ["3"])  # a page that is open is told with its next answer
            saved(shown, until)
            until(lambda shown=shown: share(shown) != before[shown], "another share")
        cid = open_desk(contexts[1].new_page(), app_server, made, by="Cid")
        for shown in (ana, bea, cid):
            label_all(shown, made, until)
    finally:
        for context in contexts:
            context.close()
    for factor in (made.guideline.ids[0], made.guideline.ids[-1]):
        given = [levels(made, name, factor) for name in ("Ana", "Bea", "Cid")]
        for at, row in enumerate(made.plan.order):
            n = sum(some[at] != "." for some in given)
            assert n == (3 if row in overlap(made.plan) else 1), (factor, at)
    repeats = {r.event.item for name in names for r in made.store.current("repeat", annotator=name)}
    assert repeats == {made.keys[made.plan.order[at]] for at in made.plan.repeats}
