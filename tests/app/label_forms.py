"""What the tests of the Plans view do with its forms."""

from rivae.app.label import plan_making
from rivae.labels.guideline import label_factor
from tests.waiting import over

EVIL = "<b>Eve</b> [x](http://x) *y*"
LEVELS = ["none", "mild", "medium", "hot", "fire"]


def written(shown):
    return shown.words.replace("\\", "")


def press(shown, key):
    shown.at.button(key=key).click().run()
    return shown.calm()


def planned(shown):
    """The page once the process that makes its plan has ended."""
    for job in plan_making.tasks.known.values():
        over(job)
    shown.at.run()
    return shown.calm()


def fill(shown, key, value):
    shown.at.text_input(key=key).set_value(value).run()
    return shown.calm()


def spice(**changes):
    parts = {"id": "spice", "name": "spiciness", "definition": "How hot it is.", "levels": LEVELS}
    return label_factor(**{**parts, **changes})
