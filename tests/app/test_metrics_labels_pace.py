"""When the page of scores from labels looks for newer labels."""

from rivae.app.metrics.labels import Drawn, next_drawn


def test_the_first_drawing_of_a_plan_is_followed_by_the_shortest_rest():
    first = next_drawn(None, "a", 7, took=30.0, now=30.0)
    assert first == Drawn("a", 7, 30.0)
    assert first.rests(31.9) and not first.rests(32.0)
    slow = Drawn("b", 3, 0.0, cost=9.0)
    assert next_drawn(slow, "a", 3, took=10.0, now=60.0) == Drawn("a", 3, 60.0)


def test_the_rest_after_newer_labels_is_five_times_what_they_cost():
    newer = next_drawn(Drawn("a", 7, 30.0), "a", 8, took=2.0, now=42.0)
    assert newer == Drawn("a", 8, 42.0, cost=2.0)
    assert newer.rests(51.9) and not newer.rests(52.0)


def test_another_drawing_of_the_same_labels_keeps_what_they_cost():
    again = next_drawn(Drawn("a", 8, 42.0, cost=2.0), "a", 8, took=0.1, now=44.1)
    assert again == Drawn("a", 8, 44.1, cost=2.0)
