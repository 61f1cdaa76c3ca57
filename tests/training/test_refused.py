"""What cannot be trained is refused with one sentence before any work, and leaves no folder."""

import numpy as np
import pytest
import torch

from rivae.app.forms.draft import Draft, check
from rivae.base.errors import ConfigError
from rivae.data import PairedDataset, TensorView
from rivae.jobs.launch import train
from rivae.models.registry import METHODS
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob
from tests.training.tiny import smooth_settings, tiny_config


@pytest.mark.parametrize("method", tuple(METHODS))
def test_a_run_of_random_weights_is_refused_and_leaves_no_folder(method, tmp_path):
    """No stage, or none of the model, or none of the embedders: one sentence names what to raise,
    where the run is configured and, for a configuration from elsewhere, where it would train.
    """
    lengths = METHODS[method].config_class.lengths()
    own = [name for name in lengths if name != "init_epochs"]
    refused = [dict.fromkeys(lengths, 0), dict.fromkeys(own, 0)]
    if "init_epochs" in METHODS[method].config_class.model_fields:
        heads = {name: int(name != "joint_epochs") for name in own}
        refused.append({**heads, "init_epochs": 0})
        if "joint_epochs" in own:
            refused.append({**heads, "init": "none"})
    whole = tiny_config(method=method)
    for settings in refused:
        with pytest.raises(ConfigError, match="raise") as said:
            tiny_config(method=method, **settings)
        assert any(name in str(said.value) for name in lengths)
        changed = {**whole.method.settings, **settings}
        choice = whole.method.model_copy(update={"settings": changed})
        with pytest.raises(ConfigError, match="raise"):
            train([whole.model_copy(update={"method": choice})], tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_a_start_that_trains_all_alone_is_enough(tmp_path):
    """An unfolded start brings the heads along; embeddings from elsewhere need no embedder."""
    skipped = {"ivae_epochs": 0, "joint_epochs": 0}
    tiny_config(**skipped, **smooth_settings())
    ready = {"kind": "identity"}
    tiny_config(dataset="synth", init="none", embedder=ready, joint_epochs=0)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 12, 29])
@pytest.mark.parametrize("start", ["unfold", "smooth", "contrast"])
def test_few_pairs_train_or_are_refused_at_once(n, start, tmp_path):
    """At every number of axes: what cannot be unfolded is refused before the first stage."""
    rng = np.random.default_rng(n)
    steps = {"fits": 1, "steps": 2, "unfold_steps": 1, "dim": 8}
    settings = {
        "unfold": {"unfold_epochs": 1, "unfold_neighbours": n - 1},
        "smooth": {"init": "smooth", "smooth_neighbours": n - 1},
        "contrast": {"init": "contrast", "contrast": steps},
    }[start]
    x1, x2 = (torch.from_numpy(rng.normal(size=(n, 6))).float() for _ in range(2))
    none = np.empty(0, np.int64)
    splits = {"train": np.arange(n), "validation": none, "test": none}
    data = PairedDataset(
        name="few", settings={}, x1=TensorView(x1), x2=TensorView(x2), splits=splits
    )
    asked = sorted({2, n - 4, n - 1, n, 2 * n})
    for d in (d for d in asked if d > 0):
        config = tiny_config(f"few-{d}", n_components=d, dim_v=2 * n + 2, **settings)
        run = Run.create(config, tmp_path)
        refuses = d >= n or (start == "contrast" and n < max(16, d + 5))
        if not refuses:
            Trainer([TrainingJob(run, data)]).fit()
            assert run.status.state == "finished"
            continue
        with pytest.raises(ConfigError, match=f"{n} training pairs are too few"):
            Trainer([TrainingJob(run, data)])


def test_refused_pairs_name_the_setting_that_asked(tmp_path):
    for settings, setting in (
        ({"unfold_epochs": 1, "unfold_neighbours": 60}, "unfold_neighbours"),
        ({**smooth_settings(), "smooth_neighbours": 60}, "smooth_neighbours"),
    ):
        with pytest.raises(ConfigError, match=f"50 training pairs .* 60 neighbours: .*{setting}"):
            train([tiny_config(**settings)], tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_the_form_says_so_before_it_is_sent():
    draft = Draft(dataset="synth", method="cos-sim-lvm").enter("method.epochs", "0")
    assert "epochs" in check(draft).troubles[""]
    with pytest.raises(ConfigError, match="epochs"):
        check(draft).changes()
    assert "" not in check(draft.enter("method.epochs", "1")).troubles
