"""Decodes the files of a FRAMEWORK folder, and what tests of the hooks share."""

import glob
import os
import struct
import sys
from collections import namedtuple

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))

torch = pytest.importorskip("torch")
pytest.importorskip("npuprof._torch", reason="the hooks into PyTorch are not built")

import npuprof.profiler as profiler  # noqa: E402

_OP = struct.Struct("<3q4QB?")
_MEMORY = struct.Struct("<7q2b3B2Q")
_MARK = struct.Struct("<q4Q")
_CALL = struct.Struct("<4QB")
_HEAD = struct.Struct("<HI")
_KEY = struct.Struct("<Q")

Op = namedtuple("Op", "start end sequence pid tid end_tid forward_thread scope is_async name dtypes "
                      "shapes tensors lists scalars stack extra")
Memory = namedtuple("Memory", "address time size allocated reserved active stream device_type "
                              "device_index component event allocator tid pid")
QueueMark = namedtuple("QueueMark", "time category correlation tid pid name")
Call = namedtuple("Call", "time tid pid name tag")
Parameters = namedtuple("Parameters", "key is_optimizer text")

CALL, RETURN, C_CALL, C_RETURN = range(4)


def _records(result, name, fixed_bytes):
    """Fixed part and fields of each record."""
    path = os.path.join(result, "FRAMEWORK", name)
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        _, length = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        body, at = data[at:at + length], at + length
        assert len(body) == length
        fields, place = {}, fixed_bytes
        while place < length:
            kind, size = _HEAD.unpack_from(body, place)
            place += _HEAD.size
            fields[kind] = body[place:place + size].decode()
            place += size
        yield body[:fixed_bytes], fields


def operators(result):
    """Operators by start."""
    found = [Op(*_OP.unpack(fixed), *(fields.get(kind) for kind in (*range(2, 9), 10)))
             for fixed, fields in _records(result, "torch.op_range", _OP.size)]
    return sorted(found, key=lambda op: (op.start, -op.end))


def memory(result):
    """Allocations and releases by time."""
    found = [Memory(*_MEMORY.unpack(fixed))
             for fixed, _ in _records(result, "torch.memory_usage", _MEMORY.size)]
    return sorted(found, key=lambda event: event.time)


def queue_marks(result):
    """Ends of putting tasks on a launch queue and of taking them off, by time."""
    found = [QueueMark(*_MARK.unpack(fixed), fields.get(1, ""))
             for fixed, fields in _records(result, "torch.op_mark", _MARK.size)]
    return sorted(found, key=lambda mark: mark.time)


def python_names(result):
    """What keys of calls mean."""
    return {_KEY.unpack(fixed)[0]: fields[1]
            for fixed, fields in _records(result, "torch.python_tracer_hash", _KEY.size)}


def python_calls(result):
    """Calls and returns in the order of the file."""
    names = python_names(result)
    path = os.path.join(result, "FRAMEWORK", "torch.python_tracer_func")
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        data = file.read()
    return [Call(time, tid, pid, names[key], tag)
            for time, tid, pid, key, tag in _CALL.iter_unpack(data)]


def parameters(result):
    """Records of parameters; keys replaced by what they mean."""
    names = python_names(result)
    return [Parameters(names[_KEY.unpack(fixed)[0]], 2 in fields, fields.get(2, fields.get(1)))
            for fixed, fields in _records(result, "torch.param_tensor_info", _KEY.size)]


def record(action, parent, *, activities=("CPU",), config=None, **switches):
    """Records `action` and returns the result directory."""
    before = set(glob.glob(os.path.join(parent, "*_ascend_pt")))
    prof = profiler.profile(
        activities=[profiler.ProfilerActivity[name] for name in activities],
        on_trace_ready=profiler.tensorboard_trace_handler(str(parent), analyse_flag=False),
        experimental_config=config, **switches)
    with prof:
        action()
    (result,) = set(glob.glob(os.path.join(parent, "*_ascend_pt"))) - before
    return result


def inside(events, name):
    """Operators inside the range `name`, without it."""
    (outer,) = [event for event in events if event.name == name]
    return [event for event in events
            if event is not outer and outer.start <= event.start and event.end <= outer.end]


class Training:
    """A small model that trains one step when it is called."""

    def __init__(self, optimizer="SGD"):
        torch.manual_seed(7)
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(),
                                         torch.nn.Linear(16, 4))
        arguments = {"lr": 0.01, "momentum": 0.9} if optimizer == "SGD" else {"lr": 0.01}
        self.optimizer = getattr(torch.optim, optimizer)(self.model.parameters(), **arguments)
        self.data = torch.randn(32, 8)
        self.target = torch.randn(32, 4)

    def __call__(self):
        with torch.autograd.profiler.record_function("measured"):
            self.step()

    def step(self):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(self.model(self.data), self.target)
        loss.backward()
        self.optimizer.step()
