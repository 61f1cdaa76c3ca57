import functools
import gzip
import http.server
import struct
import threading

import numpy as np
import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.data import load_dataset
from rivae.data.sets.split_mnist import FOLDER_VARIABLE, MIRROR_VARIABLE, download

N = {"train": 40, "t10k": 12}


def idx(array):
    header = struct.pack(f">I{array.ndim}I", 0x0800 + array.ndim, *array.shape)
    return header + array.astype(np.uint8).tobytes()


def contents():
    rng = np.random.default_rng(0)
    files = {}
    for part, n in N.items():
        files[f"{part}-images-idx3-ubyte"] = idx(rng.integers(0, 256, (n, 28, 28)))
        files[f"{part}-labels-idx1-ubyte"] = idx(rng.integers(0, 10, n))
    return files


def write(folder, files, packed=True):
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        target = folder / (name + ".gz" * packed)
        target.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    return str(folder)


def test_packed_plain_and_dotted_names_are_read(tmp_path):
    files = contents()
    packed = load_dataset("split-mnist", folder=write(tmp_path / "a", files), n_validation=10)
    plain = load_dataset("split-mnist", folder=write(tmp_path / "b", files, False), n_validation=10)
    dotted = {name.replace("-idx", ".idx"): data for name, data in files.items()}
    other = load_dataset("split-mnist", folder=write(tmp_path / "c", dotted), n_validation=10)
    for data in (plain, other):
        np.testing.assert_array_equal(packed.x1.tensor, data.x1.tensor)
        np.testing.assert_array_equal(packed.factors, data.factors)


def test_halves_rows_and_split(tmp_path):
    files = contents()
    data = load_dataset("split-mnist", folder=write(tmp_path / "a", files), n_validation=10)
    whole = np.concatenate([data.x1.tensor, data.x2.tensor], axis=3)[:, 0]
    raw = files["train-images-idx3-ubyte"][16:] + files["t10k-images-idx3-ubyte"][16:]
    assert whole.tobytes() == raw
    assert [len(data.splits[s]) for s in ("train", "validation", "test")] == [30, 10, 12]
    assert data.splits["test"].min() == 40  # the test file, and nothing else
    assert data.search_size == 12


def test_folder_may_come_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, write(tmp_path / "a", contents()))
    assert len(load_dataset("split-mnist", n_validation=10)) == 52
    monkeypatch.delenv(FOLDER_VARIABLE)
    with pytest.raises(DataError, match=f"set {FOLDER_VARIABLE}"):
        load_dataset("split-mnist")


def test_missing_folder_and_file_are_named(tmp_path):
    with pytest.raises(DataError, match="nowhere is not a folder"):
        load_dataset("split-mnist", folder=str(tmp_path / "nowhere"))
    files = contents()
    del files["t10k-labels-idx1-ubyte"]
    with pytest.raises(DataError, match=r"holds no t10k-labels-idx1-ubyte\.gz"):
        load_dataset("split-mnist", folder=write(tmp_path / "a", files), n_validation=10)
    with pytest.raises(ConfigError, match="n_validation"):
        load_dataset("split-mnist", folder=write(tmp_path / "b", contents()), n_validation=40)


IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        (IMAGES, lambda d: b"\x00\x00\x08\x01" + d[4:], "magic 2049, expected 2051"),
        (IMAGES, lambda d: b"\x89PNG" + d[4:], "not an idx file of this kind"),
        (IMAGES, lambda d: d[:-1], "states 31360 bytes of data but holds 31359"),
        (IMAGES, lambda d: d + b"x", "holds more"),
        (IMAGES, lambda d: d[:9], "no idx header"),
        (IMAGES, lambda d: b"", "no idx header"),
        (IMAGES, lambda d: d[:4] + b"\xff" * 12, "more than allowed"),
        (IMAGES, lambda d: idx(np.zeros((40, 14, 56))), r"\(14, 56\), not \(28, 28\)|pixels"),
        (IMAGES, lambda d: idx(np.zeros((41, 28, 28))), "41 pictures but .* 40 labels"),
        (LABELS, lambda d: d[:-1] + b"\x0b", "the label 11"),
        (LABELS, lambda d: idx(np.zeros((40, 1))), "magic 2050"),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_a_damaged_file_is_refused_by_name(tmp_path, name, change, reason, packed):
    files = contents()
    files[name] = change(files[name])
    with pytest.raises(DataError, match=reason) as caught:
        load_dataset("split-mnist", folder=write(tmp_path / "a", files, packed), n_validation=10)
    assert name in str(caught.value)


@pytest.mark.parametrize("keep", [0.2, 0.6, 0.99])
def test_a_truncated_gzip_is_refused_by_name(tmp_path, keep):
    folder = tmp_path / "a"
    write(folder, contents())
    file = folder / f"{IMAGES}.gz"
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(DataError, match="cut short or damaged") as caught:
        load_dataset("split-mnist", folder=str(folder), n_validation=10)
    assert IMAGES in str(caught.value)


def test_a_flipped_byte_in_a_gzip_is_refused(tmp_path):
    folder = tmp_path / "a"
    write(folder, contents())
    file = folder / f"{IMAGES}.gz"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x55
    file.write_bytes(bytes(data))
    with pytest.raises(DataError, match=IMAGES):
        load_dataset("split-mnist", folder=str(folder), n_validation=10)


# Downloading, from a real server on this machine


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def serve():
    servers = []

    def start(folder):
        handler = functools.partial(Quiet, directory=str(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def originals(shared_data):
    folder = shared_data / "mnist"
    if not folder.is_dir():
        pytest.skip(f"no MNIST in {folder}")
    return folder


def test_a_file_that_is_not_the_original_is_not_kept(tmp_path, serve):
    write(tmp_path / "fake", contents())
    with pytest.raises(DataError, match=r"wrong checksum.*; ftp.*neither http") as caught:
        download(tmp_path / "own", [serve(tmp_path / "fake"), "ftp://example.org/"])
    assert MIRROR_VARIABLE in str(caught.value) and "train-images" in str(caught.value)
    assert list((tmp_path / "own").iterdir()) == []


def test_no_network_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv(MIRROR_VARIABLE, "http://127.0.0.1:9/ http://127.0.0.1:9/b/")
    with pytest.raises(DataError, match=r"could not be downloaded .*refused") as caught:
        load_dataset("split-mnist", folder=str(tmp_path / "own"), download=True)
    assert "\n" not in str(caught.value)


@pytest.mark.shared
def test_download_tries_the_next_mirror_and_mends_a_broken_file(tmp_path, serve, originals):
    own = tmp_path / "own"
    own.mkdir()
    (own / "t10k-labels-idx1-ubyte.gz").write_bytes(b"half a file")
    (tmp_path / "empty").mkdir()
    paths = download(own, [serve(tmp_path / "empty"), serve(originals)])
    assert [p.read_bytes() for p in paths] == [(originals / p.name).read_bytes() for p in paths]
    assert sorted(own.iterdir()) == sorted(paths)
    before = [p.stat().st_mtime_ns for p in paths]
    download(own, ["http://127.0.0.1:9/"])  # all there: nobody is asked
    assert [p.stat().st_mtime_ns for p in paths] == before


@pytest.mark.shared
def test_the_real_mnist(originals):
    data = load_dataset("split-mnist", folder=str(originals))
    assert [len(data.splits[s]) for s in ("train", "validation", "test")] == [55000, 5000, 10000]
    assert data.search_size == 2000
    left = data.x1.tensor[:60000].numpy()
    assert ((left > 127).sum((1, 2, 3)) == 0).sum() == 75  # as counted in the data's own notes
    # an upload of a whole digit comes back as that digit's left half
    bank = data.x1.tensor.flatten(1).numpy()[60000:] / np.float32(255)
    rows = np.arange(60000, 70000, 250)
    found = []
    for row in rows:
        query = data.from_upload(data.picture(row, 0).convert("RGB")).flatten().numpy()
        found.append(60000 + int(np.square(bank - query).sum(1).argmin()))
    assert (rows == found).mean() >= 0.7
    assert (data.factors[rows, 0] == data.factors[found, 0]).mean() >= 0.95
