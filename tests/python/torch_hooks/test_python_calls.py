"""Python calls, modules, stacks and parameters, compared with PyTorch's own profiler."""

import cProfile
import gc
import re
import sys

import torch.profiler as torch_profiler
from framework_records import (C_CALL, C_RETURN, CALL, RETURN, Training, inside, operators,
                               parameters, python_calls, record, torch)

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# What begins and ends ranges, and our own functions, which other tests may have hooked in.
_HIDDEN = re.compile(r"autograd/profiler\.py\(\d+\): __(enter|exit)__$"
                     r"|npuprof/_console\.py\(\d+\): guarded$")


def _torch_calls(action):
    """Python calls inside `action` that torch.profiler sees, depth first."""
    with torch_profiler.profile(activities=[torch_profiler.ProfilerActivity.CPU],
                                with_stack=True, with_modules=True) as prof:
        action()
    found = []

    def walk(node, is_inside, is_hidden):
        name = node.name
        is_call = node.tag.name in ("PyCall", "PyCCall")
        # We leave those out, but not what is in ranges.
        is_hidden = is_call and (is_hidden or _HIDDEN.search(name) is not None)
        if is_inside and is_call and not is_hidden:
            name = re.sub(r"^nn.Module: (.*)_\d+$", r"\1", name)
            found.append(_ADDRESS.sub("", name))
        for child in node.children:
            walk(child, is_inside or name.endswith("): step"), is_hidden)

    for root in prof.profiler.kineto_results.experimental_event_tree():
        walk(root, False, False)
    return found


def _plain(name):
    return _ADDRESS.sub("", re.sub(r"######\d+$", "", name))


def _calls_inside(calls, function):
    """Names of calls inside the first call of `function`."""
    found, depth = [], 0
    for call in calls:
        if call.tag in (CALL, C_CALL):
            if depth:
                found.append(_plain(call.name))
            if depth or call.name.endswith(f"): {function}"):
                depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                return found
    raise AssertionError(f"no call of {function} ends")


def test_calls_are_those_that_torch_profiler_sees(tmp_path):
    train = Training()
    train()
    theirs = _torch_calls(train)
    ours = _calls_inside(python_calls(record(train, tmp_path, with_stack=True)), "step")
    assert len(ours) > 50
    # Functions of C have the name of whatever object they were first called on.
    plain = [name for name in ours if not name.startswith("<")]
    assert plain == [name for name in theirs if not name.startswith("<")]
    assert len(ours) == len(theirs)
    assert plain.count("Linear") == 2 and plain.count("Sequential") == 1


def test_calls_and_returns_pair(tmp_path):
    train = Training()
    calls = python_calls(record(train, tmp_path, with_modules=True))
    stack = []
    for call in calls:
        if call.tag in (CALL, C_CALL):
            stack.append(call.tag)
        else:
            assert call.name == "__torch_npu_profiler_python_tracer_exit"
            assert (stack.pop(), call.tag) in ((CALL, RETURN), (C_CALL, C_RETURN))
    assert [call.time for call in calls] == sorted(call.time for call in calls)


def test_exceptions_and_generators_do_not_disturb_the_pairs(tmp_path):
    def numbers():
        yield 1
        yield 2

    def fails():
        raise ValueError

    def action():
        for _ in numbers():
            try:
                fails()
            except ValueError:
                pass
            try:
                int("no number")
            except ValueError:
                pass
        next(iter(numbers()))  # Never finished.

    calls = python_calls(record(action, tmp_path, with_stack=True))
    names = _calls_inside(calls, "action")
    # A generator is entered again at the line where it had stopped.
    lines = {name for name in names if name.endswith("): numbers")}
    assert len(lines) == 3
    assert len([name for name in names if name.endswith("): fails")]) == 2


def test_module_objects_are_told_apart(tmp_path):
    train = Training()
    names = {call.name for call in python_calls(record(train, tmp_path, with_modules=True))}
    for module in train.model.modules():
        assert f"{type(module).__name__}######{id(module)}" in names


def test_operators_have_the_stack_of_their_call(tmp_path):
    train = Training()
    ops = inside(operators(record(train, tmp_path, with_stack=True)), "measured")
    for op in ops:
        assert (op.scope == 1) == (not op.stack), op.name
    linear = [op for op in ops if op.name == "aten::linear"][0].stack.split(";")
    functions = [frame.rpartition(": ")[2] for frame in linear]
    assert functions[:5] == ["forward", "_call_impl", "forward", "_call_impl", "step"]
    code = torch.nn.Linear.forward.__code__
    path, line = re.match(r"(.*)\((\d+)\): forward$", linear[0]).groups()
    assert path == code.co_filename
    assert code.co_firstlineno < int(line) < code.co_firstlineno + 5  # Where the call is.
    # Children have the stack of the operator that called them.
    (first, *_) = [op for op in ops if op.name == "aten::addmm"]
    assert first.stack.split(";") == linear


def test_stacks_follow_the_line_that_runs(tmp_path):
    def action():
        torch.ones(1)
        torch.ones(2)
        for _ in range(3):
            torch.ones(3)

    stacks = [op.stack.split(";")[0] for op in operators(record(action, tmp_path, with_stack=True))
              if op.name == "aten::ones"]
    lines = [int(re.search(r"\((\d+)\): action$", stack).group(1)) for stack in stacks]
    first = action.__code__.co_firstlineno
    assert lines == [first + 1, first + 2, first + 4, first + 4, first + 4]


def test_stacks_follow_the_callers(tmp_path):
    def leaf():
        torch.ones(1)

    def fails():
        leaf()
        raise ValueError

    def generate():
        yield torch.ones(1)
        leaf()
        yield torch.ones(1)

    def action():
        torch.ones(1)
        leaf()
        leaf()
        try:
            fails()
        except ValueError:
            torch.ones(1)
        for _ in generate():
            torch.ones(1)
        torch.ones(1)

    found = []
    for op in operators(record(action, tmp_path, with_stack=True)):
        if op.name == "aten::ones":
            frames = [re.search(r"\((\d+)\): (.+)$", frame).groups()
                      for frame in op.stack.split(";")]
            depth = [name for _, name in frames].index("action")
            line = int(frames[depth][0]) - action.__code__.co_firstlineno
            found.append((line, [name for _, name in frames[:depth]]))
    assert found == [(1, []), (2, ["leaf"]), (3, ["leaf"]), (5, ["leaf", "fails"]), (7, []),
                     (8, ["generate"]), (9, []), (8, ["leaf", "generate"]), (8, ["generate"]),
                     (9, []), (10, [])]


def test_tensors_of_inputs_parameters_and_optimizers(tmp_path):
    train = Training("Adam")
    result = record(train, tmp_path, record_shapes=True, profile_memory=True, with_modules=True)
    found = parameters(result)
    modules = {item.key: item.text for item in found if not item.is_optimizer}
    linear = train.model[0]
    weight, bias = modules[f"Linear######{id(linear)}"].split("}")
    name, tensor, gradient = weight.split(")")
    assert (name, gradient) == ("weight", "")
    facts = tensor.split(";")
    assert facts[1] == hex(linear.weight.data_ptr())
    assert facts[2:] == ["float", "4", "16,8", "8,1", "0", "-1"]
    assert bias.split(")")[0] == "bias"

    (optimizer,) = [item.text for item in found if item.is_optimizer]
    items = optimizer.split("}")
    assert len(items) == 4
    first, gradient, states = items[0].split(")")
    assert first == tensor
    assert gradient.split(";")[1] == hex(linear.weight.grad.data_ptr())
    named = dict(state.split(">") for state in states.rstrip("]").split("]"))
    state = train.optimizer.state[linear.weight]
    assert named["exp_avg"].split(";")[1] == hex(state["exp_avg"].data_ptr())
    assert set(named) == {"step", "exp_avg", "exp_avg_sq"}

    (addmm, *_) = [op for op in operators(result) if op.name == "aten::addmm"]
    tensors = addmm.tensors.split(")")
    assert tensors[0].split(";")[1] == hex(linear.bias.data_ptr())
    assert tensors[2].split(";")[4:6] == ["8,16", "1,8"]  # The weight, transposed.
    assert addmm.scalars == "Int;Int"


def test_long_lists_of_parameters_are_complete(tmp_path):
    layers = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(400))
    optimizer = torch.optim.Adam(layers.parameters())

    def action():
        sum(layer(torch.ones(1, 2)).sum() for layer in layers).backward()
        optimizer.step()
        optimizer.step()

    result = record(action, tmp_path, record_shapes=True, profile_memory=True, with_modules=True)
    items = [item for record_ in parameters(result) if record_.is_optimizer
             for item in record_.text.split("}")]
    assert len(items) == 800
    assert {item.split(";")[1] for item in items} == {hex(parameter.data_ptr())
                                                      for parameter in layers.parameters()}


def test_another_profile_function_is_left_alone(tmp_path, console):
    train = Training()
    other = cProfile.Profile()
    other.enable()
    try:
        result = record(train, tmp_path, with_stack=True)
        assert sys.getprofile() is other
    finally:
        other.disable()
    assert python_calls(result) == []
    assert any("Another profiler" in text for text in console.texts("WARNING"))
    assert any(op.name == "measured" for op in operators(result))


def test_nothing_is_kept_after_a_recording(tmp_path):
    gc.collect()

    class Layer(torch.nn.Linear):
        pass

    def action():
        Layer(2, 2)(torch.ones(1, 2))

    record(action, tmp_path, record_shapes=True, profile_memory=True, with_stack=True)
    gc.collect()
    assert not [item for item in gc.get_objects() if type(item) is Layer]
    assert sys.getprofile() is None


def test_torch_profiler_may_trace_calls_meanwhile(tmp_path, console):
    train = Training()
    seen = []

    def action():
        train()
        seen.extend(_torch_calls(train))

    result = record(action, tmp_path, with_stack=True)
    assert any(name == "Linear" for name in seen)
    assert "Linear" in [_plain(call.name) for call in python_calls(result)]
    stacks = [op.stack for op in operators(result) if op.name == "aten::linear"]
    assert len(stacks) == 4 and all(stacks[:2]) and not any(stacks[2:])
    assert sys.getprofile() is None
    assert len([text for text in console.texts("WARNING") if "with_stack" in text]) == 1
