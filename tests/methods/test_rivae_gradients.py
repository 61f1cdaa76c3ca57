"""Which loss updates which part (eq. obj_joint): tested on the gradients themselves."""

import pytest
import torch

from rivae.data import load_dataset
from rivae.models.registry import build_method
from tests.training.tiny import SYNTH, first_batch

ONLY = {
    "bound": {"lambda_retr": 0, "lambda_reg": 0, "lambda_lb": 1},
    "retrieval": {"lambda_retr": 1, "lambda_reg": 0, "lambda_lb": 0},
    "regulariser": {"lambda_retr": 0, "lambda_reg": 1, "lambda_lb": 0},
}


@pytest.fixture(scope="module")
def data():
    return load_dataset("synth", **SYNTH)


def parts_with_gradient(data, stage_name="joint", **settings):
    """Names of the parts of RIVAE whose gradient is not zero."""
    method = build_method("rivae", {"init": "none", **settings}, (50,), (50,))
    method.train()
    stage = {stage.name: stage for stage in method.stages()}[stage_name]
    batch = first_batch(method, data, stage, torch.Generator().manual_seed(0))
    method.loss(batch)["objective"].backward()
    return {
        name.split(".")[0] if not name.startswith("prior") else ".".join(name.split(".")[:2])
        for name, p in method.named_parameters()
        if p.grad is not None and p.grad.abs().sum() > 0
    }


IVAE = {"prior.mu", "prior.log_var", "posterior", "decoder"}


def test_the_bound_trains_the_ivae_and_no_embedder(data):
    assert parts_with_gradient(data, **ONLY["bound"]) == IVAE


def test_the_bound_trains_embedders_only_when_asked(data):
    found = parts_with_gradient(data, lb_trains_embedders=True, **ONLY["bound"])
    assert found == IVAE | {"embedder1", "embedder2"}


def test_stage_one_trains_the_ivae_alone(data):
    assert parts_with_gradient(data, "ivae") == IVAE


@pytest.mark.parametrize("form", ["hinge", "softmax"])
def test_retrieval_trains_the_embedders_and_the_way_through_z(data, form):
    found = parts_with_gradient(data, loss_form=form, n_mismatches=None, **ONLY["retrieval"])
    assert found == {"embedder1", "embedder2", "prior.mu", "prior.log_var", "decoder"}


def test_the_mean_as_expectation_leaves_the_variance_alone(data):
    found = parts_with_gradient(data, expectation="mean", **ONLY["retrieval"])
    assert found == {"embedder1", "embedder2", "prior.mu", "decoder"}


def test_a_second_view_that_asks_trains_a_head_of_its_own(data):
    second = {"prior2.mu", "prior2.log_var"}
    both = {"ask_both_ways": True}
    assert parts_with_gradient(data, **both, **ONLY["bound"]) == IVAE | second
    assert parts_with_gradient(data, "ivae", **both) == IVAE | second
    found = parts_with_gradient(data, **both, **ONLY["retrieval"])
    assert found == {"embedder1", "embedder2", "prior.mu", "prior.log_var", "decoder"} | second
    plain, asking = (build_method("rivae", s, (50,), (50,)).state_dict() for s in ({}, both))
    assert {name.split(".")[0] for name in asking.keys() - plain.keys()} == {"prior2"}
    assert all(torch.equal(asking[name], plain[name]) for name in plain)


@pytest.mark.parametrize("form", ["ratio", "jvp"])
def test_the_regulariser_trains_e2_and_c_only(data, form):
    found = parts_with_gradient(data, reg_form=form, **ONLY["regulariser"])
    assert found == {"embedder2", "c"}


def test_the_regulariser_sees_neither_dropout_nor_bfloat16(data):
    embedder = {"kind": "mlp", "hidden": [25], "dropout": 0.5}
    settings = {"init": "none", "embedder": embedder, "reg_form": "ratio", **ONLY["regulariser"]}
    values = []
    for dropout, autocast in ((0.5, True), (0.0, False)):
        embedder["dropout"] = dropout
        method = build_method("rivae", settings, (50,), (50,)).train()
        method.embedder2.autocast = autocast
        stage = method.stages()[-1]
        batch = first_batch(method, data, stage, torch.Generator().manual_seed(0))
        # The bound and the retrieval loss draw first; from here on the noise is the same.
        batch.noise.generators[0].manual_seed(1)
        with torch.no_grad():
            values.append(method.loss(batch)["regulariser"])
    torch.testing.assert_close(values[0], values[1])


def test_the_anchor_pulls_both_embedders_to_the_target(data):
    settings = {"init": "smooth", "anchor": [1.0, 1.0], **ONLY["regulariser"], "lambda_reg": 0}
    assert parts_with_gradient(data, **settings) == {"embedder1", "embedder2"}


def test_the_prior_pull_acts_on_the_prior_alone(data):
    settings = {"prior_pull": 1e6, "lambda_retr": 0, "lambda_reg": 0}
    pulled = parts_with_gradient(data, **settings)
    assert pulled == IVAE
    method = build_method("rivae", {"init": "none", **settings}, (50,), (50,))
    stage = method.stages()[-1]
    terms = method.loss(first_batch(method, data, stage, torch.Generator().manual_seed(0)))
    terms["pull"].backward()
    named = {name.split(".")[0] for name, p in method.named_parameters() if p.grad is not None}
    assert named == {"prior"}


def test_score_is_the_log_likelihood_at_the_last_eta():
    method = build_method("rivae", {"init": "none", "joint_eta": [1.0, 0.1]}, (50,), (50,))
    scores = method.score(torch.zeros(1, 2), torch.tensor([[0.0, 0.02]]))
    torch.testing.assert_close(scores, torch.tensor([[0.0, -1.0]]))
