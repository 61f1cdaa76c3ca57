"""The errors a user can cause; each carries one sentence that names the fix."""


class RivaeError(Exception):
    """Base of every error whose message is written for the user, not the developer."""


class DataError(RivaeError):
    """A data file or data setting cannot be used."""


class ConfigError(RivaeError):
    """A setting is unknown, out of range or contradicts another one."""


class RunError(RivaeError):
    """A run folder is missing, damaged or not ready."""


class DataReplacedWarning(UserWarning):
    """The data of a run are not those that it was trained on."""


class LabelError(RivaeError):
    """A label, a guideline or the place that keeps them cannot be used."""


class LabelStoreError(LabelError):
    """The place that keeps the labels did not answer; trying again may work."""
