"""Settings of several runs side by side: what was changed, and nothing else."""

import numpy as np
import pytest

from rivae.app.forms.differences import ABSENT, differing_settings
from rivae.app.forms.draft import Draft
from rivae.app.forms.field_text import text_of
from rivae.app.forms.fields import all_fields
from rivae.app.forms.sweep import runs_of
from rivae.jobs.launch import make_config

NUMBERS = [f for f in all_fields("synth", "rivae") if f.kind in ("whole", "number")]


def of(draft):
    (config,) = runs_of(draft)
    return config


@pytest.mark.parametrize("seed", range(8))
def test_exactly_what_was_changed_is_listed_with_both_values(seed):
    rng = np.random.default_rng(seed)
    first = of(Draft(dataset="synth", method="rivae", name="first"))
    text = first.model_dump()
    draft, changed = Draft(dataset="synth", method="rivae", name="second"), {}
    for n in rng.choice(len(NUMBERS), 5, replace=False):
        field = NUMBERS[n]
        section = text[field.section]
        holder = section.get("settings", section)
        *above, name = field.label.split(".")
        for part in above:
            holder = (holder or {}).get(part)
        if holder is None or not isinstance(holder.get(name), int | float):
            continue
        value = holder[name] * 2 + 1 if field.kind == "whole" else holder[name] / 2
        try:
            of(draft.enter(field.path, text_of(value)))
        except Exception:  # noqa: BLE001 - outside its bounds
            continue
        if value != holder[name]:
            draft = draft.enter(field.path, text_of(value))
            title = f"{field.above}: {field.title}" if field.above else field.title
            changed[title] = [text_of(holder[name]), text_of(value)]
    rows = differing_settings([first, of(draft)])
    assert changed and dict(rows) == changed


def test_runs_of_different_methods_and_data_have_gaps_where_the_other_has_no_such_setting():
    one = make_config("synth", "rivae", name="one")
    other = make_config("split-digits", "dcca", name="other", seed=3)
    rows = dict(differing_settings([one, other]))
    assert list(rows)[:2] == ["Data set", "Method"]
    assert rows["Data set"] == ["synth", "split-digits"] and rows["Seed"] == ["0", "3"]
    assert any(ABSENT in texts for texts in rows.values())
    assert all(len(set(texts)) == 2 for texts in rows.values())


def test_a_run_of_a_method_that_is_not_installed_shows_its_settings_by_their_paths():
    one = make_config("synth", "rivae", name="one")
    foreign = one.method.model_copy(update={"name": "gone", "settings": {"depth": {"n": 4}}})
    rows = dict(differing_settings([one, one.model_copy(update={"method": foreign})]))
    assert rows["Method"] == ["rivae", "gone"] and rows["method.depth.n"] == [ABSENT, "4"]
    assert differing_settings([one, one.model_copy(update={"name": "twin"})]) == []
