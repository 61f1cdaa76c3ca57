"""All parts of one kind: files of a package, parts of installed packages, and registered ones.

A part (a method, data set, metric, index, feature source …) is one object that says its own name.
In this package it stands in a file of that name; another package names it in an entry point::

    [project.entry-points."rivae.methods"]
    nearest = "nearest_method:Nearest"

and a notebook hands it to ``rivae.register``. Names are known without importing any part, so that
``--help`` loads neither torch nor data.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from rivae.base.errors import ConfigError

P = TypeVar("P")
MAX_NAME = 80  # characters of an unknown name that are repeated in an error


class Parts(Mapping[str, P], Generic[P]):
    """The parts of one kind by name, each loaded when it is first asked for.

    Example:
        >>> sets = Parts("data set", "rivae.data.sets", "rivae.datasets", "rivae.data.base:Dataset")
        >>> "synth" in sets
        True
    """

    def __init__(
        self,
        kind: str,
        package: str,
        group: str,
        contract: str,
        first: tuple[str, ...] = (),
        keys: Callable[[P], Iterable[str]] = lambda part: (),
        unlisted: Callable[[], Iterable[str]] = lambda: (),
    ) -> None:
        """Nothing is imported yet.

        Args:
            kind: what a sentence calls one of them, such as "data set".
            package: whose files are parts; those that begin with "_" are not.
            group: of the entry points of other packages.
            contract: "module:class" that every part is an instance of, or a subclass.
            first: names in the order in which they are listed; the others follow by name.
            keys: names that a part gives beside its own and no other part may give.
            unlisted: names that are found when they are asked for, and left out of lists.
        """
        self.kind, self.package, self.group, self._contract = kind, package, group, contract
        self.first, self._keys, self._unlisted = first, keys, unlisted
        self._parts: dict[str, P] = {}
        self._registered: dict[str, P] = {}
        self._literals: dict[str, dict[str, Any]] = {}

    @cached_property
    def _files(self) -> dict[str, str]:
        """Module by name, for the files of the package."""
        spec = importlib.util.find_spec(self.package)
        folders = spec.submodule_search_locations if spec else None
        files = (each.name for each in pkgutil.iter_modules(folders) if each.name[0] != "_")
        return {name.replace("_", "-"): f"{self.package}.{name}" for name in files}

    @cached_property
    def _offered(self) -> dict[str, list[EntryPoint]]:
        """The entry points of every name; several where packages offer different parts by it."""
        points_by_name: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=self.group):
            same = points_by_name.setdefault(point.name, [])
            if point.value not in [each.value for each in same]:
                same.append(point)
        return points_by_name

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        """Entry point by name; this package's own part of the same name is kept."""
        return {name: each[0] for name, each in self._offered.items() if name not in self._files}

    def clash(self, name: str) -> str:
        """A sentence that names all who offer a part ``name``; "" where it is one alone."""
        file = [self._files[name]] if name in self._files else []
        places = [*file, *sorted(point.value for point in self._offered.get(name, ()))]
        if len(places) < 2:
            return ""
        winner, others = (f"that of {file[0]}", "the other") if file else ("none", "one")
        return (
            f"the {self.kind} '{name}' is offered by {' and by '.join(places)}: {winner} is used, "
            f"remove the package of {others}"
        )

    @cached_property
    def contract(self) -> type[Any]:
        """The class that every part is an instance or a subclass of."""
        module, _, name = self._contract.partition(":")
        contract: type[Any] = getattr(importlib.import_module(module), name)
        return contract

    def __iter__(self) -> Iterator[str]:
        names = {**self._files, **self._installed, **self._registered}
        for name in self._unlisted():
            names.pop(name, None)
        first = dict.fromkeys(name for name in self.first if name in names)
        return iter((*first, *sorted(name for name in names if name not in first)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._registered or name in self._files or name in self._installed

    def __getitem__(self, name: str) -> P:
        """The part ``name``.

        Raises:
            ConfigError: there is no such part, or its package cannot be loaded.
        """
        if name in self._registered:
            return self._registered[name]
        if name not in self._parts:
            if name in self._files:
                self._parts[name] = self._of_file(name)
            elif name in self._installed:
                self._parts[name] = self._of_package(self._installed[name])
            else:
                raise ConfigError(self.unknown(name))
        return self._parts[name]

    def said(self, name: str, attribute: str, default: Any = None) -> Any:
        """A plain attribute of a part, such as its title; lists of all parts show it.

        A part of this package that is not loaded yet is not loaded for it: its file is read. Of
        one that cannot be loaded it is the default, since the others have to be listed.

        Raises:
            ConfigError: there is no part ``name``.
        """
        if name in self._files and name not in self._parts and (plain := self._plain(name)):
            return plain.get(attribute, default)
        return default if self.trouble(name) else getattr(self[name], attribute, default)

    def trouble(self, name: str) -> str:
        """Why an installed part cannot be loaded, in one sentence; "" where it can.

        Raises:
            ConfigError: there is no part ``name``.
        """
        if name in self._installed and name not in self._registered:
            try:
                self[name]
            except ConfigError as error:
                return str(error)
        elif name not in self:
            raise ConfigError(self.unknown(name))
        return ""

    def working(self) -> dict[str, P]:
        """All parts, loaded, without those of installed packages that cannot be."""
        return {name: self[name] for name in self if name in self._files or not self.trouble(name)}

    def _plain(self, name: str) -> dict[str, Any]:
        """The literals of the part ``name`` in its file; empty where none is to be seen."""
        if name not in self._literals:
            spec = importlib.util.find_spec(self.package)
            folders = (spec.submodule_search_locations if spec else None) or ()
            stem = self._files[name].rpartition(".")[2]
            files = (Path(folder) / f"{stem}.py" for folder in folders)
            text = next((file.read_text("utf-8") for file in files if file.is_file()), "")
            calls = (_literals(node) for node in ast.parse(text).body)
            self._literals[name] = next((each for each in calls if each.get("name") == name), {})
        return self._literals[name]

    def unknown(self, name: str) -> str:
        """One sentence about a name that no part has."""
        plain_name = name[:MAX_NAME].encode("unicode_escape").decode()
        return f"there is no {self.kind} '{plain_name}': choose one of {', '.join(self)}"

    def absent(self, name: str) -> str:
        """One sentence about a name that stored files have and no part."""
        plain_name = name[:MAX_NAME].encode("unicode_escape").decode()
        return f"there is no {self.kind} '{plain_name}' here: install the package that offers it"

    def fits(self, part: object) -> bool:
        """Whether ``part`` is of this kind."""
        if inspect.isclass(part):
            return issubclass(part, self.contract)
        return isinstance(part, self.contract)

    def _of_file(self, name: str) -> P:
        module = importlib.import_module(self._files[name])
        for value in vars(module).values():
            if self.fits(value) and getattr(value, "name", None) == name:
                part: P = value
                return part
        raise ConfigError(f"{self._files[name]} has no {self.kind} with the name '{name}'")

    def _of_package(self, point: EntryPoint) -> P:
        part = self._loaded_from(point)
        self._require_own_keys(point.name, part)
        return part

    def _loaded_from(self, point: EntryPoint) -> P:
        if clash := self.clash(point.name):
            raise ConfigError(clash)
        try:
            part: P = point.load()
        except Exception as error:
            raise ConfigError(
                f"the {self.kind} '{point.name}' cannot be loaded ({error}): repair or remove the "
                f"package that offers it ({point.value})"
            ) from error
        if (name := self._check(part)) != point.name:
            raise ConfigError(
                f"the {self.kind} '{point.name}' of {point.value} calls itself '{name}': give its "
                "entry point this name"
            )
        return part

    def _place(self, name: str) -> str:
        """Where the part ``name`` comes from, for sentences about two of them."""
        if name in self._files:
            return self._files[name]
        return self._installed[name].value if name in self._installed else "registered here"

    def _require_own_keys(self, name: str, part: P) -> None:
        """ConfigError where another part gives a key of ``part`` as well."""
        keys = set(self._keys(part))
        for other in (*self._files, *self._installed, *self._registered) if keys else ():
            if other == name:
                continue
            try:
                theirs = self._keys(self._alone(other))
            except ConfigError:  # it gives no keys
                continue
            if both := sorted(keys.intersection(theirs)):
                raise ConfigError(
                    f"the {self.kind}s '{other}' ({self._place(other)}) and '{name}' "
                    f"({self._place(name)}) both give '{both[0]}': rename that of '{name}', or "
                    "remove the package of one"
                )

    def _alone(self, name: str) -> P:
        """The part ``name``, without a look at the keys of others."""
        if name in self._installed and name not in self._parts:
            return self._loaded_from(self._installed[name])
        return self[name]

    def register(self, part: P) -> P:
        """Add ``part`` until this process ends; one registered before under its name is replaced.

        Raises:
            ConfigError: it is of another kind, has no name, or a part of this or an installed
                package has its name or one of its keys.
        """
        name = self._check(part)
        if name in self._files or name in self._installed:
            raise ConfigError(
                f"there is a {self.kind} '{name}' already ({self._place(name)}): give "
                f"{part!r:.80} another name"
            )
        self._require_own_keys(name, part)
        self._registered[name] = part
        return part

    def unregister(self, name: str) -> None:
        """Forget a registered part; nothing happens without one."""
        self._registered.pop(name, None)

    def _check(self, part: object) -> str:
        name = getattr(part, "name", None)
        if not self.fits(part) or not isinstance(name, str) or not name:
            raise ConfigError(
                f"{part!r:.80} is no {self.kind}: "
                f"it needs a name and what {self._contract} asks for"
            )
        return name


def _literals(node: ast.stmt) -> dict[str, Any]:
    """The plain values in ``class A: name = "a"``, and in ``A(name="a")``."""
    assignments: list[tuple[str, ast.expr]] = []
    if isinstance(node, ast.ClassDef):
        for each in node.body:
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
                assignments.append((each.targets[0].id, each.value))
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        assignments = [(each.arg, each.value) for each in node.value.keywords if each.arg]
    values: dict[str, Any] = {}
    for name, value in assignments:
        try:
            values[name] = ast.literal_eval(value)
        except ValueError:
            continue
    return values


class NameIn:
    """Marks a setting that is the name of a part: ``Annotated[str, NameIn("module:REGISTRY")]``.

    The registry is looked up when a value is checked, so the settings of a lower room may name the
    parts of a higher one without importing it. With ``STORED`` as the context of the validation a
    name of no part is taken: a stored run may name one of a package that is not installed here.
    """

    STORED: ClassVar[dict[str, bool]] = {"stored": True}

    def __init__(self, registry: str) -> None:
        self._registry = registry

    @property
    def parts(self) -> Parts[Any]:
        """The registry."""
        module, _, name = self._registry.partition(":")
        parts: Parts[Any] = getattr(importlib.import_module(module), name)
        return parts

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.with_info_after_validator_function(self._checked, handler(source))

    def _checked(self, name: str, info: Any) -> str:
        if info.context != self.STORED and name not in self.parts:
            raise ValueError(self.parts.unknown(name))
        return name
