"""What leads from one action to the next."""

import gc

import pytest

from npuprof.profiler import ProfilerAction, _KinetoProfile, profile, schedule
from npuprof.profiler import _transitions

N, W, R, S = (ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD,
              ProfilerAction.RECORD_AND_SAVE)


class TraceDouble:
    """Writes down the letters of the operations it is asked for."""

    def __init__(self):
        self.done = ""

    def __getattr__(self, name):
        letters = {"init_trace": "I", "warmup_trace": "W", "start_trace": "S", "stop_trace": "P",
                   "finalize_trace": "F", "delete_trace": "D"}
        return lambda: setattr(self, "done", self.done + letters[name])


TABLE = [
    (N, N, "", None), (N, W, "IW", None), (N, R, "IS", None), (N, S, "IS", None),
    (N, None, "", None),
    (W, N, "SPF", "Incorrect schedule: WARMUP followed by NONE"), (W, W, "", None),
    (W, R, "S", None), (W, S, "S", None), (W, None, "FD", "empty"),
    (R, N, "PF", "Incorrect schedule: RECORD followed by NONE"),
    (R, W, "PF", "Incorrect schedule: RECORD followed by WARMUP"), (R, R, "", None),
    (R, S, "", None), (R, None, "PFC", "incomplete"),
    (S, N, "PFC", None), (S, W, "PFCIW", None), (S, R, "PFCIS", None), (S, S, "PFCIS", None),
    (S, None, "PFC", "unfinished"),
]


@pytest.mark.parametrize("before, after, operations, warning", TABLE)
def test_table(console, before, after, operations, warning):
    trace = TraceDouble()
    _transitions.pass_over(trace, lambda: setattr(trace, "done", trace.done + "C"), before, after)
    assert trace.done == operations
    texts = console.texts("WARNING")
    assert len(texts) == (0 if warning is None else 1)
    if warning is not None:
        assert warning in texts[0]


def test_table_is_complete():
    assert len({(before, after) for before, after, _, _ in TABLE}) == 4 * 5


def test_failing_handler_does_not_end_profiling(console):
    trace = TraceDouble()

    def handler():
        raise RuntimeError("no space")

    _transitions.pass_over(trace, handler, S, R)
    assert trace.done == "PFIS"
    assert any("no space" in text for text in console.texts("ERROR"))


def run(steps, chosen, handler=None):
    profiler = profile(schedule=chosen, on_trace_ready=handler)
    profiler.start()
    for _ in range(steps):
        profiler.step()
    profiler.stop()
    return profiler


def test_calls_of_a_whole_run(session_calls):
    ready = []
    run(8, schedule(wait=1, warmup=1, active=2, repeat=2), ready.append)
    cycle = ["open", "warmup", "start", "stop", "finalize"]
    assert session_calls == cycle * 2
    assert len(ready) == 2


_CALLS = {"I": "open", "W": "warmup", "S": "start", "P": "stop", "F": "finalize"}


@pytest.mark.parametrize("options", [
    dict(wait=0, active=1), dict(wait=0, active=2), dict(wait=1, active=1),
    dict(wait=1, warmup=1, active=1), dict(wait=0, warmup=1, active=1),
    dict(wait=0, warmup=2, active=3, repeat=1), dict(wait=1, warmup=1, active=3, repeat=2),
    dict(wait=2, warmup=2, active=2, skip_first=2),
    dict(wait=2, warmup=2, active=2, skip_first=2, repeat=1),
    dict(wait=2, warmup=1, active=2, repeat=2, skip_first=1, skip_first_wait=1),
])
def test_calls_of_each_schedule(session_calls, options):
    """Stopped after any number of steps: what the table says, pair by pair."""
    operations = {(before, after): letters for before, after, letters, _ in TABLE}
    chosen = schedule(**options)
    for steps in range(12):
        session_calls.clear()
        ready = []
        run(steps, chosen, ready.append)
        actions = [N, *(chosen(step) for step in range(steps + 1)), None]
        letters = "".join(operations[pair] for pair in zip(actions, actions[1:]))
        assert session_calls == [_CALLS[letter] for letter in letters if letter in _CALLS], steps
        assert len(ready) == letters.count("C"), steps


def test_calls_without_wait(session_calls):
    ready = []
    run(3, schedule(wait=0, warmup=0, active=1), ready.append)
    assert session_calls == ["open", "start", "stop", "finalize"] * 4
    assert len(ready) == 4


def test_stop_during_warmup_leaves_no_directory(session_calls, tmp_path):
    ready = []
    run(0, schedule(wait=0, warmup=1, active=1), ready.append)
    assert session_calls == ["open", "warmup", "finalize"]
    assert ready == []
    assert list(tmp_path.iterdir()) == []


def test_user_function_as_schedule(session_calls):
    script = [N, W, R, N, W, W, S, S]
    ready = []
    run(len(script) - 1, lambda step: script[step], ready.append)
    assert session_calls == ["open", "warmup", "start", "stop", "finalize",
                             "open", "warmup", "start", "stop", "finalize",
                             "open", "start", "stop", "finalize"]
    assert len(ready) == 2


def test_without_schedule_everything_is_one_run(session_calls, console):
    ready = []
    with profile(on_trace_ready=ready.append) as profiler:
        profiler.step()
        profiler.step()
    assert session_calls == ["open", "start", "stop", "finalize"]
    assert ready == [profiler]
    assert any("incomplete" in text for text in console.texts("WARNING"))


def test_step_after_stop(session_calls, console):
    profiler = run(0, None)
    console.lines()
    profiler.step()
    assert console.lines() == [("WARNING", "Profiler is stopped, step takes no effect!")]
    assert profiler.step_num == 0


def test_second_profiler_of_a_process_is_refused(session_calls, console):
    first, second = profile(), profile()
    first.start()
    console.lines()
    second.start()
    assert len(console.texts("ERROR")) == 1
    second.stop()
    assert session_calls == ["open", "start"]
    first.stop()
    assert session_calls == ["open", "start", "stop", "finalize"]


def test_a_profiler_without_schedule_is_a_context_manager(session_calls):
    with _KinetoProfile() as profiler:
        assert isinstance(profiler, _KinetoProfile)
        assert session_calls == ["open", "start"]
    assert session_calls == ["open", "start", "stop", "finalize"]


def test_a_profiler_that_is_forgotten_stops(session_calls):
    profiler = _KinetoProfile()
    profiler.start()
    del profiler
    gc.collect()
    assert session_calls == ["open", "start", "stop", "finalize"]
