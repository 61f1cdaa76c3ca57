"""Pictures of an import: found by the names in a table, and made into the square that is stored.

They are looked for in folders and in zips, never outside them.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from PIL import Image, ImageOps

from rivae.data.npz import UNPACKING_ERRORS
from rivae.data.picture_depth import Remark
from rivae.data.pictures import Fault, PictureError, decoding, on_white, open_picture
from rivae.errors import DataError
from rivae.importing.report import UnusableError

MAX_PICTURE_BYTES = 64 * 2**20  # of one encoded picture
QUALITY = 88
_UNCHANGED = ("JPEG", "WEBP")
_REASONS: dict[Fault, str] = {
    "format": "file is not a picture in a known format",
    "kind": "TIFF that is damaged or of a kind that is not read: save it as PNG",
    "pixels": "picture has too many pixels: scale it down",
    "heavy": "picture is built to cost time or memory: save it again",
    "unreadable": "picture file cannot be read",
    "damaged": "picture is damaged",
}


class PictureFiles:
    """Folders and zips with pictures; a context manager that closes the zips.

    A zip is read member by member and never unpacked onto the disk, and no name can leave a
    folder: ".." and links out of it are refused.

    Raises:
        DataError: for a place that does not exist or is a damaged zip.
    """

    def __init__(self, places: Sequence[Path]) -> None:
        self._stack = ExitStack()
        self._folders: list[Path] = []
        self._zips: list[tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]] = []
        for place in places:
            if place.is_dir():
                self._folders.append(place.resolve())
            else:
                self._open_zip(place)

    def __enter__(self) -> PictureFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _open_zip(self, path: Path) -> None:
        if not path.is_file():
            raise DataError(f"{path} does not exist: give the folder or zip with the pictures")
        try:
            archive = self._stack.enter_context(zipfile.ZipFile(path))
        except UNPACKING_ERRORS as error:
            raise DataError(f"{path.name} is neither a folder nor a sound zip: {error}") from error
        members: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            name = PurePosixPath(info.filename)
            if not info.is_dir() and _is_inside(name):
                members[str(name)] = info
                members.setdefault(name.name, info)  # tables often name the file without folder
        self._zips.append((archive, members))

    def read(self, name: str) -> bytes:
        """The bytes of the picture ``name``.

        Raises:
            UnusableError: with the reason.
        """
        relative = PurePosixPath(name.replace("\\", "/"))
        if not name or "\0" in name or len(name) > 1000:
            raise UnusableError("no picture named")
        if not _is_inside(relative):
            raise UnusableError("picture path leads out of the picture folder")
        for folder in self._folders:
            path = folder / relative
            try:
                if not path.is_file():
                    continue
                if not path.resolve().is_relative_to(folder):
                    raise UnusableError("picture path leads out of the picture folder")
                if path.stat().st_size > MAX_PICTURE_BYTES:
                    raise UnusableError(_too_large())
                return path.read_bytes()
            except OSError as error:
                raise UnusableError("picture file cannot be read") from error
        for archive, members in self._zips:
            info = members.get(str(relative)) or members.get(relative.name)
            if info is not None:
                return _member(archive, info)
        raise UnusableError("picture file is missing")


def _is_inside(name: PurePosixPath) -> bool:
    return bool(name.parts) and not name.is_absolute() and ".." not in name.parts


def _too_large() -> str:
    return f"picture file is larger than {MAX_PICTURE_BYTES // 2**20} MiB"


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.file_size > MAX_PICTURE_BYTES:
        raise UnusableError(_too_large())
    try:
        with archive.open(info) as stream:
            data = stream.read(MAX_PICTURE_BYTES + 1)  # the zip directory may state a wrong size
    except UNPACKING_ERRORS as error:
        raise UnusableError("picture cannot be unpacked from its zip") from error
    if len(data) > MAX_PICTURE_BYTES:
        raise UnusableError(_too_large())
    return data


def stored_picture(data: bytes, side: int) -> tuple[bytes, list[Remark]]:
    """An encoded square RGB picture of at most ``side`` pixels, in sRGB: the middle of the upright
    original; and what was guessed of its colours.

    A square JPEG or WebP that is small enough and in sRGB keeps its bytes; others become JPEG.

    Raises:
        UnusableError: when it is not a picture, damaged, too large or thinner than 2 pixels.
    """
    remarks: list[Remark] = []
    try:
        image = open_picture(io.BytesIO(data), enough=2 * side, remarks=remarks)
        if min(image.size) < 2:
            raise UnusableError("picture is thinner than 2 pixels")
        with decoding("the picture"):
            if not remarks and _is_kept(image, side):
                return data, remarks
            image = on_white(ImageOps.exif_transpose(image)).convert("RGB")
            target = min(side, *image.size)
            square = ImageOps.fit(image, (target, target), Image.Resampling.LANCZOS)
            out = io.BytesIO()
            square.save(out, "JPEG", quality=QUALITY)
    except PictureError as error:
        raise UnusableError(_REASONS[error.fault]) from error
    return out.getvalue(), remarks


def _is_kept(image: Image.Image, side: int) -> bool:
    return (
        image.format in _UNCHANGED
        and image.mode == "RGB"
        and image.getexif().get(0x0112, 1) == 1
        and image.width == image.height <= side
        and not getattr(image, "is_animated", False)
    )
