"""``rivae effects``: the sentences, the table of one axis, and JSON."""

import json

import rivae
from rivae.cli import main


def test_one_axis_is_a_sentence_and_a_table(capsys):
    assert main(["effects", "demo-synth", "z1"]) == 0
    out = capsys.readouterr().out.splitlines()
    effects = rivae.load_run("demo-synth").effects("z1")
    assert out[0] == effects.sentence
    first = effects.table().iloc[0]
    assert out[2].startswith(first["kind"]) and first["name"] in out[2]
    assert f"{first['change']:+.2f}" in out[2] and out[2].rstrip().endswith("yes")


def test_all_axes_as_json(capsys):
    assert main(["effects", "demo-synth", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["missing"] for each in found] == [["tags", "words"]] * 2
    assert all(each["changes"][0]["change"] > each["changes"][0]["chance"] for each in found)


def test_an_axis_that_is_not_there_is_one_sentence(capsys):
    assert main(["effects", "demo-synth", "fruit"]) == 1
    said = capsys.readouterr().err
    assert "'fruit'" in said and "z1 to z2" in said
    assert main(["effects", "demo-synth", "--seed", "-1"]) == 1
    assert "seed" in capsys.readouterr().err
