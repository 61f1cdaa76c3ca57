"""The parts of a kind: found in files, in other packages and registered; loaded when asked for."""

import sys

import pytest

from rivae.base.errors import ConfigError
from rivae.base.parts import Parts

CONTRACT = "class Part:\n    def __init__(self, name):\n        self.name = name\n"


def offer(folder, name, points):
    """An installed package with these entry points."""
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[toy.parts]\n{points}\n")


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Two files of a package with a part each, a helper, and two installed packages."""
    package = tmp_path / "toyparts"
    (package / "all").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "base.py").write_text(CONTRACT)
    (package / "all" / "__init__.py").write_text("raise RuntimeError('loaded too early')")
    made = "from toyparts.base import Part\nPART = Part({!r})\n"
    (package / "all" / "__init__.py").write_text("")
    (package / "all" / "two_words.py").write_text(made.format("two-words"))
    (package / "all" / "a.py").write_text(made.format("a"))
    (package / "all" / "wrong.py").write_text(made.format("other"))
    (package / "all" / "_helper.py").write_text("raise RuntimeError")
    offer(tmp_path, "stranger", "new = stranger:PART\nbroken = stranger:NOTHING\na = stranger:PART")
    (tmp_path / "stranger.py").write_text(made.format("new"))
    monkeypatch.syspath_prepend(tmp_path)
    yield Parts("toy", "toyparts.all", "toy.parts", "toyparts.base:Part", first=("two-words",))
    for name in [name for name in sys.modules if name.split(".")[0] in ("toyparts", "stranger")]:
        del sys.modules[name]


def test_names_are_known_without_importing_a_part(parts):
    assert list(parts) == ["two-words", "a", "broken", "new", "wrong"]
    assert len(parts) == 5 and "two-words" in parts and "_helper" not in parts
    assert not {"toyparts.all", "toyparts.base", "stranger"} & set(sys.modules)


def test_a_part_comes_from_its_file_or_from_an_installed_package(parts):
    assert parts["two-words"].name == "two-words" and parts["new"].name == "new"
    assert parts["two-words"] is parts["two-words"]
    assert "stranger" not in type(parts["a"]).__module__, "the package's own part is kept"


def test_lists_show_what_a_part_says_without_loading_it(parts, tmp_path):
    package = tmp_path / "toyparts" / "all"
    text = (
        "import missing_on_purpose\nclass Other:\n    name = 'other'\n    title = 'Other'\n"
        "class Seen:\n    name = 'seen'\n    title = 'Seen'\n    size = 3 * len('a')\n"
    )
    (package / "seen.py").write_text(text)
    (package / "a.py").write_text((package / "a.py").read_text() + "PART.title = 'An A'\n")
    assert parts.said("seen", "title") == "Seen" and parts.said("seen", "paper", False) is False
    assert parts.said("seen", "size") is None, "what has to be worked out is not plain"
    assert parts.said("a", "title") == "An A", "a part that is no class is loaded"
    parts.register(type(parts["a"])("mine"))
    assert parts.said("mine", "name") == "mine" and parts.said("mine", "title", "?") == "?"
    for ask in (parts.trouble, lambda name: parts.said(name, "title")):
        with pytest.raises(ConfigError):
            ask("none")


def test_a_part_that_cannot_be_loaded_stays_out_of_the_way_of_the_others(parts):
    assert parts.said("broken", "title", "?") == "?" and "stranger:NOTHING" in parts.trouble(
        "broken"
    )
    assert [parts.trouble(name) for name in ("a", "new", "two-words")] == [""] * 3
    parts._files.pop("wrong")
    assert list(parts.working()) == ["two-words", "a", "new"]


@pytest.mark.parametrize("name", ["", "none", "x" * 500, "wrong", "broken", "\x1b[31m"])
def test_what_is_not_there_is_one_sentence(parts, name):
    with pytest.raises(ConfigError) as refused:
        parts[name]
    assert len(str(refused.value)) < 300 and str(refused.value).isprintable()


def test_a_registered_part_is_listed_until_it_is_taken_back(parts):
    kind = type(parts["a"])
    first, second = kind("mine"), kind("mine")
    parts.register(first)
    assert parts.register(second) is second and parts["mine"] is second
    assert list(parts)[-2:] == ["new", "wrong"] and "mine" in list(parts)
    parts.unregister("mine")
    parts.unregister("mine")
    assert "mine" not in parts


def test_only_a_part_of_the_kind_with_a_free_name_is_registered(parts):
    kind = type(parts["a"])
    for wrong in (kind("a"), kind("new"), kind(""), kind(3), object(), kind):
        with pytest.raises(ConfigError):
            parts.register(wrong)


# The same name twice.


def test_a_name_that_two_packages_offer_is_refused_and_names_both(parts, tmp_path):
    offer(tmp_path, "other", "new = other:PART")
    offer(tmp_path, "same", "broken = stranger:NOTHING")  # the same part, found twice
    sentence = (
        "the toy 'new' is offered by other:PART and by stranger:PART: none is used, remove the "
        "package of one"
    )
    with pytest.raises(ConfigError) as refused:
        parts["new"]
    assert str(refused.value) == parts.trouble("new") == parts.clash("new") == sentence
    parts._files.pop("wrong")
    assert "new" not in parts.working() and parts.clash("broken") == ""
    kind = type(parts["a"])
    with pytest.raises(ConfigError, match=r"a toy 'new' already \((other|stranger):PART\): give"):
        parts.register(kind("new"))


def test_a_name_of_this_package_stays_its_own_and_the_other_is_named(parts):
    assert "stranger" not in type(parts["a"]).__module__ and parts.trouble("a") == ""
    assert parts.clash("a") == (
        "the toy 'a' is offered by toyparts.all.a and by stranger:PART: that of toyparts.all.a is "
        "used, remove the package of the other"
    )
    assert parts.clash("two-words") == ""
    with pytest.raises(ConfigError, match=r"a toy 'a' already \(toyparts.all.a\): give <"):
        parts.register(type(parts["a"])("a"))


def test_a_part_is_called_as_its_entry_point(parts, tmp_path):
    offer(tmp_path, "other", "odd = stranger:PART")
    with pytest.raises(ConfigError, match="'odd' of stranger:PART calls itself 'new': give its"):
        parts["odd"]


def keyed(part):
    """Every toy gives a key: its name without the last letter."""
    return (part.name[:-1],)


def test_a_key_of_two_parts_is_refused_and_names_both(parts, tmp_path):
    offer(tmp_path, "other", "nee = other:PART")
    (tmp_path / "other.py").write_text("from toyparts.base import Part\nPART = Part('nee')\n")
    toys = Parts("toy", "toyparts.all", "toy.parts", "toyparts.base:Part", keys=keyed)
    both = (
        r"the toys '(new|nee)' \((stranger|other):PART\) and '(new|nee)' \((stranger|other):PART\)"
    )
    for name in ("new", "nee"):
        with pytest.raises(ConfigError, match=rf"^{both} both give 'ne': rename that of '{name}'"):
            toys[name]
    assert list(toys.working() if toys._files.pop("wrong") else ()) == ["a", "two-words"]
    kind = type(toys["a"])
    with pytest.raises(
        ConfigError, match=r"'two-words' \(toyparts.all.two_words\) and 'two-wordy' \(registered"
    ):
        toys.register(kind("two-wordy"))
    assert "two-wordy" not in toys
    toys.register(kind("mine"))
    assert toys.register(kind("mine")) is toys["mine"], "its own keys are no others"
    with pytest.raises(ConfigError, match=r"'mine'.*and 'ming'.*both give 'min'"):
        toys.register(kind("ming"))
    sys.modules.pop("other")
