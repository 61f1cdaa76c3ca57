"""Where a checkpoint is: a folder here, or a copy of one on the hub, fetched if need be."""

from __future__ import annotations

import hashlib
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from rivae.base.errors import ConfigError, DataError
from rivae.base.installed import how_to_install

WAIT = 1.5  # seconds for an answer of the hub
# Of a checkpoint: never code, nor weights that pickle would read.
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")
_ELSEWHERE = ("*/*.safetensors", "onnx/*", "openvino/*")


def checkpoint_folder(name: str) -> Path:
    """The folder of a checkpoint: ``name`` itself, or the copy of what the hub has by that name.

    Raises:
        ConfigError: the package that fetches it is not installed.
        DataError: there is none, or the hub cannot be reached.
    """
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser().resolve()
    hub = huggingface_hub()
    try:
        hub.utils.validate_repo_id(name)
    except ValueError as error:
        raise DataError(
            f"{name[:100]} is neither a folder here nor a name on the hub: check the path"
        ) from error
    offline = bool(hub.constants.HF_HUB_OFFLINE) or not _answers(hub.constants.ENDPOINT)
    return _copy(hub, name, offline)


def huggingface_hub() -> Any:
    """The package that fetches from the hub; its functions carry no types.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import huggingface_hub as library
        import huggingface_hub.constants
        import huggingface_hub.utils
    except ImportError as error:
        raise ConfigError(
            f"a name on the hub needs one more package: {how_to_install('features')}, or give a "
            "local folder"
        ) from error
    return library


def _copy(hub: Any, name: str, offline: bool) -> Path:
    try:
        return Path(
            hub.snapshot_download(
                name,
                allow_patterns=list(_FILES),
                ignore_patterns=list(_ELSEWHERE),
                local_files_only=offline,
            )
        )
    except Exception as error:  # the package raises many kinds of errors
        if offline:
            raise DataError(
                f"{name} was not fetched before and {hub.constants.ENDPOINT} cannot be reached: "
                "give a local folder, or connect to the internet"
            ) from error
        what = (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
        raise DataError(
            f"{name} cannot be fetched from {hub.constants.ENDPOINT} ({what}): check the name"
        ) from error


def _answers(address: str) -> bool:
    """Whether somebody answers there within ``WAIT``, also where looking the name up hangs."""
    has_answer = threading.Event()

    def ask() -> None:
        try:
            request = urllib.request.Request(address, method="HEAD")
            with urllib.request.urlopen(request, timeout=WAIT):
                has_answer.set()
        except urllib.error.HTTPError as error:
            if error.code < 500:  # an answer all the same, and not of a proxy that found nobody
                has_answer.set()
        except (OSError, ValueError):
            pass

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(WAIT)
    return has_answer.is_set()


def weights_hash(folder: Path) -> str:
    """A hash of the weights of a checkpoint and of how they are put together."""
    digest = hashlib.sha256()
    for path in sorted((*folder.glob("*.safetensors"), folder / "config.json")):
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
