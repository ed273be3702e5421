"""Schedules: actions by step number, bad values."""

import itertools

import pytest

from npuprof.profiler import ProfilerAction, schedule

LETTERS = {ProfilerAction.NONE: "N", ProfilerAction.WARMUP: "W", ProfilerAction.RECORD: "R",
           ProfilerAction.RECORD_AND_SAVE: "S"}


def actions(count, **options):
    chosen = schedule(**options)
    return "".join(LETTERS[chosen(step)] for step in range(count))


@pytest.mark.parametrize("options, expected", [
    (dict(wait=0, active=1), "SSSS"),
    (dict(wait=1, warmup=1, active=1), "NWSNWSN"),
    (dict(wait=1, warmup=1, active=2, repeat=1), "NWRSNNNNN"),
    (dict(wait=0, warmup=0, active=3, repeat=2), "RRSRRSNN"),
    (dict(wait=2, warmup=2, active=2, skip_first=2), "NNNNWWRSNNWWRS"),
    (dict(wait=2, warmup=2, active=2, skip_first=2, repeat=1), "NNNNWWRSNNNNNN"),
    (dict(wait=2, warmup=1, active=2, repeat=2, skip_first=1, skip_first_wait=1),
     "NWRSNNWRSNNN"),
    (dict(wait=2, warmup=1, active=2, repeat=2, skip_first=1), "NNNWRSNNWRSNN"),
])
def test_actions(options, expected):
    assert actions(len(expected), **options) == expected


def listed(count, wait, warmup, active, repeat, skip_first, skip_first_wait):
    """The actions, put down one after the other."""
    cycle = "N" * wait + "W" * warmup + "R" * (active - 1) + "S"
    first = cycle[wait:] if skip_first_wait else cycle
    text = "N" * skip_first + first + cycle * (repeat - 1 if repeat else count)
    return text.ljust(count, "N")[:count]


@pytest.mark.parametrize("wait, warmup, active", itertools.product((0, 1, 3), (0, 2), (1, 2, 4)))
def test_all_small_schedules(wait, warmup, active):
    for repeat, skip_first, skip_first_wait in itertools.product((0, 1, 3), (0, 2), (0, 1, 5)):
        options = dict(wait=wait, warmup=warmup, active=active, repeat=repeat,
                       skip_first=skip_first, skip_first_wait=skip_first_wait)
        assert actions(30, **options) == listed(30, **options), options


def test_documented_steps():
    endless = schedule(wait=2, warmup=2, active=2, skip_first=2)
    assert [endless(step) for step in (5, 6, 7)] == [
        ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE]
    assert endless(13) is ProfilerAction.RECORD_AND_SAVE
    once = schedule(wait=2, warmup=2, active=2, skip_first=2, repeat=1)
    assert once(13) is ProfilerAction.NONE


def test_values_of_actions():
    assert [action.value for action in ProfilerAction] == [0, 1, 2, 3]


def test_positional_order():
    chosen = schedule(1, 2, 3, 4, 5, 6)
    assert vars(chosen) == dict(wait=1, active=2, warmup=3, repeat=4, skip_first=5,
                                skip_first_wait=6)
    assert list(vars(chosen)) == ["wait", "active", "warmup", "repeat", "skip_first",
                                  "skip_first_wait"]


def test_negative_step_raises():
    with pytest.raises(ValueError):
        schedule(wait=0, active=1)(-1)


@pytest.mark.parametrize("name, bad, fallback", [
    ("wait", -1, 0), ("wait", "1", 0), ("wait", 1.0, 0), ("wait", None, 0),
    ("warmup", -1, 0), ("warmup", [], 0), ("warmup", 1.0, 0), ("warmup", None, 0),
    ("active", 0, 1), ("active", -3, 1), ("active", "2", 1), ("active", None, 1),
    ("active", 1.5, 1),
    ("repeat", -1, 0), ("repeat", 2.5, 0), ("repeat", None, 0),
    ("skip_first", -1, 0), ("skip_first", "x", 0), ("skip_first", None, 0),
    ("skip_first_wait", 1.5, 0), ("skip_first_wait", None, 0), ("skip_first_wait", "1", 0),
])
def test_bad_value_is_replaced(console, name, bad, fallback):
    options = {**dict(wait=1, warmup=1, active=1), name: bad}
    chosen = schedule(**options)
    assert getattr(chosen, name) == fallback
    warnings = console.texts("WARNING")
    assert any(name in text for text in warnings)
    # A warmup of 0 is warned of once more.
    assert len(warnings) == (2 if name == "warmup" else 1)


def test_bools_count_as_numbers(console):
    chosen = schedule(wait=True, active=True, warmup=True)
    assert chosen(0) is ProfilerAction.NONE
    assert console.texts("WARNING") == []


def test_missing_warmup_is_warned_of(console):
    schedule(wait=1, active=1)
    assert len(console.texts("WARNING")) == 1
    schedule(wait=1, active=1, warmup=1)
    assert console.texts("WARNING") == []


def test_negative_skip_first_wait_counts():
    assert actions(3, wait=2, warmup=0, active=1, skip_first_wait=-1) == "SNN"
