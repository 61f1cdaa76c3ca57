"""Text in other encodings: what it is in is named, with what it then says, and never guessed."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.base.reading.encodings import ENCODINGS, likely_encoding, twice_encoded
from rivae.base.reading.found_encoding import found_encoding
from rivae.base.reading.tables import BETTER, READ_AS_CP1252, InputTable

QUOTES = "Grandma’s “best” – 5 € pie…"
DISHES = {
    "cp1252": [
        QUOTES,
        "Crème brûlée à la vanille",
        "Käsespätzle mit Röstzwiebeln",
        "Gazpacho andaluz con jalapeño",
        "Pão de queijo é fácil",
        "Smörgås med ägg",
        "Rødgrød med fløde",
        "180°C, ½ cup, 2 × ¼ Tapatío™",
    ],
    "cp1250": [
        "Pierogi z kapustą i śledź w śmietanie",
        "Svíčková na smetaně, přidáme řepu",
        "Töltött káposzta, főzzük fedő alatt",
        "Ciorbă de perişoare şi mămăligă",
    ],
    "iso8859-2": ["Gołąbki, dodać łyżkę mąki", "Švestkové knedlíky s mákem, šťáva"],
    "cp1251": ["Борщ украинский", "Вареники з вишнями", "Добавьте соль и перец"],
    "koi8-r": ["Борщ украинский", "Блины с икрой", "Добавьте соль и перец"],
    "cp1253": ["Μουσακάς με μελιτζάνες", "Προσθέτουμε το αλάτι και το πιπέρι"],
    "cp1254": ["Mercimek çorbası", "İmam bayıldı", "Soğanları doğrayın, yağda kavurun"],
    "cp1255": ["חומוס ביתי", "שקשוקה עם ביצים", "מרק עוף"],
    "cp1256": ["حمص بالطحينة", "شوربة عدس", "أضف الملح والفلفل"],
    "cp874": ["ข้าวผัดกุ้ง", "ต้มยำกุ้ง", "ผัดไทย"],
    "cp932": ["肉じゃが", "チーズ入りハンバーグ", "玉ねぎを薄切りにする。"],
    "euc-jp": ["肉じゃが", "チーズ入りハンバーグ", "玉ねぎを薄切りにする。"],
    "gb18030": ["宫保鸡丁", "西红柿炒鸡蛋", "将土豆切成丝，加盐翻炒。"],
    "big5": ["宮保雞丁", "番茄炒蛋", "將馬鈴薯切成絲，加鹽翻炒。"],
    "cp949": ["김치찌개", "된장찌개 끓이는 법", "양파를 썰고 소금을 넣는다"],
    "mac-roman": ["Crème brûlée à la vanille", "Grandma’s “best” pie…", "Jalapeño poppers"],
}


def table(titles: list[str], kind: str, n: int = 40) -> str:
    """A table of ``n`` dishes, as text."""
    named = [{"id": i, "title": titles[i % len(titles)]} for i in range(n)]
    if kind == "t.csv":
        return "id,title\n" + "".join(f'{row["id"]},"{row["title"]}"\n' for row in named)
    objects = [json.dumps(row, ensure_ascii=False) for row in named]
    return f"[{', '.join(objects)}]" if kind == "t.json" else "\n".join(objects)


def remarks(path: Path, encoding: str) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    list(InputTable(path, encoding).rows(note=lambda *remark: found.append(remark)))
    return found


@pytest.mark.parametrize("kind", ["t.csv", "t.jsonl", "t.json", "t.csv.gz"])
@pytest.mark.parametrize(
    ("encoding", "titles"),
    [
        *DISHES.items(),
        *(("cp1252", [title]) for title in DISHES["cp1252"][:-1]),
        *(("cp1250", [title]) for title in DISHES["cp1250"]),
    ],
)
def test_the_encoding_is_named_with_what_it_says(tmp_path, encoding, titles, kind):
    path = tmp_path / kind
    content = table(titles, kind.removesuffix(".gz")).encode(encoding)
    path.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
    first = next(title for title in titles if not title.isascii()).split(",")[0]
    with pytest.raises(DataError, match=rf"--encoding {encoding}\b") as refused:
        list(InputTable(path).rows())
    assert first in str(refused.value) and kind in str(refused.value)
    found = found_encoding(path)
    assert found is not None and found.encoding == encoding and first in found.example
    assert [row["title"] for row in InputTable(path, encoding).rows()][: len(titles)] == titles
    assert remarks(path, encoding) == [] and encoding in ENCODINGS


@given(
    st.sampled_from([name for name in DISHES if name not in ("cp1255", "gb18030", "mac-roman")]),
    st.randoms(use_true_random=False),
)
def test_any_part_of_a_text_tells(encoding: str, random: object) -> None:
    dishes = [title for title in DISHES[encoding] if not title.isascii()]
    # A table has one language more often than not, and more than one dish.
    n = 1 if encoding in ("cp1250", "iso8859-2") else 2
    random.shuffle(dishes)  # type: ignore[attr-defined]
    content = table(dishes[:n], "t.csv", n).encode(encoding)
    likely = likely_encoding(content)
    assert likely is not None and content.decode(likely) == content.decode(encoding)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("title", ["Soup", "Süßes “a”", "宫保鸡丁"])
@pytest.mark.parametrize("kind", ["t.csv", "t.jsonl", "t.json"])
def test_texts_of_wide_letters(tmp_path, encoding, title, kind):
    path = tmp_path / kind
    path.write_bytes(table([title], kind).encode(encoding))
    assert {row["title"] for row in InputTable(path, encoding).rows()} == {title}
    found = found_encoding(path)
    assert found is not None and found.encoding == encoding
    assert title.isascii() or title.split()[0] in found.example
    if encoding in ("utf-16", "utf-32"):  # with a mark
        assert {row["title"] for row in InputTable(path).rows()} == {title}
        assert [encoding.upper() in said for said, _, _ in remarks(path, "utf-8")] == [True]
        assert InputTable(path, "cp1252").preview() == InputTable(path).preview()
    else:
        for wrong in ("utf-8", "utf-16-le" if encoding != "utf-16-le" else "utf-16-be"):
            with pytest.raises(DataError, match=rf"--encoding {encoding}\b"):
                list(InputTable(path, wrong).rows())
        either_order = InputTable(path, encoding[:6])
        assert {row["title"] for row in either_order.rows()} == {title}


def test_a_mark_counts_more_than_what_was_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(table(["Crème"], "t.csv").encode("utf-8-sig"))
    for said in ("utf-8", "utf-16", "latin-1", "cp1250"):
        assert list(InputTable(path, said).preview()[0]) == ["id", "title"]
        assert len(remarks(path, said)) == (said != "utf-8")
    path.write_bytes(table(["Crème"], "t.csv").encode())
    with pytest.raises(DataError, match="UTF-16"):
        list(InputTable(path, "utf-16").rows())


def test_zero_bytes_in_a_sound_text_are_no_wide_letters(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(table(["Crème"], "t.csv").encode().replace(b"\n7,", b"\n7\0,"))
    assert len(list(InputTable(path).rows())) == 40


def test_latin_1_is_what_browsers_take_it_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(table(["Soup", QUOTES], "t.csv").encode("cp1252"))
    for said in ("latin-1", "iso-8859-1", "L1"):
        assert [row["title"] for row in InputTable(path, said).preview()][:2] == ["Soup", QUOTES]
        assert remarks(path, said) == [(READ_AS_CP1252, "line 3", QUOTES)]
    path.write_bytes(table(["Crème"], "t.csv").encode("latin-1"))
    assert InputTable(path, "latin-1").preview()[0]["title"] == "Crème"
    assert not remarks(path, "latin-1")


@pytest.mark.parametrize(
    ("written", "said", "title"),
    [
        ("utf-8", "latin-1", "Crème brûlée"),
        ("utf-8", "cp1252", "Käsespätzle"),
        ("cp932", "cp1252", "肉じゃが"),
        ("cp1251", "cp1252", "Борщ украинский"),
        ("cp1252", "cp1251", "Crème brûlée"),
    ],
)
def test_an_encoding_that_fits_better_is_remarked(tmp_path, written, said, title):
    path = tmp_path / "t.csv"
    path.write_bytes(table([title], "t.csv").encode(written))
    ((remark, _, example),) = remarks(path, said)
    assert remark == BETTER.format(written) and title in example


@given(
    st.lists(
        st.sampled_from(["Soup", "Crème", "肉じゃが", b"Cr\xe8me", b"\x93Soup\x94"]), min_size=1
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_the_first_wrong_line_of_a_text_is_named(parts: list[str | bytes], end: str) -> None:
    lines = [part if isinstance(part, bytes) else part.encode() for part in parts]
    wrong = [i for i, part in enumerate(parts, start=2) if isinstance(part, bytes)]
    sound = sum(not (part.isascii()) for part in parts if isinstance(part, str))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(end.encode().join([b"title", *lines]))
        if not wrong:
            assert len(list(InputTable(path).rows())) == len(parts)
            return
        with pytest.raises(DataError) as refused:
            list(InputTable(path).rows())
        said = str(refused.value)
        assert f"line {wrong[0]}" in said
        if sound > 5 * len(wrong):
            assert "--encoding" not in said, "it is UTF-8, and no other encoding helps"
            assert len(wrong) == 1 or f"{len(wrong)} lines" in said
        if not sound:
            assert "--encoding cp1252" in said


def test_a_wrong_line_far_down_is_named(tmp_path):
    path = tmp_path / "t.csv"
    lines = table(["Crème"], "t.csv", 30_000).encode().split(b"\n")
    lines[20_000] = b"19999,Cr\xe8me"
    path.write_bytes(b"\n".join(lines))
    assert len(InputTable(path).preview()) == 200
    with pytest.raises(DataError, match=r"line 20,001 .*“Crème”"):
        list(InputTable(path).rows())


@given(st.text(st.sampled_from("éèüñß’“”½°Éçäš"), min_size=1, max_size=3))
def test_text_that_was_encoded_twice_is_seen(letters: str) -> None:
    for wrong in ("cp1252", "latin-1"):
        try:
            text = f"Cr{letters.encode().decode(wrong)}me"
        except UnicodeDecodeError:
            continue
        found = twice_encoded(text)
        assert found and found.split(" for ")[1][0] in letters
    assert twice_encoded(letters) == twice_encoded(f"Cr{letters}me") == ""


@pytest.mark.parametrize(
    "text",
    [
        "PÃO DE QUEIJO, MAÇÃ",
        "un «\xa0bon\xa0» café\xa0« là\xa0»",
        "Â la carte – à 5 €",
        "Борщ",
        "宫保鸡丁",
        "DÅ» x",
        *DISHES["cp1252"],
        *DISHES["cp1250"],
    ],
)
def test_sound_text_was_not_encoded_twice(text):
    assert twice_encoded(text) == ""


def test_columns_of_a_text_in_another_encoding(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("id,köstlich\n1,ä\n".encode("cp1252"))
    assert InputTable(path, "cp1252").columns() == ("id", "köstlich")
