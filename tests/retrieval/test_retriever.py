import threading
from pathlib import Path

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.metrics.measures.retrieval import retrieval_metrics, search_sets
from rivae.retrieval import model as latent_model
from rivae.retrieval.model import FullSpace, ProjectedSpace
from rivae.retrieval.registry import INDEXES
from rivae.retrieval.retriever import Retriever
from rivae.training.validation import validation_scores
from tests.retrieval.small import SmallMethod, small_data

DATA = small_data(duplicates=30)


@pytest.fixture(scope="module", params=["projected", "full"])
def retriever(request):
    method = SmallMethod(hidden=5 if request.param == "projected" else 20)
    made = Retriever(method, DATA, np.arange(200))
    assert isinstance(made.space, ProjectedSpace if request.param == "projected" else FullSpace)
    return made


def brute_distances(retriever, z):
    """|f(z) - v2|^2 in V, in float64, with equal v2 rows treated alike."""
    v = retriever.model.embed_targets(DATA.x2, retriever.ids)
    f = retriever.decode(z)
    return np.stack([((v - row) ** 2).sum(1) for row in f])


def test_search_equals_brute_force_in_v(retriever):
    z = np.random.default_rng(0).normal(size=(50, 2)) * 3
    found = retriever.search(z, 10)
    d = brute_distances(retriever, z)
    order = np.argsort(d, axis=1, kind="stable")[:, :10]
    np.testing.assert_array_equal(found.ids, retriever.ids[order])
    np.testing.assert_allclose(found.squared_distances, np.take_along_axis(d, order, 1), rtol=1e-9)
    np.testing.assert_allclose(found.scores, -found.squared_distances / 0.02)
    single = [retriever.search(row[None], 10).ids[0] for row in z]
    np.testing.assert_array_equal(single, found.ids)


@pytest.mark.parametrize("order", ["ascending", "as they come"])
def test_positions_are_those_of_the_items(order):
    rng = np.random.default_rng(5)
    rows = rng.permutation(len(DATA))[: len(DATA) // 2]
    item_ids = np.sort(rows) if order == "ascending" else rows
    made = Retriever(SmallMethod(), DATA, item_ids)
    some = rng.permutation(len(item_ids))
    np.testing.assert_array_equal(made.positions(item_ids[some]), some)
    for other in np.setdiff1d(np.arange(len(DATA)), rows)[[0, -1]]:
        with pytest.raises(DataError, match="not among the items"):
            made.positions([other])


def test_decode_and_encode_agree_with_the_method(retriever):
    rows = np.array([3, 150, 7])
    mu, log_var = retriever.encode(rows)
    with torch.inference_mode():
        expected, variance = retriever.method.encode(DATA.x1.batch(rows))
        decoded = retriever.method.decode(expected)
    np.testing.assert_allclose(mu, expected.numpy(), rtol=1e-6)
    np.testing.assert_allclose(log_var, variance.numpy())
    np.testing.assert_allclose(retriever.decode(mu), decoded.numpy(), atol=1e-5)
    np.testing.assert_array_equal(retriever.encode_x1(DATA.x1.batch(rows))[0], mu)
    assert mu.dtype == np.float64


def test_true_ranks_by_definition(retriever):
    rows = np.arange(0, 200, 7)
    mu, _ = retriever.encode(rows)
    d = brute_distances(retriever, mu)
    for rank, row, line in zip(retriever.true_ranks(rows), rows, d, strict=True):
        equal = np.isclose(line, line[row], rtol=1e-12, atol=1e-14)
        better = ((line < line[row]) & ~equal).sum()
        assert rank == 1 + better + (equal.sum() - 1) / 2


def test_duplicates_count_half(retriever):
    sub = retriever.subset([0, 170])  # 170 repeats the x2 of 0
    np.testing.assert_array_equal(sub.true_ranks([0, 170]), [1.5, 1.5])


def test_sampled_ranks_are_seeded_and_tend_to_the_mean(retriever):
    rows = np.arange(40)
    first = retriever.true_ranks(rows, n_samples=3, random_state=1)
    np.testing.assert_array_equal(first, retriever.true_ranks(rows, n_samples=3, random_state=1))
    assert (first != retriever.true_ranks(rows, n_samples=3, random_state=2)).any()
    assert (first != retriever.true_ranks(rows)).any()


def test_subset_searches_only_its_rows(retriever):
    rows = np.array([5, 199, 42, 7])
    found = retriever.subset(rows).search(np.zeros((2, 2)), 10)
    assert found.ids.shape == (2, 4)
    assert set(found.ids[0]) == set(rows)
    direct = Retriever(retriever.method, DATA, rows).search(np.zeros((2, 2)), 10)
    np.testing.assert_array_equal(found.ids, direct.ids)


def test_bad_rows_are_refused(retriever):
    with pytest.raises(DataError, match="not among"):
        retriever.subset([5, 6]).true_ranks([7])
    for rows in ([-1], [200], [0.5]):
        with pytest.raises(DataError):
            retriever.encode(rows)
    with pytest.raises(DataError, match="twice"):
        Retriever(retriever.method, DATA, [1, 1])
    with pytest.raises(DataError, match="no items"):
        Retriever(retriever.method, DATA, np.empty(0, dtype=int))


def test_prior_is_the_mixture(retriever):
    rows = np.arange(100)
    prior = retriever.prior(rows)
    mu, log_var = retriever.encode(rows)
    rng = np.random.default_rng(0)
    pick = rng.integers(0, 100, 400_000)
    draws = mu[pick] + np.exp(log_var[pick] / 2) * rng.normal(size=(len(pick), 2))
    np.testing.assert_allclose(prior.mean, mu.mean(0))
    np.testing.assert_allclose(prior.std, draws.std(0), rtol=0.01)
    assert ((mu < prior.low).mean(0) <= 0.01).all()
    assert ((mu > prior.high).mean(0) <= 0.01).all()


def test_density_warns_far_away_only(retriever):
    train = retriever.density_distance(retriever.encode(DATA.splits["train"])[0])
    np.testing.assert_allclose(train.distance, 0, atol=1e-9)
    held_out = retriever.density_distance(retriever.encode(DATA.splits["validation"])[0])
    assert held_out.far.mean() <= 0.03
    assert retriever.density_distance(np.array([[1e3, 0.0]])).far.all()


def test_searches_from_several_threads_agree(retriever):
    z = np.random.default_rng(3).normal(size=(20, 2))
    expected = retriever.search(z, 5).ids
    results = {}

    def work(i):
        ids = [[retriever.search(row[None], 5).ids[0] for row in z] for _ in range(10)]
        results[i] = (np.array(ids) == expected).all()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == dict.fromkeys(range(4), True)


def points_of(retriever):
    return retriever.index.rows(np.arange(retriever.index.n_items))


def test_cache_is_used_and_follows_the_weights(tmp_path):
    method = SmallMethod()
    first = Retriever(method, DATA, np.arange(50), cache_dir=tmp_path)
    again = Retriever(method, DATA, np.arange(50), cache_dir=tmp_path)
    np.testing.assert_array_equal(points_of(first), points_of(again))
    assert len(list(tmp_path.glob("*.npy"))) == 1
    Retriever(SmallMethod(seed=1), DATA, np.arange(50), cache_dir=tmp_path)
    assert len(list(tmp_path.glob("*.npy"))) == 2


def test_a_damaged_or_unwritable_cache_only_costs_time(tmp_path):
    plain = points_of(Retriever(SmallMethod(), DATA, np.arange(50)))
    Retriever(SmallMethod(), DATA, np.arange(50), cache_dir=tmp_path)
    next(tmp_path.glob("*.npy")).write_bytes(b"half")
    for folder in (tmp_path, tmp_path / "new", Path("/dev/null/no")):
        again = Retriever(SmallMethod(), DATA, np.arange(50), cache_dir=folder)
        np.testing.assert_array_equal(points_of(again), plain)
        assert np.isfinite(again.density_distance(np.zeros((1, 2))).distance).all()


def test_latents_of_the_reference_rows_are_kept(tmp_path):
    class Counting(Retriever):
        encoded = 0

        def encode(self, rows):
            self.encoded += len(rows)
            return super().encode(rows)

    z = np.zeros((1, 2))
    first = Counting(SmallMethod(), DATA, np.arange(50), cache_dir=tmp_path)
    expected = first.density_distance(z), first.reference_latents()
    again = Counting(SmallMethod(), DATA, np.arange(50), cache_dir=tmp_path)
    assert again.density_distance(z) == expected[0] and first.encoded and not again.encoded
    np.testing.assert_array_equal(again.reference_latents(), expected[1])

    for path in tmp_path.glob("latents-*.npz"):
        path.write_bytes(path.read_bytes()[:200])
    damaged = Counting(SmallMethod(), DATA, np.arange(50), cache_dir=tmp_path)
    np.testing.assert_array_equal(damaged.reference_latents(), expected[1])
    assert damaged.encoded == len(expected[1][0])
    other = Counting(SmallMethod(seed=1), DATA, np.arange(50), cache_dir=tmp_path)
    assert not np.array_equal(other.reference_latents(), expected[1]), "other weights"


def test_numbers_about_the_items_are_kept_with_them(tmp_path):
    made = []

    def make():
        made.append(1)
        return np.arange(6, dtype=np.float32).reshape(3, 2)

    def kept(shape=(3, 2), rows=50, seed=0, folder=tmp_path):
        retriever = Retriever(SmallMethod(seed=seed), DATA, np.arange(rows), cache_dir=folder)
        return retriever.keep("numbers", shape, make)

    np.testing.assert_array_equal(kept(), kept())
    assert len(made) == 1
    for n, other in enumerate(({"rows": 40}, {"seed": 1}, {"folder": None}), 2):
        kept(**other)
        assert len(made) == n, other
    for path in tmp_path.glob("numbers-*.npy"):
        path.write_bytes(path.read_bytes()[:-3])
    np.testing.assert_array_equal(kept(), make())
    assert len(made) == 6


def test_a_search_in_two_stages_finds_the_same():
    z = np.random.default_rng(0).normal(size=(30, 2)) * 2
    plain = Retriever(SmallMethod(), DATA, np.arange(200)).search(z, 8)
    large = Retriever(SmallMethod(), DATA, np.arange(200), kind=INDEXES["two-stage"]).search(z, 8)
    np.testing.assert_array_equal(plain.ids, large.ids)
    np.testing.assert_allclose(plain.squared_distances, large.squared_distances, rtol=1e-5)


def test_search_sets():
    rows = np.arange(100, 200)
    sets = search_sets(rows, 30, 4, random_state=5)
    assert len(sets) == 4
    assert all(len(set(s)) == 30 and set(s) <= set(rows) for s in sets)
    assert not np.array_equal(sets[0], sets[1])
    again = search_sets(rows, 30, 4, random_state=5)
    assert all(np.array_equal(a, b) for a, b in zip(sets, again, strict=True))
    assert [len(s) for s in search_sets(rows, 100, 4, 0)] == [100]
    with pytest.raises(DataError):
        search_sets(rows, 0, 4, 0)


def test_retrieval_metrics_by_definition(retriever):
    rows = DATA.splits["test"]
    results = retrieval_metrics(retriever, rows, search_size=40, n_sets=3, random_state=2)
    ranks = [retriever.subset(s).true_ranks(s) for s in search_sets(rows, 40, 3, 2)]
    assert results["recall_at_5"].score == pytest.approx(np.mean([(r <= 5).mean() for r in ranks]))
    medians = [np.median(r) for r in ranks]
    assert results["median_rank"].score == pytest.approx(np.mean(medians))
    assert results["median_rank"].std == pytest.approx(np.std(medians, ddof=1))
    assert results["recall_at_1"].settings["search_size"] == 40
    whole = retrieval_metrics(retriever, rows, search_size=1000, n_sets=3)
    assert whole["recall_at_1"].settings["search_size"] == len(rows) == 80
    assert whole["recall_at_1"].std is None


def test_a_query_is_embedded_once_however_many_sets_it_is_in(retriever, monkeypatch):
    asked = []
    encode = retriever.method.encode
    monkeypatch.setattr(retriever.method, "encode", lambda x: asked.append(len(x)) or encode(x))
    rows = DATA.splits["test"]
    drawn = search_sets(rows, 40, 5, 0)
    retrieval_metrics(retriever, rows, search_size=40, n_sets=5)
    assert sum(asked) == len(np.unique(np.concatenate(drawn))) < 5 * 40
    asked.clear()
    scores = validation_scores(retriever.method, DATA)
    assert sum(asked) == len(DATA.splits["validation"]) and "r2" in scores


def test_large_pictures_are_embedded_few_at_a_time(retriever, monkeypatch):
    rows = np.arange(100)
    mu, _ = retriever.encode(rows)
    asked = []
    encode = retriever.method.encode
    monkeypatch.setattr(retriever.method, "encode", lambda x: asked.append(len(x)) or encode(x))
    monkeypatch.setattr(latent_model, "_NUMBERS", 40 * int(np.prod(DATA.x1.shape)))
    np.testing.assert_allclose(retriever.encode(rows)[0], mu, rtol=1e-5)
    assert asked == [40, 40, 20]
