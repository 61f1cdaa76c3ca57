import pytest

from rivae.base.errors import RunError
from tests.training.tiny import untrained_run


@pytest.fixture
def run(tmp_path):
    """A run folder with a model that was never trained."""
    return untrained_run(tmp_path)


class Folder:
    """A run that can be written, as far as this file needs one."""

    id, model_key, data_change = "r", "m1", ""

    def __init__(self, path):
        self.path = path

    def require_same_data(self):
        if self.data_change:
            raise RunError(self.data_change)


@pytest.fixture
def bare_run(tmp_path, monkeypatch):
    """As far as what is kept beside a model needs one."""
    monkeypatch.setattr("rivae.runs.folders.is_read_only", lambda run: False)
    return Folder(tmp_path)
