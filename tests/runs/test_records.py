"""What training records: rows that survive a kill at any byte."""

from rivae.runs import MetricsLog


def test_rows_without_what_a_kill_tore_off(tmp_path):
    log = MetricsLog(tmp_path / "metrics.jsonl")
    assert log.rows() == []
    log.sync()
    log.append({"epoch": 1, "objective": 0.5})
    log.append({"epoch": 2, "objective": float("nan")})
    with log.path.open("ab") as stream:
        stream.write(b'{"epoch": 3, "obj\xff')
    assert [row["epoch"] for row in log.rows()] == [1, 2]
    log.append({"epoch": 3})
    assert [row["epoch"] for row in log.rows()] == [1, 2, 3]
    log.truncate(2)
    assert [row["epoch"] for row in log.rows()] == [1, 2]
    log.path.write_text('[1]\n7\n{"epoch": 1}\n')
    assert log.rows() == [{"epoch": 1}]
