"""The form of a new run as tests fill it in."""

import time

from rivae.ui import train_probes

FIELD = "train_field_"


class Form:
    """The form as a visitor uses it."""

    def __init__(self, app, **params):
        self.app = app("train", training="New run", **params)
        self.at = self.app.at

    def widget(self, name):
        return next(w for kind in ("text_input", "selectbox", "button")
                    for w in getattr(self.at, kind) if w.key == FIELD + name)  # fmt: skip

    def names(self):
        kinds = ("text_input", "selectbox", "button")
        return {w.key.removeprefix(FIELD) for kind in kinds for w in getattr(self.at, kind)
                if w.key and w.key.startswith(FIELD)}  # fmt: skip

    def enter(self, **values):
        """method__lambda_reg="1" and so on; the path's dots are double underscores."""
        for name, value in values.items():
            self.widget(name.replace("__", ".")).set_value(value).run()
            self.app.calm()
        return self

    def press(self, name):
        self.widget(name).click().run()
        self.app.calm()
        return self

    def value(self, name):
        return self.widget(name).value

    def wait_for_estimate(self):
        (job,) = train_probes.tasks.jobs.values()
        deadline = time.monotonic() + 100
        while job.running and time.monotonic() < deadline:
            time.sleep(0.05)
        self.at.run()
        self.app.calm()

    @property
    def words(self):
        return self.app.words.replace("\\", "")

    @property
    def can_queue(self):
        return not self.widget("queue").disabled
