"""A run of the queue ends while one looks at another page: a message says so, once."""

import pytest

from rivae.base.config import DatasetConfig, RunConfig
from rivae.jobs.ledger import Ledger


@pytest.mark.parametrize(
    ("state", "message", "said"),
    [
        ("finished", "", "**mine** is trained."),
        ("failed", "<b>no</b> space", "**mine** failed: "),
        ("cancelled", "", ""),
    ],
)
def test_the_end_of_a_run_is_said_once_on_any_page(
    app, runs, monkeypatch, tmp_path, state, message, said
):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    ledger = Ledger(tmp_path)
    ledger.add([RunConfig(name="mine", dataset=DatasetConfig(name="split-digits"))])
    (job,) = ledger.jobs()
    page = app("label")
    assert not page.at.toast
    assert ledger.claim(job.id, ["cpu"]) and ledger.advance(job.id, "running")
    ledger.advance(job.id, state, message)
    page.at.run()
    toasts = [toast.value for toast in page.calm().at.toast]
    assert (len(toasts) == 1 and toasts[0].startswith(said)) if said else not toasts
    assert all("<b>" not in text for text in toasts)
    page.at.run()
    assert not page.calm().at.toast
