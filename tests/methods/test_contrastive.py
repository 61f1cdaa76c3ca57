"""Cos-Sim, InfoNCE and InfoNCE + linear ICA."""

import json

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from rivae.base.errors import ConfigError, DataError
from rivae.data import load_dataset
from rivae.data.base import PairedDataset, TensorView, random_split
from rivae.data.words_view import fit_words
from rivae.evaluation.of_run import evaluate
from rivae.jobs.launch import resume, train
from rivae.models.methods.info_nce import MIN_TEMPERATURE
from rivae.models.registry import METHODS, build_method
from rivae.models.stages import Batch, Noise
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.training import Trainer, TrainingJob
from rivae.training.judging import finish_closed_form
from tests.training.test_stacked import assert_same_models
from tests.training.tiny import StopAfter, files_of, tiny_config

DATA = load_dataset("synth", n_pairs=600)
TRAIN, TEST = DATA.splits["train"], DATA.splits["test"]
EMBEDDER = {"kind": "mlp", "hidden": (12,)}
PLAIN = ("cos-sim", "info-nce")


def build(name, dim_v=4, **changes):
    settings = {"dim_v": dim_v, "embedder": EMBEDDER, **changes}
    if name == "info-nce-ica":
        settings.setdefault("n_components", 2)
    return build_method(name, settings, (50,), (50,), [0]).eval()


def batch_of(method, n=20):
    noise = Noise([torch.Generator().manual_seed(0)], stacked=False)
    rows = TRAIN[:n]
    return Batch(method.name, 0.0, noise, DATA.x1.batch(rows), DATA.x2.batch(rows))


# No latent.


def test_exactly_the_plain_baselines_have_no_latent():
    assert {name for name in METHODS.first if not METHODS[name].has_latent} == set(PLAIN)


@pytest.mark.parametrize("name", PLAIN)
def test_z_is_v1_and_relevance_is_the_cosine(name):
    method = build(name)
    assert method.n_components == method.dim_v == 4
    x1, x2 = DATA.x1.batch(TEST[:7]), DATA.x2.batch(TEST[:9])
    v1, v2 = method.embedder1(x1), method.embedder2(x2)
    z = method.encode(x1)[0]
    assert torch.equal(z, v1) and torch.equal(method.decode(z), v1)
    squared = torch.cdist(method.decode(z), v2) ** 2
    torch.testing.assert_close(method.score(z, squared), v1 @ v2.T, atol=1e-5, rtol=1e-4)
    # Off the unit sphere, where traversals go, it is still the cosine.
    squared = torch.cdist(method.decode(3 * z), v2) ** 2
    torch.testing.assert_close(method.score(3 * z, squared), v1 @ v2.T, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", PLAIN)
def test_a_latent_dimension_cannot_be_set(name):
    with pytest.raises(ConfigError, match=f"{name} has no setting 'n_components'"):
        build(name, n_components=2)


@pytest.mark.slow
def test_evaluation_scores_the_axes_of_v(tmp_path):
    (run,) = train([tiny_config(method="info-nce", epochs=30)], tmp_path)
    report = evaluate(
        run.load_method(),
        run.load_dataset(),
        n_queries=10,
        traversal="data",
        null_permutations=0,
        null_permutations_slow=0,
    )
    assert {"disentanglement", "completeness", "informativeness", "mcc"} <= set(
        report.along[0].factors
    )
    assert np.shape(report.along[0].correlation.absolute)[0] == 3  # dim(V), one row per axis
    assert report.score("recall_at_10") > 0.3


# Losses.


def test_info_nce_is_the_cross_entropy_of_both_directions():
    method = build("info-nce", temperature=0.3)
    batch = batch_of(method)
    v1, v2 = method.embedder1(batch.x1), method.embedder2(batch.x2)
    scores, target = v1 @ v2.T / 0.3, torch.arange(20)
    terms = method.loss(batch)
    torch.testing.assert_close(terms["to target"], cross_entropy(scores, target))
    torch.testing.assert_close(terms["to query"], cross_entropy(scores.T, target))
    torch.testing.assert_close(terms["objective"], (terms["to target"] + terms["to query"]) / 2)
    torch.testing.assert_close(terms["match"], (v1 * v2).sum(1).mean())


def test_a_learned_temperature_starts_where_it_is_told_and_has_a_floor():
    method = build("info-nce", temperature=0.2, temperature_form="learned")
    fixed = build("info-nce", temperature=0.2)
    assert "log_temperature" not in dict(fixed.named_parameters())
    batch = batch_of(method)
    terms = method.loss(batch)
    torch.testing.assert_close(terms["objective"], fixed.loss(batch)["objective"])
    torch.testing.assert_close(terms["temperature"], torch.tensor(0.2))
    terms["objective"].backward()
    assert method.log_temperature.grad.abs() > 0
    with torch.no_grad():
        method.log_temperature.fill_(-20)
    assert float(method.temperature().detach()) == pytest.approx(MIN_TEMPERATURE)


def test_cos_sim_is_a_hinge_on_the_cosine():
    method = build("cos-sim", margin=0.2)
    batch = batch_of(method)
    v1, v2 = method.embedder1(batch.x1), method.embedder2(batch.x2)
    cosine = v1 @ v2.T
    hinge = (0.2 + cosine - cosine.diagonal()[:, None]).clamp_min(0)
    mismatching = ~torch.eye(20, dtype=torch.bool)
    terms = method.loss(batch)
    torch.testing.assert_close(terms["objective"], hinge[mismatching].mean())
    torch.testing.assert_close(terms["alike"], cosine.mean())


# InfoNCE + linear ICA.


def test_principal_components_of_both_embeddings_around_their_own_means():
    method = build("info-nce-ica", n_components=2)
    finish_closed_form(method, DATA, 0)
    with torch.no_grad():
        v1 = method.embedder1(DATA.x1.batch(TRAIN)).double()
        v2 = method.embedder2(DATA.x2.batch(TRAIN)).double()
        centred = torch.cat([v1 - v1.mean(0), v2 - v2.mean(0)])
        basis = torch.linalg.svd(centred, full_matrices=False)[2][:2]
        z = method.to_z(v1.float()).double()
        decoded = method.decode(z.float()).double()
    expected = (v1 - v1.mean(0)) @ basis.T
    torch.testing.assert_close(z.abs(), expected.abs(), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(decoded, v2.mean(0) + expected @ basis, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", [*PLAIN, "info-nce-ica"])
def test_z_of_the_second_view_lies_nearest_to_it(name):
    method = build(name)
    finish_closed_form(method, DATA, 0)
    d = method.n_components
    drawn = torch.randn(d, d, generator=torch.Generator().manual_seed(1))
    method.apply_affine(torch.eye(d) + 0.3 * drawn, torch.full((d,), 0.3))
    x1, x2 = DATA.x1.batch(TEST[:9]), DATA.x2.batch(TEST[:9])
    z = method.encode_target(x2)[0]
    left = method.embed_target(x2) - method.decode(z)
    torch.testing.assert_close(
        left @ method.from_z.weight.T, torch.zeros_like(z), atol=1e-4, rtol=0
    )
    if name in PLAIN:
        torch.testing.assert_close(left, torch.zeros_like(left), atol=1e-5, rtol=0)
    between = method.encode_both(x1, x2)[0]
    torch.testing.assert_close(between - z, method.encode(x1)[0] - between)


def test_with_all_components_only_the_offset_of_the_clouds_changes():
    method = build("info-nce-ica", n_components=4)
    finish_closed_form(method, DATA, 0)
    with torch.no_grad():
        v1, v2 = method.embedder1(DATA.x1.batch(TRAIN)), method.embedder2(DATA.x2.batch(TRAIN))
        z = method.encode(DATA.x1.batch(TRAIN))[0]
        torch.testing.assert_close(
            method.decode(z), v1 - v1.mean(0) + v2.mean(0), atol=1e-5, rtol=1e-4
        )


def test_a_second_fit_is_the_first_again():
    once, twice = build("info-nce-ica"), build("info-nce-ica")
    finish_closed_form(once, DATA, 0)
    finish_closed_form(twice, DATA, 0)
    finish_closed_form(twice, DATA, 0)
    assert all(torch.equal(v, twice.state_dict()[k]) for k, v in once.state_dict().items())


class MixedUniforms(torch.nn.Module):
    """An "embedder" whose V is a rotated square: two independent uniform factors."""

    def __init__(self):
        super().__init__()
        self.size = torch.nn.Parameter(torch.tensor(0.3))

    def forward(self, x):
        flat = torch.cat([self.size * x, torch.ones_like(x[..., :1])], -1)
        return normalize(flat, dim=-1)


def test_independent_components_are_folded_in_at_the_end(tmp_path):
    from rivae.data.base import FactorSpec, PairedDataset, TensorView, random_split
    from rivae.jobs.launch import choose_axes

    g = torch.Generator().manual_seed(2)
    factors = torch.rand(2000, 2, generator=g) * 2 - 1
    angle = torch.tensor(0.6)
    turn = torch.stack(
        [
            torch.stack([angle.cos(), angle.sin()]),
            torch.stack([-angle.sin(), angle.cos()]),
        ]
    )
    x = factors @ turn
    data = PairedDataset(
        name="square",
        settings={},
        x1=TensorView(x),
        x2=TensorView(x),
        factor_specs=tuple(FactorSpec(n, "continuous", "shared") for n in "ab"),
        factors=factors.double().numpy(),
        splits=random_split(2000, (0.8, 0.1, 0.1), 0),
    )
    settings = {"dim_v": 3, "embedder": EMBEDDER, "n_components": 2}
    method = build_method("info-nce-ica", settings, (2,), (2,)).eval()
    method.embedder1 = method.embedder2 = MixedUniforms()
    finish_closed_form(method, data, 0)
    before = np.abs(np.corrcoef(method.encode(x)[0].detach().numpy().T, factors.T)[:2, 2:])
    run = Run.create(tiny_config(method="info-nce-ica"), tmp_path)
    assert method.config.axes == "independent"
    decoded = method.decode(method.encode(x)[0]).detach()
    choose_axes(method, data, run)
    z = method.encode(x)[0].detach()
    after = np.abs(np.corrcoef(z.numpy().T, factors.T)[:2, 2:])
    assert before.max() < 0.9 and after.max(axis=1).min() > 0.99
    torch.testing.assert_close(method.decode(z), decoded, atol=1e-5, rtol=1e-4)


def soups(n=300, foods=("soup", "salad", "bread")):
    """Texts of some foods each, next to pictures that say nothing."""
    g = torch.Generator().manual_seed(3)
    amounts = torch.poisson(torch.rand(n, len(foods), generator=g) * 12, generator=g)
    texts = ["".join(f"{f} " * int(k) for f, k in zip(foods, row, strict=True)) for row in amounts]
    words = fit_words(texts, torch.arange(n).numpy(), n, 100)
    splits, noise = random_split(n, (0.8, 0.1, 0.1), 0), TensorView(torch.randn(n, 3, generator=g))
    return PairedDataset(name="soups", settings={}, x1=noise, x2=words, splits=splits)


def test_axes_of_a_model_with_texts_follow_their_words(tmp_path):
    from rivae.jobs.launch import choose_axes

    data = soups()
    words, noise, splits = data.x2, data.x1, data.splits
    settings = {"dim_v": 3, "embedder": {"kind": "mlp", "hidden": []}, "axes": "words"}
    for x2 in (words, TensorView(words.batch(range(300)))):
        method = build_method("info-nce", settings, noise.shape, x2.shape, [0]).eval()
        data = PairedDataset(name="soups", settings={}, x1=noise, x2=x2, splits=splits)
        name = type(x2).__name__.lower()
        run = Run.create(tiny_config(name, method="info-nce"), tmp_path)
        choose_axes(method, data, run)
        kept = json.loads((run.path / "alignment.json").read_text())
        if x2 is words:
            z = method.encode_target(words.batch(splits["train"]))[0].detach()
            first = words.vocabulary.index(kept["words"][0][0])
            there = words.batch(splits["train"])[:, first]
            assert torch.corrcoef(torch.stack([z[:, 0], there]))[0, 1] > 0.8
        else:  # no words are known: independent components
            assert kept["words"] == [] and "FastICA" in kept["note"]


def test_more_components_than_v_has_are_refused():
    with pytest.raises(ConfigError, match="4 dimensions have no 5 components: raise dim_v"):
        build("info-nce-ica", n_components=5)


def test_embeddings_without_spread_have_no_components():
    method = build("info-nce-ica")
    with torch.no_grad():
        for embedder in (method.embedder1, method.embedder2):
            embedder.net.out.weight.zero_()
    with pytest.raises(DataError, match="all the same: lower the learning rate"):
        finish_closed_form(method, DATA, 0)


# Training.

CASES = {
    "cos-sim": {},
    "info-nce": {"temperature_form": "learned"},
    "info-nce-ica": {"axes": "scaled"},
}


@pytest.mark.parametrize("name", CASES)
def test_training_finds_the_partners(name, tmp_path):
    config = tiny_config(method=name, epochs=40, training={"validate_every": 40}, **CASES[name])
    (run,) = train([config], tmp_path)
    data = run.load_dataset()
    rows = data.splits["test"]
    for asks in ("first", "second"):
        ranks = Retriever(run.load_method(), data, rows, asks=asks).true_ranks(rows)
        assert np.median(ranks) <= 4, asks


@pytest.mark.parametrize("name", CASES)
def test_a_stack_trains_the_models_of_single_runs(name, tmp_path):
    configs = [tiny_config(f"s{seed}", name, seed=seed, **CASES[name]) for seed in (3, 0)]
    stacked = train(configs, tmp_path / "stacked")
    assert_same_models(stacked, [train([c], tmp_path / "alone")[0] for c in configs])


@pytest.mark.parametrize("name", CASES)
def test_a_stopped_run_goes_on_to_the_same_bytes(name, tmp_path):
    configs = [tiny_config(f"s{seed}", name, seed=seed, **CASES[name]) for seed in (3, 0)]
    whole = [files_of(run) for run in train(configs, tmp_path / "whole")]
    with pytest.raises(KeyboardInterrupt):
        train(configs, tmp_path / "stopped", StopAfter(2))
    runs = resume([Run(tmp_path / "stopped" / "s3")])
    assert [files_of(run) for run in runs] == whole


def test_embeddings_learn_to_tell_the_parts_of_the_texts(tmp_path):
    data = soups(160, [f"{a}{b}food" for a in "abcdefg" for b in "hijklm"])
    errors = []
    for name, view in (("words", data.x2), ("numbers", TensorView(data.x2.batch(range(160))))):
        changes = {"dim_v": 16, "lambda_words": 5.0, "epochs": 12, "learning_rate": 0.01}
        run = Run.create(tiny_config(name, method="info-nce", **changes), tmp_path)
        data.x2 = view
        Trainer([TrainingJob(run, data)]).fit()
        errors.append([row.get("words") for row in run.metrics()])
    told, without = errors
    assert told[0] > 0.9 and told[-1] < 0.8 * told[0]
    assert set(without) == {None}, "numbers that are no words have no parts"
