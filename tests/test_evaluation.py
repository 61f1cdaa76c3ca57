"""Evaluations of small models whose answers are known."""

import json

import numpy as np
import pytest
import torch

from rivae.base.errors import ConfigError, DataError
from rivae.base.files import json_ready
from rivae.data.base import FactorSpec, PairedDataset, TensorView, random_split
from rivae.evaluation.of_run import DIGIT_RANGES, evaluate, is_digits
from rivae.metrics.correlation import correlation_table
from rivae.metrics.measures.retrieval import search_sets
from rivae.models.base import Method, MethodConfig
from rivae.retrieval.prior import AggregatedPrior
from rivae.retrieval.ranges import paper_grid, traversal_values
from rivae.retrieval.retriever import Retriever
from rivae.retrieval.traversal import traverse
from rivae.runs import find_run
from rivae.runs.evaluation_file import Evaluation
from tests.retrieval.small import SmallMethod, small_data

QUICK = {"n_search_sets": 2, "null_permutations": 5, "null_permutations_slow": 2, "n_queries": 10}


class FactorReader(Method):
    """z is the first ``n_components`` inputs, turned by ``turn``; f puts them back."""

    name = "factor-reader"
    title = "factor reader"
    config_class = MethodConfig

    def __init__(self, turn=None, n_components=2, dim_v=6):
        super().__init__()
        self.n_components, self.dim_v = n_components, dim_v
        turn = torch.eye(n_components) if turn is None else torch.tensor(turn, dtype=torch.float32)
        self.turn = torch.nn.Parameter(turn)
        self.basis = torch.nn.Parameter(torch.eye(n_components, dim_v))

    def embed_query(self, x1):
        return x1[..., : self.n_components] @ self.basis

    def embed_target(self, x2):
        return self.embed_query(x2)

    def encode_v(self, v1):
        mu = v1[..., : self.n_components] @ self.turn
        return mu, torch.full_like(mu, -9.0)

    def hidden(self, z):
        return z @ self.turn.T

    def output_layer(self):
        return self.basis, torch.zeros_like(self.basis[0])

    def score(self, z, squared_distance):
        return -squared_distance


def grid_data(role="shared"):
    """All points of a 20 x 20 grid; both views are the two factors, the last column is noise."""
    a, b = np.meshgrid(np.arange(20.0), np.arange(20.0), indexing="ij")
    rng = np.random.default_rng(0)
    factors = np.column_stack([a.ravel(), b.ravel(), rng.normal(size=400)])
    x = TensorView(torch.tensor(factors / 10 - 1, dtype=torch.float32))
    return PairedDataset(
        name="grid",
        settings={},
        x1=x,
        x2=x,
        splits=random_split(400, (0.1, 0.1, 0.8), 0),
        factors=factors,
        factor_specs=(
            FactorSpec("a", "ordinal"),
            FactorSpec("b", "continuous"),
            FactorSpec("noise", "continuous", role),
        ),
        search_size=300,
    )


def stored(*model, **settings):
    """An evaluation as its file holds it."""
    return evaluate(*model, **settings).document()


def score(report, name, part="factors"):
    return report[part][name]["score"]


@pytest.mark.slow
def test_a_model_that_reads_the_factors_scores_high():
    report = evaluate(
        FactorReader(), grid_data("private2"), traversal=(-1.0, 1.0), **QUICK
    ).document()
    assert score(report, "recall_at_1", "retrieval") == 1
    assert score(report, "median_rank", "retrieval") == 1
    for name in (
        "disentanglement",
        "completeness",
        "informativeness",
        "mcc",
        "mcc_spearman",
        "r2",
        "infoe",
        "dci_disentanglement",
        "dci_completeness",
    ):
        assert score(report, name) > 0.9, name
    assert score(report, "infom") > 0.75
    table = np.array(report["correlation"]["absolute"])
    assert table.shape == (2, 3)
    assert table[0, 0] > 0.95
    assert table[0, 1] < 0.3
    assert report["correlation"]["factor_names"] == ["a", "b", "noise"]
    # the private factor lowers the variant that scores it
    assert score(report, "informativeness_with_private") < score(report, "informativeness")
    assert report["factors"]["r2"]["parts"]["by_role"]["private2"] < 0.1


@pytest.mark.slow
def test_a_turned_model_retrieves_as_well_but_its_axes_mean_nothing():
    half = np.array([[1, 1], [-1, 1]]) / 2**0.5
    report = stored(FactorReader(half), grid_data(), traversal=(-1.0, 1.0), **QUICK)
    assert score(report, "recall_at_1", "retrieval") == 1
    assert score(report, "disentanglement") < 0.5
    assert score(report, "dci_disentanglement") < 0.5
    assert score(report, "mcc") < 0.8


@pytest.mark.slow
def test_settings_and_both_ranges_are_stored():
    report = stored(SmallMethod(), small_data(), alpha=7.0, random_state=3, **QUICK)
    settings = report["settings"]
    assert settings["alpha"] == 7
    assert settings["random_state"] == 3
    assert settings["search_size"] == 40
    assert settings["n_queries"] == 10
    assert settings["traversal"]["range"] == "paper"
    assert "scale" in settings["traversal"]["scale"]
    assert settings["traversal_other"]["range"] == "prior"
    assert report["correlation"]["values"] == {
        "low": [-10.0, -10.0],
        "high": [10.0, 10.0],
        "n_points": 201,
    }
    assert report["correlation"]["left_out"] == ["c"]
    assert report["factors"]["disentanglement"]["settings"]["alpha"] == 7
    assert report["factors"]["disentanglement"]["settings"]["factors"] == ["a", "b"]
    low = report["correlation_other"]["values"]["low"]
    expected = np.array(settings["prior"]["mean"]) - 3 * np.array(settings["prior"]["std"])
    np.testing.assert_allclose(low, expected)
    swapped = evaluate(
        SmallMethod(), small_data(), traversal="prior", random_state=3, **QUICK
    ).document()
    assert swapped["correlation"]["absolute"] == report["correlation_other"]["absolute"]
    assert swapped["correlation_other"]["absolute"] == report["correlation"]["absolute"]


@pytest.mark.slow
def test_every_factor_score_has_a_null_of_its_size():
    report = stored(SmallMethod(), small_data(), **QUICK)
    slow = {"r2_nonlinear", "infom", "infoe", "infoc"}
    for name, result in report["factors"].items():
        refits = name in slow or name.startswith("dci_")
        assert result["parts"]["null"]["n"] == (2 if refits else 5), name
    bare = evaluate(
        SmallMethod(),
        small_data(),
        **{**QUICK, "null_permutations": 0, "null_permutations_slow": 0},
    ).document()
    assert all("null" not in r["parts"] for r in bare["factors"].values())


@pytest.mark.slow
def test_each_axis_changes_its_own_factor_and_nothing_else():
    few = {**QUICK, "null_permutations": 0, "null_permutations_slow": 0, "retrieval": False}
    found = stored(FactorReader(), grid_data(), **few)["effects"]
    assert [[change["name"] for change in each["changes"]] for each in found] == [["a"], ["b"]]
    assert all(each["changes"][0]["change"] > 2 for each in found)
    assert "effects" not in stored(FactorReader(), grid_data(), **few, effects=False)


@pytest.mark.slow
def test_it_is_repeatable_and_plain_json():
    seen = []
    first = evaluate(
        SmallMethod(), small_data(), progress=lambda *a: seen.append(a), **QUICK
    ).document()
    again = stored(SmallMethod(), small_data(), **QUICK)
    assert {**first, "created": ""} == {**again, "created": ""}
    assert json.loads(json.dumps(first, allow_nan=False)) == first
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert seen[-1] == ("done", 1.0)


def digit_data():
    data = small_data(n=120)
    digits = np.random.default_rng(0).integers(0, 10, size=(120, 1)).astype(float)
    return PairedDataset(
        name="digits",
        settings={},
        x1=data.x1,
        x2=data.x2,
        splits=data.splits,
        factors=digits,
        factor_specs=(FactorSpec("digit", "categorical", "shared", tuple("0123456789")),),
        search_size=40,
    )


def test_digits_get_transitions_instead_of_correlations():
    data = digit_data()
    assert is_digits(data)
    report = stored(SmallMethod(), data, **QUICK)
    assert report["correlation"] is None
    assert "disentanglement" not in report["factors"]
    assert report["factors"]["dci_disentanglement"]["score"] is None
    digits = report["digits"]
    assert np.array(digits["transitions"]["table"]).shape == (2, 45)
    assert digits["transitions"]["pairs"][0] == "0–1"
    assert 0 <= digits["overlap"]["score"] <= 1 / 45
    assert digits["coverage"]["parts"]["null"]["n"] == 2
    assert report["settings"]["n_queries"] == 10
    assert "digits_other" in report


def test_without_factors_only_retrieval_is_measured():
    data = small_data()
    bare = PairedDataset(name="bare", settings={}, x1=data.x1, x2=data.x2, splits=data.splits)
    report = stored(SmallMethod(), bare, **QUICK)
    assert report["factors"] is report["digits"] is report["correlation"] is None
    assert report["retrieval"]["recall_at_1"]["settings"]["search_size"] == 80


def test_the_table_is_that_of_one_search_set_and_the_drawn_queries():
    data = small_data()
    report = stored(SmallMethod(), data, **{**QUICK, "n_queries": 80})
    rows = search_sets(data.splits["test"], 40, 1, 0)[0]
    searched = Retriever(SmallMethod(), data, rows)
    z_ref = searched.encode(data.splits["test"])[0]
    found = traverse(searched, z_ref, paper_grid())
    table = correlation_table(found, data.factors, data.factor_specs)
    np.testing.assert_allclose(report["correlation"]["absolute"], table.absolute)
    np.testing.assert_allclose(report["correlation"]["signed"], table.signed)


@pytest.mark.slow
def test_retrieval_is_measured_by_the_mean_and_by_samples_as_in_the_paper():
    class Blurred(FactorReader):
        def encode_v(self, v1):
            mu, log_var = super().encode_v(v1)
            return mu, torch.full_like(log_var, -4.0)

    report = evaluate(Blurred(), grid_data(), **QUICK, samples=(1, 30))
    by_name = dict(report.searches())
    mean, one, many = (by_name[name]["recall_at_5"] for name in by_name)
    assert mean is report.retrieval["recall_at_5"]
    assert one.score < many.score <= mean.score
    assert [of.settings.query.startswith("mean score of") for of in (mean, one, many)] == [
        False,
        True,
        True,
    ]
    again = Evaluation.model_validate(report.document())
    assert again.retrieval_sampled.keys() == {"1", "30"} == report.retrieval_sampled.keys()
    assert len(again.groups()) == len(report.groups()) >= 3
    assert not evaluate(SmallMethod(), small_data(), **QUICK, samples=()).retrieval_sampled


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_queries": 0},
        {"samples": (0,)},
        {"traversal": "wide"},
        {"traversal": (1.0, 1.0)},
        {"alpha": -1.0},
    ],
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ConfigError):
        evaluate(SmallMethod(), small_data(), **{**QUICK, **wrong})


def test_a_diverged_model_and_an_empty_test_split_are_refused():
    method = SmallMethod()
    with torch.no_grad():
        method.e2[0].weight.fill_(float("nan"))
    with pytest.raises(DataError, match="diverged"):
        evaluate(method, small_data(), **QUICK)
    data = small_data()
    data.splits["test"] = np.empty(0, dtype=np.int64)
    with pytest.raises(DataError, match="no test rows"):
        evaluate(SmallMethod(), data, **QUICK)


def test_traversal_values():
    prior = AggregatedPrior(
        np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([-1.0, 0.0]), np.array([2.0, 4.0]), 9
    )
    values, note = traversal_values("sigma", prior)
    assert values.shape == (2, 100)
    assert (values[0, 0], values[0, -1]) == (-19.0, 21.0)
    assert "free of the scale" in note
    assert traversal_values("paper", prior)[0].shape == (2, 201)
    values, _ = traversal_values("data", prior)
    np.testing.assert_allclose(values[:, [0, -1]], [[-1.0, 2.0], [0.0, 4.0]])
    values, _ = traversal_values((0.0, 2.0), prior)
    assert (values[1, 0], values[1, -1]) == (0.0, 2.0)
    for wrong in ((1.0, 2.0, 3.0), (1.0, "far"), 5):
        with pytest.raises(ConfigError, match="a name or two numbers"):
            traversal_values(wrong, prior)


def test_json_ready():
    value = {1: (np.float64(2), float("nan"), [np.arange(2)]), "x": -np.inf}
    assert json_ready(value) == {"1": [2.0, None, [[0, 1]]], "x": None}


@pytest.mark.slow
def test_digit_metrics_are_shown_over_several_ranges():
    run = find_run("demo-digits")
    data = run.load_dataset()
    report = evaluate(
        run.load_method(data),
        data,
        n_queries=20,
        null_permutations=0,
        null_permutations_slow=0,
        n_search_sets=1,
    )
    measured = report.document()["digits_ranges"]
    assert [row["n_std"] for row in measured] == list(DIGIT_RANGES)
    assert all(0 <= row["overlap"] <= 1 / 45 and 0 <= row["coverage"] <= 1 for row in measured)
    # A longer way passes more digits.
    assert measured[1]["coverage"] > measured[0]["coverage"]
