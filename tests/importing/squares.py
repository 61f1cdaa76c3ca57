"""Work for the workers of a cluster, which import it from here."""

import os
import time
from importlib import import_module

from rivae.data.importing.report import UnusableError


class Slowly:
    """The square, after a while; odd numbers are refused."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def __call__(self, number):
        time.sleep(self.seconds)
        if number % 2:
            raise UnusableError("odd", str(number))
        return number * number


class Deadly(Slowly):
    """One number ends the process that has it."""

    def __call__(self, number):
        if number == 40:
            os._exit(1)
        return super().__call__(number)


class Unopenable:
    """An input whose package the worker does not have."""

    def __reduce__(self):
        return import_module, ("no_such_package",)
