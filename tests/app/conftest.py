"""A folder of runs in every state, and the app driven without a browser."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]


def train(folder: Path, name: str, dataset: str, d: int, epochs: int, **data: Any) -> None:
    """A run that retrieves badly but is real; ``data`` are settings of the data set."""
    from rivae.base.config import DatasetConfig, MethodChoice, RunConfig
    from rivae.runs import Run
    from rivae.training import Trainer, TrainingJob
    from tests.training.tiny import SMALL_RIVAE

    settings = {**SMALL_RIVAE, "n_components": d, "dim_v": 8}
    config = RunConfig(
        name=name,
        dataset=DatasetConfig(name=dataset, settings=data),
        method=MethodChoice(settings={**settings, "joint_epochs": epochs}),
    )
    run = Run.create(config, folder)
    Trainer([TrainingJob(run, run.load_dataset())]).fit()


def turn(folder: Path, name: str, copied: str) -> None:
    """A copy of a run of three dimensions whose axes are z3, -2 z1 + 1 and z2 of the original."""
    import torch

    from rivae.runs import Run

    shutil.copytree(folder / copied, folder / name)
    config = json.loads((folder / name / "config.json").read_text())
    (folder / name / "config.json").write_text(json.dumps({**config, "name": name}))
    method = Run(folder / name).load_method()
    matrix = torch.tensor([[0.0, -2, 0], [0, 0, 1], [1, 0, 0]])
    method.apply_affine(matrix, torch.tensor([0.0, 1, 0]))
    Run(folder / name).write_model(method)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs: "digits" and "synth" are trained; "training", "stopped", "failed", "broken" and
    "damaged" are not. For comparisons: "digits-turned" (the axes of "digits" in another order),
    "digits-4" (four dimensions of its own) and "digits-split" (another split of the data)."""
    from rivae.jobs.launch import run_lock
    from rivae.runs import Run

    folder = tmp_path_factory.mktemp("ui-runs")
    train(folder, "digits-split", "split-digits", 3, 1, split_seed=5)
    train(folder, "digits-4", "split-digits", 4, 2)
    train(folder, "digits", "split-digits", 3, 3)
    turn(folder, "digits-turned", "digits")
    train(folder, "synth", "synth", 2, 2)
    for name in ("training", "stopped", "failed", "broken", "damaged"):
        shutil.copytree(folder / "digits", folder / name)
        config = json.loads((folder / name / "config.json").read_text())
        (folder / name / "config.json").write_text(json.dumps({**config, "name": name}))
    for name in ("training", "stopped", "failed"):
        (folder / name / "model.safetensors").unlink()
    for name, epoch in (("training", 3), ("stopped", 5)):
        status = {"state": "running", "stage": "joint", "epoch": epoch, "total_epochs": 9}
        Run(folder / name).set_status(**status)
    Run(folder / "failed").set_status(state="failed", epoch=4, message="the loss is not finite")
    (folder / "broken" / "config.json").write_text("{not json")
    model = (folder / "damaged" / "model.safetensors").read_bytes()
    (folder / "damaged" / "model.safetensors").write_bytes(model[: len(model) // 2])
    with run_lock(Run(folder / "training")):  # as the training process holds it
        yield folder


@pytest.fixture
def runs(run_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The app sees these runs and no others, and starts without labels and imports."""
    monkeypatch.setenv("RIVAE_RUNS", str(run_folder))
    if "RIVAE_DATA" not in os.environ:  # those of whoever runs the tests do not count
        monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "no-imports"))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", run_folder / "no-demos")
    return run_folder


@pytest.fixture(scope="session")
def digits(run_folder: Path) -> Any:
    """The trained digits run, opened."""
    from rivae.exploring.explorer import Explorer
    from rivae.runs import Run

    return Explorer.open(Run(run_folder / "digits"))


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """Streamlit reads the metadata of every installed package when an app starts, for half a second
    of each of a thousand visitors here; none of the packages changes meanwhile."""
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        once = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(autouse=True)
def fresh_folder_list() -> Iterator[None]:
    """The app looks at the run folders again, not at what another test left in its caches."""
    from rivae.app.shell import cache, troubles

    looked = cache._resolved, troubles._seen, troubles._noted
    for kept in looked:
        kept.clear()
    yield
    for kept in looked:
        kept.clear()


@pytest.fixture(autouse=True)
def without_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that builds the routes leaves no addresses to pages that have no server."""
    monkeypatch.setattr("rivae.app.shell.web._base", None)


@pytest.fixture(autouse=True)
def nothing_measures_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evidence begins to measure a run that is only looked at; a test that wants it says so."""
    monkeypatch.setattr("rivae.app.metrics.work.evidence_of", lambda run, stored: None)
    monkeypatch.setattr("rivae.app.metrics.work.measuring", lambda: True)
    monkeypatch.setattr("rivae.app.work.evaluating.may_begin", lambda job: False)


@pytest.fixture(scope="session")
def server(start_app: Any, run_folder: Path, tmp_path_factory: Any) -> Iterator[str]:
    """The address of a real app that shows the runs of ``run_folder``."""
    with start_app(run_folder, tmp_path_factory.mktemp("ui-server") / "server.log") as address:
        yield address


class App:
    """The app as a visitor without a browser sees it."""

    def __init__(self) -> None:
        from streamlit.testing.v1 import AppTest

        self.at = AppTest.from_file(
            str(ROOT / "rivae" / "app" / "main.py"), default_timeout=PATIENCE_S
        )

    def open(self, page: str, **params: str) -> App:
        """Go to a page with these query parameters."""
        for name in list(self.at.query_params):
            del self.at.query_params[name]
        for name, value in params.items():
            self.at.query_params[name] = value
        self.at.switch_page(str(ROOT / "pages" / f"{page}.py")).run()
        return self.calm()

    def follow(self, **params: str) -> App:
        """Another address on the same page, as the back button brings it."""
        for name in list(self.at.query_params):
            del self.at.query_params[name]
        for name, value in params.items():
            self.at.query_params[name] = value
        self.at.run()
        return self.calm()

    def calm(self) -> App:
        """No page may throw."""
        assert not self.at.exception, [e.value for e in self.at.exception]
        return self

    @property
    def state(self) -> Any:
        return self.at.session_state["explore_state"]

    @property
    def params(self) -> dict[str, Any]:
        return dict(self.at.query_params)

    @property
    def tab(self) -> str:
        """The title of the view that the address names."""
        from rivae.app.shell import pages

        said = {name: v[0] if isinstance(v, list) else v for name, v in self.params.items()}
        return pages.pages()[self.at.session_state["page"]].view(said).title

    @property
    def words(self) -> str:
        """Everything that is written on the page."""
        kinds = ("title", "subheader", "markdown", "caption", "info", "code")
        said = [str(e.value) for kind in kinds for e in getattr(self.at, kind)]
        return "\n".join(said + self.warnings)

    def share(self, is_open: bool = True) -> App:
        """Open the Share menu, or close it."""
        self.at.session_state["share"] = is_open
        self.at.run()
        return self.calm()

    @property
    def snippets(self) -> list[str]:
        """The Python of all that the view shares."""
        self.share()
        stems, found = list(self.at.session_state["shared"].panels), []
        for stem in stems:
            if len(stems) > 1:
                self.at.selectbox(key="share_panel").set_value(stem).run()
            found += [code.value for code in self.at.code if code.language == "python"]
        self.share(False)
        return found

    @property
    def warnings(self) -> list[str]:
        """The warnings on the page, as one reads them."""
        return [warning.value.replace("\\", "") for warning in self.at.warning]

    @property
    def links(self) -> list[tuple[str, str]]:
        """Where the links of the page lead, without those of the frame: the page and the query."""
        from rivae.app.shell import pages

        blurbs = {page.blurb for page in pages.pages().values()}
        links = [link.proto for link in self.at.get("page_link")]
        own = [link for link in links if link.help not in blurbs and link.label != "**RIVAE**"]
        return [(link.page, link.query_string) for link in own]

    @property
    def drawn(self) -> list[str]:
        """The page's own HTML: without the frame's, which every page has."""
        return [h.value for h in self.at.html if "--bar-accent" not in h.value]

    @property
    def components(self) -> list[Any]:
        """The page's own components: without those of the frame, which every page has."""
        frame = ("rivae_page", "rivae_undo", "rivae_finder")
        return [c for c in self.at.get("bidi_component") if c.proto.component_name not in frame]

    def panel(self, n: int = 0) -> dict[str, Any]:
        """What component ``n`` of the page was sent."""
        return dict(json.loads(self.components[n].proto.json))

    def report(self, name: str, value: Any, n: int = 0, is_state: bool = False) -> App:
        """Component ``n`` reports an event or, with ``is_state``, a state, as its JavaScript would.

        AppTest offers no public way to do either, so this writes the message itself.
        """
        states = self.at._tree.get_widget_states()
        message = states.widgets.add()
        component = self.components[n].proto.id
        if is_state:
            message.id, message.json_value = component, json.dumps({name: value})
        else:
            message.id = f"$$STREAMLIT_INTERNAL_KEY_{component}__events"
            message.json_trigger_value = json.dumps([{"event": name, "value": value}])
        self.at._run(states)
        return self.calm()

    def view(self, **changes: Any) -> dict[str, Any]:
        """What the Explore panel reports about itself, with some changes."""
        s = self.state
        view = {
            "rev": s.rev,
            "z": list(s.z),
            "k": s.k,
            "only": s.only,
            "whole": s.whole,
            "span": s.span,
            "by_effect": s.by_effect,
            "locked": list(s.locked),
        }
        return {**view, **changes}


@pytest.fixture
def app(runs: Path) -> Callable[..., App]:
    """A new visitor on a page: ``app("explore", run="digits")``."""
    return lambda page="home", **params: App().open(page, **params)


@pytest.fixture
def label_plan(runs: Path, tmp_path: Path) -> Iterator[Any]:
    """The plan "first" of 40 items of "digits" in the app's store; see ``labels_fixture``."""
    from tests.app.labels_fixture import make_label_plan

    made = make_label_plan(runs, tmp_path / "labels.db")
    yield made
    made.store.close()
