"""The command line: ``python -m rivae`` or ``rivae``."""

from rivae.cli.main import main

__all__ = ["main"]
