import pytest

from tests.training.tiny import untrained_run


@pytest.fixture
def run(tmp_path):
    """A run folder with a model that was never trained."""
    return untrained_run(tmp_path)
