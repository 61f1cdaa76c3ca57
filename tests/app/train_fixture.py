"""The Train page as tests use it: the form of a new run, and runs in any state."""

import json
from contextlib import contextmanager

from rivae.app.train import form_queue
from rivae.base.files import locked
from rivae.jobs.ledger import Ledger
from rivae.jobs.ledger_db import changing, update
from rivae.jobs.records import boot_id, jobs_folder
from rivae.runs import Run
from tests.training.tiny import tiny_config
from tests.waiting import over

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
    from rivae.app.train.form_state import _slots

    cache._resolved.clear()
    _slots.clear()
    with locked(jobs_folder(folder) / "dispatcher.lock"):
        yield folder
    _slots.clear()
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
        over(job)
        self.at.run()
        self.app.calm()

    @property
    def words(self):
        return self.app.words.replace("\\", "")

    @property
    def can_queue(self):
        return not self.widget("queue").disabled


def put(root, name, state, **columns):
    """A job in any state, without a folder."""
    return _put(Ledger(root), Ledger(root).add([tiny_config(name)])[0], state, **columns)


def put_existing(root, run, state, **columns):
    """The job of a run whose folder is there."""
    return _put(Ledger(root), Ledger(root).add_existing(run.config), state, **columns)


def _put(ledger, job, state, **columns):
    with changing(ledger.path) as db:
        update(db, job.id, state=state, boot=boot_id(), **columns)
    return ledger.job(job.id)


def trained(root, name, epochs=30, state="finished", **status):
    """A run folder with the files of a training."""
    run = Run.create(tiny_config(name), root)
    for epoch in range(1, epochs + 1):
        row = {
            "epoch": epoch,
            "stage": "ivae" if epoch < 10 else "joint",
            "step": 4 * epoch,
            "learning_rate": 1e-3,
            "objective": 9.0 / epoch,
            "kl": 1.0,
        }
        if epoch % 5 == 0:
            row["validation"] = {"score": 0.5, "recall_at_1": epoch / 100, "mcc": 0.7}
        run.log.append(row)
        run.timing.append({"epoch": epoch, "seconds": 0.1, "wall": 0.2})
    run.set_status(
        state=state,
        epoch=epochs,
        total_epochs=status.pop("total_epochs", epochs),
        stages=[("ivae", 9), ("joint", 51)],
        **status,
    )
    return run


def keys(shown):
    return {button.key for button in shown.at.button}


def button(shown, what, name):
    return shown.at.button(key=f"train_button-{what}-{name}")


def plain(shown):
    return shown.words.replace("\\", "")


def drawn(shown):
    return json.loads(shown.at.get("plotly_chart")[-1].proto.spec)["data"]
