"""Every method of this package reads like its paper: equations, reference, and an example."""

import doctest
import importlib
import re
import sys

import pytest
import torch

from rivae.models.registry import METHODS, build_method
from rivae.models.stages import Batch, Noise

OWN = [name for name in METHODS if METHODS[name].__module__.startswith("rivae.models.methods.")]


@pytest.mark.parametrize("name", OWN)
def test_a_method_says_its_equations_and_its_reference_and_its_example_runs(name):
    method = METHODS[name]
    said = method.__doc__
    formulas = re.findall(r"^ {8}\S.* = ", said, re.MULTILINE)
    assert formulas, "equations of the model and its losses, each on its line"
    assert "Reference: " in said and "In settings" in said
    module = importlib.import_module(method.__module__)
    examples = doctest.DocTestFinder(recurse=False).find(method, name, module=module, globs={})
    assert examples and examples[0].examples
    torch.manual_seed(0)
    runner = doctest.DocTestRunner()
    assert runner.run(examples[0]).failed == 0


@pytest.mark.parametrize("stage", ["ivae", "joint"])
def test_the_loss_of_rivae_stands_in_three_files(stage):
    """Networks aside, which have rooms of their own."""
    x1, x2 = torch.randn(16, 5), torch.randn(16, 4)
    method = build_method("rivae", {"n_components": 2}, (5,), (4,))
    v1, v2 = (v.detach() for v in method.embeddings(x1, x2))
    noise = Noise([torch.Generator()], False)
    batch = Batch(stage, 0.0, noise, x1, x2, v1, v2)
    files = set()

    def note(frame, event, arg):
        place = frame.f_code.co_filename.replace("\\", "/").partition("/rivae/models/")[2]
        if event == "call" and place and not place.startswith("nets/"):
            files.add(place)

    sys.setprofile(note)
    try:
        method.loss(batch)
    finally:
        sys.setprofile(None)
    assert files == {"methods/rivae.py", "losses.py", "stages.py"}
