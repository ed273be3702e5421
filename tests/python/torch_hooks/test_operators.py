"""Operators and memory, compared with what PyTorch's own profiler records."""

import threading
from collections import Counter

import torch.profiler as torch_profiler
from framework_records import Training, inside, memory, operators, record, torch

# PyTorch 1.13 leaves the types of these inputs empty.
_UNTYPED = {"ScalarList": "", "None": ""}


def _own_record(action, **options):
    """What torch.profiler has to say about `action`."""
    with torch_profiler.profile(activities=[torch_profiler.ProfilerActivity.CPU],
                                **options) as prof:
        action()
    return prof.profiler.kineto_results.events()


def _facts(op):
    """Name, scope, sequence number, whether there is a forward thread, types and shapes."""
    shapes = [[int(size) for size in shape.split(",") if size]
              for shape in op.shapes.split(";")] if op.dtypes is not None else []
    dtypes = [_UNTYPED.get(dtype, dtype)
              for dtype in op.dtypes.split(";")] if op.dtypes is not None else []
    # Without a number nothing belongs to a forward operator; torch.profiler leaves it out then.
    is_backward = op.forward_thread != 0 and op.sequence >= 0
    return op.name, op.scope, op.sequence, is_backward, dtypes, shapes


def _torch_facts(event):
    dtypes = [_UNTYPED.get(dtype, dtype) for dtype in event.dtypes()]
    sequence, is_backward = event.sequence_nr(), event.fwd_thread_id() != 0
    if event.name().startswith("autograd::engine::evaluate_function: "):
        # What it copies afterwards from the node inside; records have what PyTorch said.
        sequence, is_backward = -1, False
    return event.name(), event.scope(), sequence, is_backward, dtypes, event.shapes()


def _range_of(event):
    """Begin and end, in microseconds, or in nanoseconds where PyTorch has them."""
    if hasattr(event, "start_ns"):
        return event.start_ns(), event.start_ns() + event.duration_ns()
    return event.start_us(), event.start_us() + event.duration_us()


def test_operators_are_those_that_torch_profiler_sees(tmp_path):
    train = Training()
    train()  # What happens only once is over.
    seen = []
    result = record(lambda: seen.extend(_own_record(train, record_shapes=True)), tmp_path,
                    record_shapes=True)
    ours = inside(operators(result), "measured")
    (outer,) = [event for event in seen if event.name() == "measured"]
    begin, end = _range_of(outer)
    theirs = [event for event in seen if event.name() != "measured"
              and begin <= _range_of(event)[0] and _range_of(event)[1] <= end]
    assert len(ours) > 100
    # Their times may be whole microseconds, so operators of equal time may be in another order.
    assert sorted(map(_facts, ours)) == sorted(map(_torch_facts, theirs))
    assert {op.tid for op in ours} == {threading.get_native_id()}
    assert all(op.start <= op.end and not op.is_async for op in ours)


def test_backward_operators_belong_to_their_forward(tmp_path):
    result = record(Training(), tmp_path)
    ops = inside(operators(result), "measured")
    (backward,) = [op for op in ops if op.name == "MseLossBackward0"]
    (forward,) = [op for op in ops if op.name == "aten::mse_loss"]
    assert forward.sequence == backward.sequence >= 0
    assert forward.forward_thread == 0 and backward.forward_thread == forward.tid
    assert backward.scope == 1 and forward.scope == 0
    assert all(op.dtypes is None and op.stack is None for op in ops)


def test_operators_nest_like_their_calls(tmp_path):
    ops = operators(record(Training(), tmp_path))
    open_ops = []
    for op in ops:
        while open_ops and open_ops[-1].end < op.start:
            open_ops.pop()
        if op.scope != 7 and open_ops:
            assert op.end <= open_ops[-1].end
        open_ops.append(op)
    (linear, *_) = [op for op in ops if op.name == "aten::linear"]
    assert "aten::addmm" in [op.name for op in ops
                             if linear.start <= op.start and op.end <= linear.end]


def test_a_range_may_end_in_another_order_than_it_began(tmp_path):
    def action():
        first = torch.autograd.profiler.record_function("first")
        second = torch.autograd.profiler.record_function("second")
        first.__enter__()
        second.__enter__()
        torch.ones(3)
        first.__exit__(None, None, None)
        torch.zeros(3)
        second.__exit__(None, None, None)

    ops = {op.name: op for op in operators(record(action, tmp_path))}
    assert ops["first"].start <= ops["second"].start
    assert ops["first"].end <= ops["aten::zeros"].start
    assert ops["aten::zeros"].end <= ops["second"].end
    assert ops["first"].start <= ops["aten::ones"].start <= ops["aten::ones"].end <= \
        ops["first"].end


def test_a_range_may_end_on_another_thread(tmp_path):
    tids = []

    def action():
        wanderer = torch.autograd.profiler.record_function("wanderer")
        wanderer.__enter__()

        def end():
            tids.append(threading.get_native_id())
            wanderer.__exit__(None, None, None)

        thread = threading.Thread(target=end)
        thread.start()
        thread.join()
        torch.ones(2)

    ops = {op.name: op for op in operators(record(action, tmp_path))}
    assert ops["wanderer"].tid == threading.get_native_id()
    assert ops["wanderer"].end_tid == tids[0]
    assert "aten::ones" in ops


def test_types_of_all_kinds_of_inputs(tmp_path):
    def action():
        torch.cat([torch.ones(2, 3), torch.ones(1, 3)])
        torch.ones(2, dtype=torch.float16).to(torch.bfloat16)
        torch.ones(2, dtype=torch.int64) + 1
        torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).dequantize()
        torch.ones(0, 5).sum()

    ops = operators(record(action, tmp_path, record_shapes=True))
    by_name = {op.name: op for op in ops}
    assert by_name["aten::cat"].dtypes == "TensorList;Scalar"
    assert by_name["aten::cat"].shapes == ";"
    assert by_name["aten::add"].dtypes == "long int;long int;Scalar"
    assert by_name["aten::add"].shapes == "2;;"
    assert by_name["aten::to"].dtypes.startswith("c10::Half;Scalar")
    assert by_name["aten::dequantize"].dtypes == "None"  # Records have no name for its type.
    assert by_name["aten::sum"].shapes.startswith("0,5")
    assert by_name["aten::sum"].tensors is None


def test_memory_is_what_torch_profiler_sees(tmp_path):
    train = Training()
    train()
    theirs = [event.nbytes() for event in _own_record(train, profile_memory=True)
              if event.name() == "[memory]"]
    ours = memory(record(train, tmp_path, profile_memory=True))
    assert len(ours) > 20
    assert Counter(event.size for event in ours) == Counter(theirs)
    assert all(event.device_type == 0 and event.device_index == -1 and event.event == 0
               for event in ours)


def test_memory_that_is_given_back_balances(tmp_path):
    def action():
        for size in (10, 1000, 100000):
            first = torch.empty(size)
            second = first + 1
            del first, second

    events = memory(record(action, tmp_path, profile_memory=True))
    assert sum(event.size for event in events) == 0
    assert {40, 4000, 400000} <= {event.size for event in events}
    held = {}
    for event in events:
        if event.size > 0:
            assert event.address not in held
            held[event.address] = event.size
        else:
            assert held.pop(event.address) == -event.size
    assert not held
    totals = [event.allocated for event in events]
    sizes = [event.size for event in events]
    assert [after - before for before, after in zip(totals, totals[1:])] == sizes[1:]


def test_torch_profiler_runs_beside_ours_with_memory(tmp_path, console):
    train = Training()
    seen = []

    def action():
        train()
        seen.extend(_own_record(train, profile_memory=True, record_shapes=True))
        train()

    result = record(action, tmp_path, profile_memory=True)
    assert any(event.name() == "[memory]" for event in seen)
    assert len([op for op in operators(result) if op.name == "measured"]) == 3
    first, _, third = [op for op in operators(result) if op.name == "measured"]
    events = memory(result)
    for run in (first, third):
        assert [event for event in events if run.start <= event.time <= run.end]
    warnings = [text for text in console.texts("WARNING") if "profile_memory" in text]
    assert len(warnings) == 1


def test_ours_starts_while_torch_profiler_runs(tmp_path, console):
    train = Training()
    results = []
    seen = _own_record(lambda: results.append(record(train, tmp_path, profile_memory=True)),
                       profile_memory=True)
    assert any(event.name() == "[memory]" for event in seen)
    assert any(op.name == "measured" for op in operators(results[0]))
    assert any("profile_memory" in text for text in console.texts("WARNING"))
    with torch_profiler.profile():  # The slot is as it was.
        train()


def test_without_the_activity_cpu_nothing_is_recorded(tmp_path):
    result = record(Training(), tmp_path, activities=("NPU",), record_shapes=True,
                    profile_memory=True, with_stack=True)
    assert operators(result) == [] and memory(result) == []


def test_can_be_started_and_stopped_again_and_again(tmp_path):
    train = Training()
    counts = set()
    for _ in range(20):
        result = record(train, tmp_path, record_shapes=True, profile_memory=True, with_stack=True)
        counts.add(len(inside(operators(result), "measured")))
        train()  # Not recorded.
    assert len(counts) <= 2  # The first step makes the momentum.
    assert not torch._C._autograd._profiler_enabled()
