"""What every registered method promises, on every kind of data set."""

import re

import pytest
import torch

from rivae.base.errors import ConfigError
from rivae.data import dataset_names, load_dataset
from rivae.data.tokens import LENGTH
from rivae.models.base import Method
from rivae.models.presets import find_preset, preset_names, trains_as_batch
from rivae.models.registry import METHODS, build_method
from rivae.models.stages import parameters_of
from rivae.runs import Run
from rivae.training.state import make_optimiser
from tests.training.tiny import first_batch, smooth_settings, tiny_config

VARIANTS = [
    *((method, dataset, {}) for method in METHODS for dataset in ("synth", "split-digits")),
    ("rivae", "synth", smooth_settings()),
    ("bi-vae", "synth", {"network": "linear", "prior_expert": False, "eta_form": "fixed"}),
    ("bi-vae", "split-digits", {"network": "conv", "channels": [4, 5], "lambda_single": 0}),
    ("rbi-vae", "split-digits", {"form": "non-linear", "model_hidden": [8], "expectation": "mean"}),
    ("rbi-vae", "synth", {"form": "non-linear", "variance": "by z", **smooth_settings()}),
    ("bi-vae-on-v", "synth", {"form": "non-linear", "variance": "by z", "prior_expert": False}),
    ("dcca", "synth", {"init": "smooth", "smooth_neighbours": 12}),
    ("dcca", "split-digits", {"init": "none", "loss_form": "eckart-young"}),
    ("cos-sim", "synth", {"loss_form": "hinge", "n_mismatches": 1}),
    ("info-nce-ica", "split-digits", {"temperature_form": "learned"}),
    ("rivae", "split-digits", {"init": "none", "loss_form": "hinge", "n_mismatches": 2}),
    ("rivae", "synth", {"ask_both_ways": True, "unfold_epochs": 2, "expectation": "mean"}),
    ("rivae", "synth", {"head_start": "components", "lambda_words": 1.0}),
    ("cos-sim-lvm", "synth", {"lambda_words": 1.0}),
    ("info-nce", "synth", {"lambda_words": 1.0}),
]
# v2 is in units of its noise, not a point of the unit sphere.
NOT_UNIT = {"dcca", "bi-vae", "bi-vae-on-v", "rbi-vae"}


@pytest.fixture(scope="module", params=VARIANTS, ids=lambda v: f"{v[0]}-{v[1]}-{len(v[2])}")
def case(request):
    """(configuration, data, build) of one method on one data set."""
    method, dataset, changes = request.param
    config = tiny_config("contract", method, dataset, **changes)
    data = load_dataset(dataset, **config.dataset.settings)

    def build(seed=0):
        settings = config.method.settings
        return build_method(method, settings, data.x1.shape, data.x2.shape, [seed])

    return config, data, build


def changes_axes(method):
    """Whether its axes may be others than those that were trained."""
    return type(method).apply_affine is not Method.apply_affine


def test_every_stage_computes_a_finite_objective_and_its_gradient(case):
    _, data, build = case
    method, generator = build(), torch.Generator().manual_seed(0)
    stages = method.stages()
    assert stages and len({stage.name for stage in stages}) == len(stages)
    for stage in stages:
        method.zero_grad()
        terms = method.loss(first_batch(method, data, stage, generator))
        assert len(terms) >= 3 and "objective" in terms
        for name, value in terms.items():
            assert value.shape == () and torch.isfinite(value), name
        terms["objective"].backward()
        groups = method.param_groups(stage.name)
        touched = [p.grad for g in groups for p in g.parameters if p.grad is not None]
        assert any(grad.abs().sum() > 0 for grad in touched)
        assert all(torch.isfinite(grad).all() for grad in touched)


def test_a_stage_updates_its_own_parameters_and_no_others(case):
    _, data, build = case
    method, generator = build(), torch.Generator().manual_seed(0)
    own = {id(p) for p in method.parameters()}
    for stage in method.stages():
        groups = method.param_groups(stage.name)
        listed = [p for group in groups for p in group.parameters]
        assert len({id(p) for p in listed}) == len(listed) > 0
        assert {id(p) for p in listed} <= own
        before = {name: p.detach().clone() for name, p in method.named_parameters()}
        optimiser = make_optimiser(groups, 0.01)
        method.zero_grad()
        method.loss(first_batch(method, data, stage, generator))["objective"].backward()
        optimiser.step()
        inside = {id(p) for p in listed}
        changed = [
            name for name, p in method.named_parameters() if not torch.equal(p, before[name])
        ]
        assert changed
        assert all(id(dict(method.named_parameters())[name]) in inside for name in changed)


def test_all_stages_together_train_everything(case):
    _, _, build = case
    method = build()
    trained = {
        id(p)
        for stage in method.stages()
        for g in method.param_groups(stage.name)
        for p in g.parameters
    }
    assert {name for name, p in method.named_parameters() if id(p) not in trained} == set()
    assert len(parameters_of(method)) == len(list(method.parameters()))


def test_seeds_decide_the_weights(case):
    _, _, build = case
    first, again, other = build(0).state_dict(), build(0).state_dict(), build(1).state_dict()
    assert all(torch.equal(first[key], again[key]) for key in first)
    assert any(not torch.equal(first[key], other[key]) for key in first)


def test_maps_have_the_promised_shapes(case):
    _, data, build = case
    method = build().eval()
    rows = data.splits["test"][:5]
    v1, v2 = method.embed_query(data.x1.batch(rows)), method.embed_target(data.x2.batch(rows))
    # Where the variance depends on z, items are searched in more dimensions than V has.
    assert len(v1) == 5 and v2.shape == (5, method.dim_v)
    if method.name not in NOT_UNIT:
        torch.testing.assert_close(v2.norm(dim=-1), torch.ones(5))
    mu, log_var = method.encode(data.x1.batch(rows))
    assert mu.shape == log_var.shape == (5, method.n_components)
    torch.testing.assert_close(method.encode_v(v1)[0], mu)
    weight, bias = method.output_layer()
    z = torch.randn(5, method.n_components)
    assert weight.shape == (method.hidden(z).shape[-1], method.dim_v) and bias.shape == v2[0].shape
    torch.testing.assert_close(method.hidden(z) @ weight + bias, method.decode(z))
    assert method.decode(z).shape == v2.shape
    if method.asks_both_ways:
        x1, x2 = data.x1.batch(rows), data.x2.batch(rows)
        for part in (*method.encode_target(x2), *method.encode_both(x1, x2)):
            assert part.shape == mu.shape
        assert v1.shape == v2.shape, "f(z) is compared with v1 as well"


def test_the_score_falls_with_the_distance(case):
    _, _, build = case
    method = build().eval()
    z = torch.randn(4, method.n_components)
    distances = torch.linspace(0, 4, 30).expand(4, 30)
    scores = method.score(z, distances)
    assert scores.shape == (4, 30) and (scores.diff(dim=-1) < 0).all()


def test_new_axes_change_no_distance_and_no_order(case):
    _, data, build = case
    method = build().eval()
    if not changes_axes(method):
        return
    rows = data.splits["test"][:40]
    v1 = method.embed_query(data.x1.batch(rows)).double()
    targets = method.embed_target(data.x2.batch(rows)).double()
    method.double()  # the change is exact: what is left is rounding
    d = method.n_components
    g = torch.Generator().manual_seed(3)
    matrix = torch.randn(d, d, generator=g, dtype=torch.float64)
    offset = torch.randn(d, generator=g, dtype=torch.float64)
    mu, log_var = method.encode_v(v1)
    before = torch.cdist(method.decode(mu), targets)
    z = torch.randn(6, d, generator=g, dtype=torch.float64)
    decoded = method.decode(z)

    method.apply_affine(matrix, offset)

    new_mu, new_log_var = method.encode_v(v1)
    torch.testing.assert_close(new_mu, mu @ matrix + offset)
    torch.testing.assert_close(method.decode(z @ matrix + offset), decoded)
    after = torch.cdist(method.decode(new_mu), targets)
    assert torch.equal(before.argsort(dim=1), after.argsort(dim=1))
    if method.name in ("rivae", "dcca"):
        torch.testing.assert_close(new_log_var.exp(), log_var.exp() @ matrix**2)


def test_new_axes_move_the_queries_of_every_side(case):
    _, data, build = case
    method = build().eval()
    if not method.asks_both_ways:
        return
    x1, x2 = (view.batch(data.splits["test"][:9]) for view in (data.x1, data.x2))
    before = method.encode_target(x2), method.encode_both(x1, x2)
    assert not torch.allclose(before[0][0], before[1][0])
    d, generator = method.n_components, torch.Generator().manual_seed(3)
    matrix = torch.randn(d, d, generator=generator)
    method.apply_affine(matrix, torch.ones(d))
    after = method.encode_target(x2), method.encode_both(x1, x2)
    for (old, old_log_var), (new, log_var) in zip(before, after, strict=True):
        torch.testing.assert_close(new, old @ matrix + 1, rtol=1e-3, atol=1e-4)
        if method.name == "rivae":
            expected = old_log_var.exp() @ matrix**2
            torch.testing.assert_close(log_var.exp(), expected, rtol=1e-3, atol=1e-4)


def test_a_run_folder_keeps_the_model(case, tmp_path):
    config, data, build = case
    run = Run.create(config, tmp_path)
    method = build(5).eval()
    if changes_axes(method):
        method.apply_affine(2 * torch.eye(method.n_components), torch.ones(method.n_components))
    run.write_model(method)
    opened = Run(run.path).load_method()
    assert type(opened) is type(method) and not opened.training
    x1 = data.x1.batch(data.splits["test"][:5])
    for old, new in zip(method.encode(x1), opened.encode(x1), strict=True):
        assert torch.equal(old, new)


# Names and settings.


@pytest.mark.parametrize("method", tuple(METHODS))
@pytest.mark.parametrize("dataset", dataset_names())
@pytest.mark.parametrize("preset", preset_names())
def test_presets_validate_and_build(method, dataset, preset):
    shapes = {"synth": (50,), "split-digits": (1, 8, 4)}
    shapes |= {"sprites": (1, 64, 64), "sprites-hard": (3, 64, 64)}
    shape = shapes.get(dataset, (1, 28, 14))
    shape1, shape2 = (
        ((3, 64, 64), (400,))
        if dataset in ("pairs", "kitchen", "kitchen-drawn")
        else (shape, shape)
    )
    found = find_preset(dataset, method, preset)
    if found.dataset.get("text") == "tokens":
        shape1, shape2 = (3, 224, 224), (LENGTH,)
    built = build_method(method, found.method, shape1, shape2)
    assert sum(stage.epochs for stage in built.stages()) > 10
    dumped = built.config.model_dump(mode="json")
    assert METHODS[method].config_class.model_validate(dumped) == built.config
    assert isinstance(trains_as_batch(dumped), bool)
    assert set(found.training) <= {"precision", "validate_every", "clip_norm"}


def test_wrong_names_are_refused_with_the_choices():
    with pytest.raises(ConfigError, match=re.escape(METHODS.unknown("gan"))):
        build_method("gan", {}, (3,), (3,))
    for wrong, named in (
        (("synth", "rivae", "best"), "preset 'best'"),
        (("synth", "gan", "paper"), "method 'gan'"),
        (("x", "rivae", "paper"), "data set 'x'"),
    ):
        with pytest.raises(ConfigError, match=named):
            find_preset(*wrong)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (
            {"lambda_retrieval": 1},
            "rivae has no setting 'lambda_retrieval': choose from lambda_retr",
        ),
        ({"embedder": {"width": 3}}, "rivae has no setting 'embedder.width'"),
        ({"cos_sim": {"dim_v": 7}}, "rivae has no setting 'cos_sim.dim_v'"),
        ({"cos_sim": {"margin": "wide"}}, "setting 'cos_sim.margin' of rivae: input should be"),
        ({"eta": [0.1, 0]}, "'eta.1' of rivae: input should be greater than 0"),
        ({"eta": 0.1}, "'eta' of rivae"),
        ({"learning_rate": float("inf")}, "'learning_rate' of rivae: input should be a finite"),
        ({"n_mismatches": 0}, "'n_mismatches' of rivae"),
        ({"milestones": [[10, -1]]}, "'milestones.0.1' of rivae"),
        ({"head_hidden": [10**9]}, "'head_hidden.0' of rivae: input should be less than or equal"),
        ({"head_hidden": [8] * 17}, "'head_hidden' of rivae"),
        ({"joint_epochs": 10**6}, "'joint_epochs' of rivae"),
        ({"batch_size": 10**6}, "'batch_size' of rivae"),
        ({"anchor": [1, 0.1]}, "an anchor needs unfolded coordinates: set init="),
        ({"init": "smooth", "n_components": 3, "dim_v": 3}, "needs dim_v of at least 4"),
        ({"head_hidden": [8192] * 16}, "choose smaller networks"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_wrong_settings_are_refused_in_one_sentence(settings, reason):
    with pytest.raises(ConfigError, match=reason) as caught:
        build_method("rivae", settings, (50,), (50,))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 900
