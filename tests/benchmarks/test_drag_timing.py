"""The arithmetic of the drag benchmark, on hand-made clocks."""

import pytest

from benchmarks.drag_timing import delays_ms, summarise


def test_every_input_waits_for_the_first_answer_that_holds_it():
    inputs = [0.0, 10.0, 20.0, 30.0]
    # Question 1 carries the first input; 2 is sent when 1 is answered and carries the next two.
    sent = [(1, 1.0), (2, 21.0)]
    painted = [(1, 18.0), (2, 40.0)]
    # The last input was never asked about: it has no delay yet.
    assert delays_ms(inputs, sent, painted) == [18.0, 30.0, 20.0]


def test_a_later_answer_stands_in_for_one_that_was_never_painted():
    assert delays_ms([0.0], [(1, 0.0), (2, 5.0)], [(2, 12.0)]) == [12.0]


def test_summary():
    probe = {
        "inputs": [0.0, 500.0, 1000.0],
        "sent": [{"seq": i, "at": at} for i, at in [(1, 0.0), (2, 500.0), (3, 1000.0)]],
        "painted": [
            {"seq": 1, "ids": "1,2", "at": 20.0},
            {"seq": 2, "ids": "1,2", "at": 530.0},
            {"seq": 3, "ids": "3,2", "at": 2000.0},
        ],
    }
    timing = summarise(probe)
    assert timing.seconds == 2.0
    assert (timing.inputs, timing.updates, timing.changed) == (3, 3, 1)
    assert timing.updates_per_s == 1.5
    assert timing.median_ms == 30.0


def test_nothing_to_time_is_an_error_not_a_zero():
    with pytest.raises(RuntimeError, match="nothing to time"):
        summarise({"inputs": [], "sent": [], "painted": []})
