"""Layouts of all items: neighbours stay neighbours, and the layout stays with the run."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from rivae.base.errors import ConfigError, RunError
from rivae.exploring import layouts
from rivae.exploring.explorer import Explorer
from rivae.exploring.maps import STEPS, codes
from rivae.jobs.launch import train
from tests.training.tiny import tiny_config

APP = "the extra 'app' is missing"


@pytest.fixture
def explorer(tmp_path):
    return Explorer.open(train([tiny_config("laid", dataset="split-digits")], tmp_path)[0])


def sheet(n):
    """Points on a bent sheet of two dimensions in eight."""
    z = np.random.default_rng(0).uniform(-1, 1, (n, 2))
    return np.tanh(z @ np.random.default_rng(1).standard_normal((2, 8)))


@pytest.mark.slow
def test_neighbours_stay_neighbours_and_equal_points_give_an_equal_layout(monkeypatch):
    points = sheet(600)
    made = layouts.lay_out(len(points), points.__getitem__)
    assert made.dtype == np.float32 and (made.min(axis=0) == 0).all() and made.max() == 1
    assert trustworthiness(points, made, n_neighbors=10) > 0.95
    assert np.array_equal(made, layouts.lay_out(len(points), points.__getitem__))
    monkeypatch.setattr(layouts, "MAX_FITTED", 200)
    stages = []
    put = layouts.lay_out(
        len(points), points.__getitem__, lambda stage, share: stages.append(share)
    )
    assert trustworthiness(points, put, n_neighbors=10) > 0.95
    assert stages == sorted(stages) and len(stages) > 1


def test_a_layout_is_kept_with_its_run(explorer):
    pytest.importorskip("pacmap", reason=APP)
    assert layouts.kept_layout(explorer) is None
    with pytest.raises(ConfigError):
        codes(explorer, "layout-0")
    made = layouts.make_layout(explorer, lambda stage, share: None)
    again = Explorer.open(explorer.run)
    assert np.array_equal(layouts.kept_layout(again), made)
    assert codes(again, "layout-1") / STEPS == pytest.approx(made[:, 1], abs=1e-4)
    assert layouts.kept_layout(Explorer.open(explorer.run, "all")) is None


@pytest.mark.slow
def test_a_broken_file_is_computed_again(explorer):
    pytest.importorskip("pacmap", reason=APP)
    made = layouts.make_layout(explorer, lambda stage, share: None)
    (file,) = explorer.run.path.glob("cache/layout-*.npy")
    for content in (b"", b"junk", file.read_bytes()[:200]):
        file.unlink()
        file.write_bytes(content)
        assert layouts.kept_layout(explorer) is None
    assert np.array_equal(layouts.make_layout(explorer, lambda stage, share: None), made)


def test_a_run_in_no_folder_has_none(explorer):
    loose = Explorer(explorer.method, explorer.data)
    assert not layouts.can_have(loose) and layouts.kept_layout(loose) is None
    with pytest.raises(RunError):
        layouts.make_layout(loose, lambda stage, share: None)
