"""A run as one file: what goes out comes back, and nothing of a hostile one stays."""

import hashlib
import io
import json
import stat
import struct
import zipfile

import pytest

from rivae.base.errors import DataError, RivaeError, RunError
from rivae.jobs.archive_import import import_run
from rivae.jobs.launch import resume, run_lock, train
from rivae.jobs.ledger import Ledger
from rivae.models.registry import build_method
from rivae.runs import Run, list_runs
from rivae.runs.archive import FILES, export_run
from rivae.runs.named_files import require_open
from rivae.runs.notes import about
from tests.training.tiny import tiny_config, untrained_run


@pytest.fixture
def root(tmp_path):
    return tmp_path / "to"


def unpack(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(files, *, compression=zipfile.ZIP_STORED, manifest=True, mode=stat.S_IFREG | 0o644):
    """An archive of these files whose manifest fits, unless they bring their own."""
    files = {name: data for name, data in files.items() if name != "manifest.json" or not manifest}
    if manifest:
        entries = [
            {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        ]
        whole = {"format": "rivae-run", "version": 1, "name": "whole", "files": entries}
        files["manifest.json"] = json.dumps(whole).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return stream.getvalue()


def refused(content, root, match=".", name=""):
    """It is refused in one sentence, and nothing of it stays."""
    with pytest.raises(RivaeError, match=match) as caught:
        import_run(io.BytesIO(content), root, name)
    assert "\n" not in str(caught.value)
    assert not root.exists() or not [p for p in root.iterdir() if p.name != ".jobs"]
    assert not (root.parent / "outside").exists()
    return str(caught.value)


def test_what_goes_out_comes_back(whole_run, packed, root):
    assert set(unpack(packed)) == {*FILES, "manifest.json"}, "and nothing else of the folder"
    done = import_run(io.BytesIO(packed), root)
    assert done.remarks == () and done.run.id == "whole"
    for name in FILES:
        if name not in ("config.json", "status.json"):
            assert (done.run.path / name).read_bytes() == (whole_run.path / name).read_bytes()
    assert done.run.config == whole_run.config and done.run.status == whole_run.status
    assert about(done.run).note == "mine" and done.run.load_method().has_latent
    assert [r.id for r in list_runs([root])] == ["whole"]
    assert [p.name for p in root.iterdir()] == ["whole"]


def test_the_same_run_gives_the_same_bytes(whole_run, packed, tmp_path):
    export_run(whole_run, tmp_path / "a.zip")
    assert (tmp_path / "a.zip").read_bytes() == packed


@pytest.mark.slow
def test_with_its_checkpoints_it_goes_on_elsewhere(tmp_path, root):
    from tests.training.tiny import StopAfter, contrast_settings, files_of

    # What it has unfolded goes along: the embedders that it was read from are trained on.
    config = tiny_config(**contrast_settings())
    (whole,) = train([config], tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train([config], tmp_path / "part", StopAfter(9))
    export_run(Run(tmp_path / "part" / "run"), tmp_path / "part.zip", checkpoints=True)
    done = import_run(tmp_path / "part.zip", root)
    assert "no trained model" in done.remarks[0]
    assert files_of(resume([done.run])[0]) == files_of(whole)


def test_a_run_in_training_is_not_exported(tmp_path):
    made = Run.create(tiny_config(), tmp_path)
    made.set_status(state="running")
    with run_lock(made), pytest.raises(RunError, match="being trained"):
        export_run(made, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_what_a_link_points_to_is_not_exported(tmp_path):
    made = untrained_run(tmp_path / "runs")
    (tmp_path / "secret").write_text("{}")
    (made.path / "evaluation.json").symlink_to(tmp_path / "secret")
    export_run(made, tmp_path / "a.zip")
    assert "evaluation.json" not in unpack((tmp_path / "a.zip").read_bytes())


def test_a_name_that_is_taken_asks_for_another(packed, root):
    import_run(io.BytesIO(packed), root)
    Ledger(root).add([tiny_config("queued")])
    for name in ("", "queued"):
        with pytest.raises(RunError, match=f"run named {name or 'whole'} "):
            import_run(io.BytesIO(packed), root, name)
    with pytest.raises(RivaeError, match="cannot name a run"):
        import_run(io.BytesIO(packed), root, "../outside")
    done = import_run(io.BytesIO(packed), root, "other")
    assert done.run.config.name == "other" == done.run.path.name
    assert sorted(p.name for p in root.iterdir()) == [".jobs", "other", "whole"]


def test_the_runs_it_trained_with_are_forgotten(packed, root):
    files = unpack(packed)
    status = {**json.loads(files["status.json"]), "batch": ["whole", "other"], "state": "running"}
    files["status.json"] = json.dumps(status).encode()
    done = import_run(io.BytesIO(pack(files)), root)
    assert done.run.status.batch == [] and done.run.status.state == "interrupted"


def test_paths_of_another_machine_are_told(packed, root):
    files = unpack(packed)
    config = json.loads(files["config.json"])
    config["dataset"] = {"name": "split-mnist", "settings": {"folder": "/no/where/mnist"}}
    files["config.json"] = json.dumps(config).encode()
    remarks = import_run(io.BytesIO(pack(files)), root).remarks
    assert "/no/where/mnist" in remarks[0] and "not tried" in remarks[1]
    # A visitor who may not name files does not name them by an archive either.
    with pytest.raises(RunError, match="only visitors at this machine may: import it there"):
        import_run(io.BytesIO(pack(files)), root, "theirs", files=False)
    assert not (root / "theirs").exists()


OUTSIDE = {
    "folder": {"dataset": {"name": "split-mnist", "settings": {"folder": "{}/secret"}}},
    "up": {"dataset": {"name": "split-mnist", "settings": {"folder": "{}/open/../secret"}}},
    "link": {"dataset": {"name": "split-mnist", "settings": {"folder": "{}/open/link"}}},
    "home": {"dataset": {"name": "sprites", "settings": {"path": "~/.bashrc"}}},
    "relative": {"dataset": {"name": "sprites", "settings": {"path": "secret"}}},
    "store": {"dataset": {"name": "pairs", "settings": {"store": "{}/secret"}}},
    "here": {"dataset": {"name": "pairs", "settings": {"store": "secret"}}},
    "vectors": {"dataset": {"name": "pairs", "settings": {"word_vectors": "{}/secret/x"}}},
    "weights": {"method": {"settings": {"embedder2": {"weights": "{}/secret/x"}}}},
}


@pytest.mark.parametrize("which", OUTSIDE)
def test_the_app_opens_no_file_of_an_archive(packed, root, tmp_path, which, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("open", "secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "store.json").write_text("{}")
    (tmp_path / "open" / "link").symlink_to(tmp_path / "secret")
    files = unpack(packed)
    own = json.loads(files["config.json"])
    asked = json.loads(json.dumps(OUTSIDE[which]).replace("{}", str(tmp_path)))
    files["config.json"] = json.dumps({**own, **asked, "imported": False}).encode()
    monkeypatch.setenv("RIVAE_FILES", str(tmp_path / "open"))
    monkeypatch.setattr("rivae.jobs.archive_import.item_shapes", pytest.fail)
    done = import_run(io.BytesIO(pack(files)), root)
    assert "not tried" in done.remarks[1], "not even whether it is there"
    monkeypatch.setattr("rivae.data.registry.open_dataset", pytest.fail)
    monkeypatch.setattr("rivae.jobs.launch.open_dataset", pytest.fail)
    said = r"came in an archive and names .*serve --files FOLDER"
    done.run.set_status(state="interrupted")
    for opens in (done.run.load_dataset, lambda: resume([done.run])):
        with pytest.raises(DataError, match=said):
            opens()
    config = Run(done.run.path).config
    assert config.imported, "also where the archive says otherwise"
    # What lies in the open folders is open, and so is all on the command line or of one's own runs.
    require_open(config.model_copy(update={"imported": False}))
    monkeypatch.setenv("RIVAE_FILES", str(tmp_path))
    require_open(config)
    monkeypatch.delenv("RIVAE_FILES")
    require_open(config)


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "/outside",
        "checkpoints/../../outside",
        "..\\outside",
        "model.pt",
        ".lock",
        "CONFIG.JSON",
        "checkpoints/",
        "checkpoints/x.safetensors",
    ],
)
def test_only_the_files_of_a_run_are_taken(packed, root, name):
    refused(pack({**unpack(packed), name: b"x"}), root)


def test_a_name_cut_short_by_a_zero_is_refused(packed, root):
    at = packed.rindex(b"about.json")
    refused(packed[:at] + b"about\0json" + packed[at + 10 :], root)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFDIR, stat.S_IFCHR])
def test_links_and_devices_are_refused(packed, root, kind):
    refused(pack(unpack(packed), mode=kind | 0o777), root, "plain files")


def test_a_bomb_is_refused_before_it_grows(packed, root):
    files = unpack(packed)
    bomb = {**files, "model.safetensors": bytes(50_000_000)}
    refused(pack(bomb, compression=zipfile.ZIP_DEFLATED), root, "packed in another way")
    refused(pack({**files, "config.json": bytes(2**20 + 1)}), root, "too large")
    refused(pack(files, compression=zipfile.ZIP_LZMA), root, "packed in another way")


def test_a_size_that_lies_writes_no_more_than_it_says(packed, root):
    """The directory and the manifest say 10 bytes, the stream holds a megabyte."""
    files = {**unpack(packed), "alignment.json": b" " * 1_000_000}
    content = bytearray(pack(files, compression=zipfile.ZIP_STORED))
    for mark, offset in ((b"PK\x01\x02", 46), (b"PK\x03\x04", 30)):
        at = (
            content.rindex(b"alignment.json", 0)
            if offset == 46
            else content.index(b"alignment.json")
        )
        start = content.rindex(mark, 0, at)
        assert start + offset == at
        struct.pack_into("<I", content, at - 24 if offset == 46 else at - 12, 10)
        struct.pack_into("<I", content, at - 22 if offset == 46 else at - 8, 10)
    refused(bytes(content), root)


def test_too_many_files_are_refused_before_the_directory_is_read(root):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for i in range(2000):
            archive.writestr(f"{i}", b"")
    refused(stream.getvalue(), root, "too many files")


@pytest.mark.parametrize(
    ("file", "content", "match"),
    [
        ("config.json", b"{", "not valid JSON"),
        ("config.json", b'{"name": "a", "dataset": {"name": "synth"}, "pickle": 1}', "pickle"),
        ("config.json", b'{"name": "a", "dataset": {"name": "none"}}', "no data set"),
        (
            "config.json",
            b'{"name": "a", "dataset": {"name": "synth", "settings": {"n_pairs": 10000000000}}}',
            "n_pairs",
        ),
        (
            "config.json",
            b'{"name": "a", "dataset": {"name": "synth"}, "schema_version": 99}',
            "newer",
        ),
        ("status.json", b"[]", "status"),
        ("status.json", b'{"message": "\\u001b[2J"}', "status"),
        ("metrics.jsonl", b'{"epoch": "1"}\n', "metrics"),
        ("evaluation.json", b'{"retrieval": [1]}', "evaluation"),
        ("evaluation.json", b'{"retrieval": {"recall_at_1": "x"}}', "broken evaluation"),
        ("evaluation.json", b'{"retrieval": 5}', "broken evaluation"),
        ("evaluation-second.json", b'{"retrieval": 5}', "broken evaluation"),
        ("evaluation.json", b"[" * 30_000, "damaged"),
        ("alignment.json", b"[]", "damaged"),
        ("axis_names.json", b"{}", "axis names"),
        ("about.json", b'{"version": 1, "note": 5}', "about.json"),
        ("model.safetensors", b"\x80\x04K\x01.", "no weights"),
        ("model.safetensors", b"", "no weights"),
    ],
)
def test_a_file_that_is_wrong_is_named(packed, root, file, content, match):
    refused(pack({**unpack(packed), file: content}), root, match)


def test_files_that_must_be_there(packed, root):
    for name in ("config.json", "status.json"):
        files = unpack(packed)
        del files[name]
        refused(pack(files), root, name)


def test_a_model_of_another_configuration_is_refused(packed, root, tmp_path):
    other = untrained_run(tmp_path / "other")
    choice = tiny_config("x", n_components=5).method
    other.write_model(build_method(choice.name, choice.settings, (50,), (50,)))
    model = (other.path / "model.safetensors").read_bytes()
    refused(pack({**unpack(packed), "model.safetensors": model}), root, "another configuration")


def test_a_configuration_that_asks_for_too_much_memory_takes_none(packed, root):
    files = unpack(packed)
    config = json.loads(files["config.json"])
    config["method"]["settings"]["embedder"]["hidden"] = [8192] * 16
    refused(pack({**files, "config.json": json.dumps(config).encode()}), root, "weights")


def test_a_manifest_that_does_not_fit_is_refused(packed, root):
    files = unpack(packed)
    whole = json.loads(files["manifest.json"])
    wrong = [
        None,
        [],
        {**whole, "version": 2},
        {**whole, "files": whole["files"][1:]},
        {**whole, "files": whole["files"] + whole["files"][:1]},
        {**whole, "x": 1},
        {**whole, "files": [{**entry, "sha256": "0" * 64} for entry in whole["files"]]},
        {**whole, "files": [{**entry, "bytes": entry["bytes"] + 1} for entry in whole["files"]]},
        {**whole, "name": "../outside"},
    ]
    for manifest in wrong:
        text = json.dumps(manifest).encode()
        refused(pack({**files, "manifest.json": text}, manifest=False), root)
    del files["manifest.json"]
    refused(pack(files, manifest=False), root, "no manifest")


def test_an_archive_cut_off_or_damaged_anywhere_leaves_nothing(packed, root):
    for length in {*range(0, len(packed), len(packed) // 60), len(packed) - 1, 21, 22}:
        refused(packed[:length], root)
    for at in range(0, len(packed), max(len(packed) // 150, 1)):
        broken = bytearray(packed)
        broken[at] ^= 0xFF
        try:
            import_run(io.BytesIO(bytes(broken)), root, "flipped")
        except RivaeError:
            pass
        else:  # a date or a mode: nothing that counts
            done = Run(root / "flipped")
            assert done.load_method() and done.path.is_dir()
            for path in sorted(done.path.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            done.path.rmdir()
        assert not root.exists() or not list(root.iterdir()), at


def test_what_is_no_zip_is_refused(root, tmp_path):
    for content in (b"", b"PK", b"\x1f\x8b" + bytes(100), bytes(100_000)):
        refused(content, root, "no archive")
    with pytest.raises(RunError, match="cannot be imported"):
        import_run(tmp_path / "missing.zip", root)


def test_what_a_killed_import_left_is_not_listed_and_swept(packed, root):
    import os

    left, mine = root / f".{'a' * 32}.import", root / ".old.import"
    for folder in (left, mine):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        os.utime(folder, (1, 1))
    (root / f".{'b' * 32}.import").symlink_to(mine)
    assert list_runs([root]) == []
    import_run(io.BytesIO(packed), root)
    assert not left.exists() and (mine / "config.json").exists(), "nothing but what imports make"
    assert [run.id for run in list_runs([root])] == ["whole"]
