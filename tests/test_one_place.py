"""What the library does in one place only: opening pictures, writing files, writing tables."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.test_house import LIBRARY, ROOT, imports, name, nodes


def mentioning(*words: str) -> Iterator[Path]:
    """The files that could do it: parsing them all takes seconds."""
    for path in LIBRARY:
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield path


def called(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The last two names of whatever a file calls, and the call."""
    for node in nodes(path):
        if isinstance(node, ast.Call):
            yield ".".join(ast.unparse(node.func).split(".")[-2:]), node


# Pictures


OPENER = "rivae/data/pictures.py"
DECODERS = {"imageio", "cv2", "imagecodecs", "skimage", "tifffile", "matplotlib", "pillow_heif"}


def test_pictures_are_opened_in_one_place():
    found = set()
    for path in mentioning("PIL", *DECODERS):
        if imports(path) & DECODERS:
            found.add(name(path))
        for function, _ in called(path):
            if function in ("Image.open", "ImageFile.Parser"):
                found.add(name(path))
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PIL"):
                taken = {alias.name for alias in node.names}
                if taken & {"open", "Parser"} or any(n.endswith("ImagePlugin") for n in taken):
                    found.add(name(path))
    assert found == {OPENER}


def test_endings_of_pictures_are_named_in_one_place():
    endings = [f'"{dot}{ending}"' for dot in (".", "") for ending in ("jpeg", "jpg", "tiff", "bmp")]
    assert {name(path) for path in mentioning(*endings)} == {OPENER, "rivae/data/kitchen/layout.py"}


# Files


# What writes in another way, and why nobody misses what a full disk leaves of it.
DIRECT = {
    "rivae/benchmark/run.py os.fdopen": "the pipe to another process",
    "rivae/data/store/pixels.py np.memmap": "a cache; its room is reserved first",
    "rivae/data/store/writer.py shard.open": "counts only once the table beside it is there",
    "rivae/cli/demo.py shutil.copyfile": "into a folder that gets its name at the end",
    "rivae/cli/demo.py shutil.copytree": "into a folder that gets its name at the end",
    "rivae/base/files.py os.fdopen": "the one place",
    "rivae/base/files.py os.open": "the one place, and files that hold locks",
    "rivae/base/files.py open_plain": "files that hold locks",
    "rivae/base/files.py os.truncate": "reserves the room of a cache",
    "rivae/base/files.py path.open": "reserves the room of a cache",
    "rivae/data/features/making.py format.open_memmap": "a mark tells how far it is",
    "rivae/jobs/agent.py open_plain": "a log of what its processes say",
    "rivae/runs/archive.py path.open": "unpacked into a folder that gets its name at the end",
    "rivae/jobs/locks.py os.fdopen": "a file that holds a lock",
    "rivae/jobs/locks.py open_plain": "a file that holds a lock",
    "rivae/data/kitchen/layout.py draw(dish).save": "a mark tells that it is unfinished",
    "rivae/labels/repair.py copy.open": "a copy that is thrown away; the damaged file stays",
    "rivae/labels/sqlite_file.py shutil.copyfile": "a copy to read, thrown away",
    "rivae/base/output.py os.open": "the null device",
    "rivae/base/reading/regular.py os.open": "it reads",
    "rivae/retrieval/room.py format.open_memmap": "a cache; a note tells how far it is",
    "rivae/retrieval/room.py np.save": "a cache, in a folder that is deleted",
    "rivae/base/scratch.py (folder / LOCK).open": "a file that holds a lock",
    "rivae/runs/records.py path.open": "a log: rows are added, and a torn one is skipped",
    "rivae/app/work/tasks.py Path('/proc/self/autogroup').write_text": "a switch of the kernel",
}
# Names of functions that write the file that they are given, whatever they belong to.
WRITERS = {
    *("write_text", "write_bytes", "write_image", "write_html", "savefig", "savetxt", "save_file"),
    *("save", "savez", "savez_compressed", "tofile", "open_memmap", "memmap", "dump", "to_excel"),
    *("to_parquet", "to_pickle", "copyfile", "copy2", "copytree", "mkstemp", "ZipFile"),
    *("NamedTemporaryFile", "open", "open_plain", "fdopen", "os.truncate"),
}
# What they may be given instead: a stream that is open, or a mode that only reads.
STREAMS = {"stream", "out", "buffer", "sink", "sys.stdout", "io.BytesIO()"}
MODE = re.compile("[rwxabt+]{1,3}")
# Links, pages, readers; members of an archive that is open; and weights as bytes.
NO_FILES = {
    *("address.save", "self.save", "PAGE.save", "webbrowser.open", "Image.open", "Explorer.open"),
    *("archive.open", "save"),
}


def writes_directly(function: str, call: ast.Call) -> bool:
    last = function.split(".")[-1]
    given = [*call.args, *(word.value for word in call.keywords)]
    if not WRITERS & {last, function} or function in NO_FILES or function.split(".")[0] in STREAMS:
        return False
    values = [node.value for node in given if isinstance(node, ast.Constant)]
    modes = [v for v in values if isinstance(v, str) and MODE.fullmatch(v)]
    if function == "os.open":
        return "O_RDONLY" not in ast.unparse(call)
    if last in ("open", "open_plain", "fdopen", "ZipFile"):
        onto = given and ast.unparse(given[0]) in STREAMS
        return not onto and any(set(mode) & set("wxa+") for mode in modes)
    if last in ("memmap", "open_memmap"):
        return modes != ["r"]
    return bool(given) and not {ast.unparse(node) for node in given[:2]} & STREAMS


def test_files_are_written_in_one_place():
    found = {
        f"{name(path)} {function}"
        for path in mentioning(*WRITERS)
        for function, call in called(path)
        if writes_directly(function, call)
    }
    assert found == set(DIRECT), "write it with rivae.base.files.write_atomic"


def test_the_look_for_direct_writes_finds_them():
    for line in (
        "path.open('wb')", "open(path, 'w', encoding='utf-8')", "path.write_text(page)",
        "Path(a).write_bytes(b)", "image.save(path, 'PNG')", "np.savez(path, a=b)",
        "frame.to_parquet(path)", "zipfile.ZipFile(path, 'w')", "torch.save(state, path)",
        "os.fdopen(handle, 'w')", "np.memmap(path, mode='w+')", "shutil.copyfile(a, b)",
        "json.dump(value, file)", "figure.write_image(path)", "os.open(path, os.O_WRONLY)",
    ):  # fmt: skip
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call)
        assert writes_directly(".".join(ast.unparse(call.func).split(".")[-2:]), call), line


# Tables


WRITER = "rivae/base/csv_text.py"
# What joins with commas and is no table.
LISTS = {
    "rivae/jobs/agent.py": "names of graphics cards",
    "rivae/base/proxies.py": "addresses",
    "rivae/app/compare/session.py": "a key",
    "rivae/app/panels/links.py": "a link",
}


def test_csv_is_written_in_one_place():
    found, joined = set(), set()
    for path in mentioning("csv", '","'):
        for function, _ in called(path):
            last = function.split(".")[-1]
            ours = function in ("to_csv", "csv_line")
            if function in ("csv.writer", "csv.DictWriter") or (last == "to_csv" and not ours):
                found.add(name(path))
            if last in ("write_csv", "DictWriter"):
                found.add(name(path))
        for node in nodes(path):
            if ast.unparse(node) in ("','.join", "';'.join", r"'\t'.join"):
                joined.add(name(path))
    assert (found, joined) == ({WRITER}, set(LISTS))


def test_csv_of_the_browser_is_written_in_one_place():
    scripts = {path.name: path.read_text() for path in (ROOT / "assets/components").glob("*.js")}
    tables = {file for file, text in scripts.items() if "text/csv" in text}
    assert tables == {"map.js"} and "csvOf(" in scripts["map.js"]
    joins = {file for file, text in scripts.items() if re.search(r"join\([\"'`][,;][\"'`]\)", text)}
    assert joins == {"csv.js", "map_over.js"}, "points of a drawing, else a table"


def test_tables_of_the_app_have_no_other_door():
    """Streamlit's own CSV of a table would let formulas through."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["client"]["disableDataExport"] is True
