"""Last layers of embedders begin linearly nearest to a target."""

import pytest
import torch

from rivae.jobs.launch import resume, train
from rivae.models.losses import anchor
from rivae.runs import Run
from rivae.training import trainer
from rivae.training.last_layers import solve_last_layers
from tests.training.tiny import StopAfter, contrast_settings, tiny_config


class Rows:
    """Training rows as the solution reads them."""

    def __init__(self, x1, x2):
        self.stacked, self.device = x1.dim() == 3, torch.device("cpu")
        self.n, self.rows = x1.shape[-2], range(x1.shape[0])
        self.tables = {"x1": x1, "x2": x2}

    def gather(self, name, index):
        table = self.tables[name]
        if not self.stacked:
            return table[index]
        return torch.stack([own[rows] for own, rows in zip(table, index, strict=True)])


def method_of(n_models=None, **changes):
    from rivae.models.registry import build_method

    settings = {**tiny_config(**contrast_settings()).method.settings, **changes}
    seeds = [0] if n_models is None else list(range(n_models))
    return build_method("rivae", settings, (50,), (50,), seeds, n_models is not None)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("n_models", [None, 3])
def test_what_is_linear_in_the_layer_below_is_met(n_models, shared):
    method = method_of(n_models, shared=shared)
    lead = () if n_models is None else (n_models,)
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(*lead, 300, 50, generator=rng)
    other = method_of(n_models, shared=shared)
    with torch.no_grad():  # the same layers below, other last ones
        for embedder in (other.embedder1, other.embedder2):
            weight = embedder.head.out.weight
            weight.add_(0.5 * torch.randn(weight.shape, generator=rng))
        hidden = other.embedder1.head.hidden_layer(x)
        wanted = other.embedder1.head.out(hidden)
    rows = Rows(x, x)
    if shared:
        with torch.no_grad():
            for mine, theirs in zip(
                method.embedder2.head.layers.parameters(),
                method.embedder1.head.layers.parameters(),
                strict=True,
            ):
                mine.copy_(theirs)
    solve_last_layers(method, rows, wanted)
    with torch.no_grad():
        found = method.embedder1.head(x)
    gap = ((found - wanted) ** 2).mean() / wanted.var()
    assert gap < 0.01
    alone = ((method.embedder2.head(x) - wanted) ** 2).mean() / wanted.var()
    assert alone < (0.01 if shared else 0.8)


@pytest.mark.slow
def test_a_run_begins_near_its_target_and_not_again_when_it_goes_on(tmp_path, monkeypatch):
    calls = []
    solve = trainer.solve_last_layers

    def counted(method, feed, target):
        def gap():
            with torch.no_grad():
                v1, v2 = method.embeddings(feed.tables["x1"], feed.tables["x2"])
            return float(anchor(v1, v2, target))

        before = gap()
        solve(method, feed, target)
        calls.append((before, gap()))

    monkeypatch.setattr(trainer, "solve_last_layers", counted)
    config = tiny_config("solved", **contrast_settings())
    with pytest.raises(KeyboardInterrupt):
        train([config], tmp_path, listener=StopAfter(8))  # in the second epoch of "unfold"
    assert len(calls) == 1 and calls[0][1] < 0.7 * calls[0][0]
    resume([Run(tmp_path / "solved")])
    assert len(calls) == 2, "once more for what is straightened"
