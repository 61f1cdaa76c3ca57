import pytest

from rivae.methods import build_method
from rivae.runs import Run
from tests.training.tiny import tiny_config


@pytest.fixture
def run(tmp_path):
    """A run folder with a model that was never trained."""
    made = Run.create(tiny_config("good"), tmp_path)
    choice = made.config.method
    made.write_model(build_method(choice.name, choice.settings, (50,), (50,)))
    made.set_status(state="finished", epoch=9, total_epochs=9)
    return made
