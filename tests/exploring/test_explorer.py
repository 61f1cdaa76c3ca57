import json
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
from rivae.base.errors import ConfigError, DataError, RunError
from rivae.exploring.explorer import Distance, Explorer
from rivae.runs import Run

pytestmark = pytest.mark.xdist_group("exploring explorer")  # its runs are trained once


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    from rivae.training import Trainer, TrainingJob

    settings = {"n_components": 3, "dim_v": 8, "init": "none", "ivae_epochs": 0}
    config = RunConfig(
        name="explored",
        dataset=DatasetConfig(name="split-digits"),
        method=MethodChoice(settings={**settings, "joint_epochs": 4, "n_mismatches": None}),
    )
    run = Run.create(config, tmp_path_factory.mktemp("runs"))
    Trainer([TrainingJob(run, run.load_dataset())]).fit()
    return run


@pytest.fixture(scope="module")
def explorer(run):
    return Explorer.open(run)


def test_topk_is_the_k_nearest_items(explorer):
    z = np.array([0.3, -0.2, 0.9])
    hits = explorer.topk(z, 6)
    squared = explorer.retriever.all_squared_distances(z[None])[0]
    best = np.argsort(squared, kind="stable")[:6]
    assert hits.ids.tolist() == explorer.search_rows[best].tolist()
    assert np.allclose(hits.squared_distances, np.sort(squared)[:6])
    assert (np.diff(hits.scores) <= 0).all()


def test_test_items_or_all_items_are_searched(run, explorer):
    assert set(explorer.search_rows) == set(explorer.data.splits["test"])
    everything = Explorer.open(run, rows="all")
    assert len(everything.search_rows) == len(everything.data)
    with pytest.raises(ConfigError, match="train"):
        Explorer.open(run, rows="train")


def test_effects_count_changes_of_the_best_item(explorer):
    effects = explorer.effects
    assert effects.shape == (3,) and (effects >= 0).all() and (effects <= 1).all()
    rows = explorer.search_rows
    picked = rows[np.linspace(0, len(rows) - 1, 12).astype(int)]
    changes = []
    for row in picked:
        best = []
        for t in np.linspace(-2, 2, 9):
            z = explorer.retriever.encode([row])[0][0].copy()
            z[1] = explorer.mean[1] + t * explorer.std[1]
            best.append(int(explorer.topk(z, 1).ids[0]))
        changes += [a != b for a, b in pairwise(best)]
    assert effects[1] == pytest.approx(np.mean(changes))


def test_training_queries_are_near_and_the_far_is_far(explorer):
    row = int(explorer.data.splits["train"][0])
    assert explorer.far(explorer.encode(row)).value < 1e-5
    far = explorer.far(explorer.mean + 50 * explorer.std)
    assert far.where == "far" and far.value > far.limit


@pytest.mark.parametrize(
    ("times", "where"),
    [(0.0, "inside"), (1.0, "inside"), (1.01, "edge"), (2.0, "edge"), (2.01, "far")],
)
def test_beyond_the_limit_is_the_edge_and_twice_as_far_is_far(times, where):
    assert Distance(times * 0.7, 0.7).where == where


def test_an_upload_is_encoded_like_the_data(explorer):
    row = int(explorer.search_rows[0])
    half = explorer.data.picture(row, 1)
    z = explorer.encode_upload(half)
    assert z.shape == (3,) and np.isfinite(z).all()
    with pytest.raises(DataError, match="only one colour"):
        explorer.encode_upload(Image.new("L", (8, 8), 0))


@pytest.mark.parametrize("row", [-1, 10**7])
def test_a_row_that_does_not_exist_is_refused(explorer, row):
    for ask in (explorer.encode, explorer.item, explorer.title, explorer.picture):
        with pytest.raises(ConfigError, match="no item"):
            ask(row)


@pytest.mark.parametrize("z", [[0.0], [0.0] * 4, [0.0, 0.0, np.nan], [0.0, np.inf, 0.0]])
def test_a_z_that_does_not_fit_is_refused(explorer, z):
    with pytest.raises(ConfigError, match=r"^z .*(3 numbers|finite)"):
        explorer.topk(np.array(z), 3)


@pytest.mark.parametrize("k", [0, 31, -5])
def test_k_is_bounded(explorer, k):
    with pytest.raises(ConfigError, match="between 1 and 30"):
        explorer.topk(np.zeros(3), k)


def test_a_run_without_a_model_cannot_be_opened(run, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    config = json.loads((run.path / "config.json").read_text())
    (empty / "config.json").write_text(json.dumps(config))
    with pytest.raises(RunError, match="no trained model"):
        Explorer.open(Run(empty))


def test_data_without_uploads_refuse_one():
    from rivae.data import load_dataset

    with pytest.raises(DataError, match="gallery"):
        load_dataset("synth", n_pairs=30).from_upload(Image.new("L", (8, 8)))


def test_pictures_with_texts_have_no_second_view_to_show(small_store):
    from rivae.data import load_dataset
    from rivae.models.registry import build_method

    data = load_dataset("pairs", store=str(small_store), image_size=16)
    settings = {"dim_v": 4, "embedder2": {"kind": "mlp", "hidden": []}}
    method = build_method("rivae", settings, data.x1.shape, data.x2.shape)
    assert Explorer(method.eval(), data).whole_label == ""
