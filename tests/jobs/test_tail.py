"""The end of a log and what is added to it, however much it is."""

from rivae.jobs.tail import GrowingText, log_tail


def test_the_log_is_shown_without_colours_and_control_characters(tmp_path):
    path = tmp_path / "x.log"
    path.write_bytes(
        b"\x1b[31mred\x1b[0m \x1b]0;title\x07tail\r\n10%\r50%\rdone\na\x00b\x08\t|\n\xff\n"
        + b"y" * 2000
        + b"\n"
    )
    lines = log_tail(path)
    assert lines[:4] == ["red tail", "done", "ab  |", "\ufffd"]
    assert len(lines[4]) == 500 and lines[4].endswith("…")
    assert log_tail(tmp_path / "none") == []


def test_the_log_is_read_from_its_end_only(tmp_path):
    path = tmp_path / "x.log"
    path.write_text("".join(f"line {n}\n" for n in range(100_000)))
    assert log_tail(path, 3) == ["line 99997", "line 99998", "line 99999"]
    few = log_tail(path, 10_000, max_bytes=100)
    assert 5 < len(few) < 12 and all(line.startswith("line 9999") for line in few)


def test_what_is_added_to_a_log_is_read_in_pieces(tmp_path):
    path = tmp_path / "x.log"
    path.write_text("old\n")
    log = GrowingText(path, max_bytes=10)
    assert list(log.new()) == ["old\n"] and list(log.new()) == []
    with path.open("a", encoding="utf-8") as stream:
        stream.write("äöü€" * 1000)  # letters of several bytes, across the ends of pieces
    pieces = []
    for piece in log.new():
        pieces.append(piece)
        if len(pieces) == 1:
            with path.open("a") as stream:
                stream.write("later")  # left for the next look, which so comes to an end
    assert "".join(pieces) == "äöü€" * 1000 and max(map(len, pieces)) <= 10
    assert list(log.new()) == ["later"]
    path.write_text("anew")
    assert list(log.new()) == ["anew"]
    path.unlink()
    assert list(log.new()) == []
    assert "".join(GrowingText(tmp_path / "none").new()) == ""
