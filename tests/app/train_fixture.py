"""The form of a new run as tests fill it in."""

import time
from contextlib import contextmanager

from rivae.app.train import form_queue
from rivae.base.files import locked
from rivae.jobs.records import jobs_folder

FIELD = "train_field_"


@contextmanager
def own_runs(tmp_path, monkeypatch):
    """An own folder of runs, whose dispatcher seems to be at work: no real one is started."""
    folder = tmp_path / "runs"
    jobs_folder(folder).mkdir(parents=True)
    monkeypatch.setenv("RIVAE_RUNS", str(folder))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("RIVAE_MNIST", raising=False)
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", folder / "no-demos")
    from rivae.app.shell import cache
    from rivae.app.train.form_state import slots

    cache._resolve.clear()
    slots.clear()
    with locked(jobs_folder(folder) / "dispatcher.lock"):
        yield folder
    slots.clear()
    for job in form_queue.tasks.known.values():
        job.cancel()
    form_queue.tasks.known.clear()


class Form:
    """The form as a visitor uses it."""

    def __init__(self, app, **params):
        self.app = app("train", training="New run", **params)
        self.at = self.app.at

    def widget(self, name):
        return next(
            w
            for kind in ("text_input", "selectbox", "button")
            for w in getattr(self.at, kind)
            if w.key == FIELD + name
        )

    def names(self):
        kinds = ("text_input", "selectbox", "button")
        return {
            w.key.removeprefix(FIELD)
            for kind in kinds
            for w in getattr(self.at, kind)
            if w.key and w.key.startswith(FIELD)
        }

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
        (job,) = form_queue.tasks.known.values()
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
