"""Markers, and what is marked without being asked for."""

import json
import threading

import pytest

from npuprof import _builtin_markers, _flops, _markers, _optimizer_hook, mstx
from npuprof._event_hook import EventHook
from npuprof.profiler import _ExperimentalConfig, ProfilerActivity, profile, schedule

torch = pytest.importorskip("torch")


def test_nothing_is_recorded_without_a_profiler(recwarn):
    mstx.mark("x")
    assert mstx.range_start("x") == 0
    mstx.range_end(0)
    assert mstx.range_push("x") == -1 and mstx.range_pop() == -1 and mstx.range_pop() == -1
    assert len(recwarn) == 0


def test_marks_and_ranges(markers):
    mstx.mark("a")
    mstx.mark("b", domain="mine")
    range_id = mstx.range_start("c", domain="mine")
    assert range_id > 0
    mstx.range_end(range_id, "mine")
    mstx.range_end(0)
    assert markers.events == [("mark", "a", "default"), ("mark", "b", "mine"),
                              ("start", "c", "mine"), ("end", range_id, "mine")]


@pytest.mark.parametrize("message, stream, domain", [("", None, "default"), (5, None, "default"),
                                                     (None, None, "d"), ("x", "stream", "d"),
                                                     ("x", 7, "d"), ("x", None, 5)])
def test_bad_arguments(markers, message, stream, domain):
    for function, result in ((mstx.mark, None), (mstx.range_start, 0), (mstx.range_push, -1)):
        with pytest.warns(UserWarning):
            assert function(message, stream, domain) == result
    assert markers.events == []


def test_bad_arguments_of_ends(markers):
    for bad in ("1", None, 1.0, True):
        with pytest.warns(UserWarning):
            mstx.range_end(bad)
    with pytest.warns(UserWarning):
        mstx.range_end(1, 5)
    with pytest.warns(UserWarning):
        assert mstx.range_pop(5) == -1
    assert markers.events == []


def test_pushes_nest_by_thread_and_domain(markers):
    assert mstx.range_push("a") == 0
    assert mstx.range_push("b") == 1
    assert mstx.range_push("c", domain="other") == 0
    depths = []
    thread = threading.Thread(target=lambda: depths.extend([mstx.range_pop(),
                                                            mstx.range_push("d"),
                                                            mstx.range_pop()]))
    thread.start()
    thread.join()
    assert depths == [-1, 0, 0]
    assert mstx.range_pop() == 1 and mstx.range_pop() == 0 and mstx.range_pop() == -1
    assert mstx.range_pop("other") == 0


def test_pushes_stay_in_pairs_when_recording_begins_between(markers):
    assert mstx.range_push("outer") == 0
    _markers.deactivate()
    assert mstx.range_push("unseen") == -1
    _markers.activate([], [])
    assert mstx.range_push("inner") == 1
    assert mstx.range_pop() == 1
    assert mstx.range_pop() == -1
    assert mstx.range_pop() == 0
    ended = [event[1] for event in markers.events if event[0] == "end"]
    assert ended == [2, 1]


@pytest.mark.parametrize("include, exclude, recorded", [
    ([], [], ["default", "communication", "mine"]), (["default"], [], ["default"]),
    (["mine", "communication"], [], ["communication", "mine"]),
    ([], ["default"], ["communication", "mine"]), ([], ["mine"], ["default", "communication"])])
def test_domains(markers, include, exclude, recorded):
    _markers.activate(include, exclude)
    for domain in ("default", "communication", "mine"):
        mstx.mark("x", domain=domain)
        assert (mstx.range_start("x", domain=domain) > 0) == (domain in recorded)
        assert (mstx.range_push("x", domain=domain) >= 0) == (domain in recorded)
        mstx.range_pop(domain)
    assert [event[2] for event in markers.events if event[0] == "mark"] == recorded


def test_another_tool_listens(markers, monkeypatch):
    _markers.activate(["none"], [])
    monkeypatch.setattr(_markers, "_mspti", True)
    mstx.mark("x")
    _markers.deactivate()
    mstx.mark("y")
    assert markers.messages() == ["x", "y"]
    for preloaded, expected in (("/x/libmspti.so", True), ("", False), ("/x/libother.so", False),
                                ("/x/libmspti.so:/x/libascend_kernel_hook.so", False)):
        monkeypatch.setenv("LD_PRELOAD", preloaded)
        assert _markers._markers_of_mspti() is expected


def test_decorators_and_contexts(markers):
    @mstx.mstx_range("work", domain="d")
    def work(value):
        """Works."""
        if value < 0:
            raise ValueError
        return value + 1

    @mstx.annotate()
    def named():
        return 5

    @mstx.annotate("told")
    def told():
        return named()

    assert work(1) == 2 and work.__name__ == "work" and work.__doc__ == "Works."
    with pytest.raises(ValueError):
        work(-1)
    assert told() == 5
    with pytest.raises(KeyError):
        with mstx.annotate("block"):
            raise KeyError
    assert [event[:2] for event in markers.events] == [
        ("start", "work"), ("end", 1), ("start", "work"), ("end", 2), ("start", "told"),
        ("start", "named"), ("end", 4), ("end", 3), ("start", "block"), ("end", 5)]


def test_one_annotation_entered_twice(markers):
    annotation = mstx.annotate("x")
    with annotation:
        with annotation:
            pass
    assert [event[1] for event in markers.events if event[0] == "end"] == [2, 1]


def test_profiler_switches_markers(session_calls, monkeypatch):
    def active(**options):
        with profile(**options):
            return _markers.active()

    on, off = _ExperimentalConfig("Level1", mstx=True), _ExperimentalConfig("Level1")
    assert active(experimental_config=on) and not active(experimental_config=off)
    assert not active(experimental_config=on, activities=[ProfilerActivity.CPU])
    assert not _markers.active()


def test_step_markers(session_calls, markers):
    _markers.deactivate()
    config = _ExperimentalConfig("Level1", mstx=True)
    with profile(experimental_config=config,
                 schedule=schedule(wait=1, warmup=1, active=2, repeat=1)) as profiler:
        for _ in range(5):
            profiler.step()
    assert markers.messages() == ["ProfilerStep#2", "ProfilerStep#3"]
    markers.events.clear()
    with profile(experimental_config=config) as profiler:
        profiler.step()
    assert markers.messages() == []


# -- built-in markers -----------------------------------------------------------------------------

def open_ranges(markers):
    starts = sum(event[0] == "start" for event in markers.events)
    return starts - sum(event[0] == "end" for event in markers.events)


@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader(markers, workers):
    loader = torch.utils.data.DataLoader(list(range(6)), batch_size=2, num_workers=workers)
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5]]
    # The fourth one finds the end.
    assert markers.messages() == ["dataloader"] * 4 and open_ranges(markers) == 0
    _markers.deactivate()
    markers.events.clear()
    assert len(list(loader)) == 3 and markers.events == []


def test_save(markers, tmp_path):
    torch.save({"a": 1}, tmp_path / "one")
    torch.serialization.save({"a": 2}, tmp_path / "two")
    assert markers.messages() == ["save_checkpoint"] * 2 and open_ranges(markers) == 0
    assert torch.load(tmp_path / "two") == {"a": 2}


@pytest.fixture
def process_group(tmp_path):
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("PyTorch was built without gloo")
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0,
                                         world_size=1)
    yield
    torch.distributed.destroy_process_group()


def test_collectives(markers, process_group):
    import torch.distributed as dist
    tensor = torch.ones(3, 4)
    dist.all_reduce(tensor)
    dist.all_gather([torch.zeros(5, dtype=torch.int64)], tensor=torch.ones(5, dtype=torch.int64))
    dist.broadcast(tensor.half(), src=0)
    found = [json.loads(message) for message in markers.messages("communication")]
    assert [(entry["opName"], entry["count"], entry["dataType"]) for entry in found] == [
        ("HcclAllreduce", "12", "fp32"), ("HcclAllGather", "5", "int64"),
        ("HcclBroadcast", "12", "fp16")]
    assert all(isinstance(value, str) for entry in found for value in entry.values())
    assert set(found[0]) == {"streamId", "count", "dataType", "groupName", "opName"}
    assert open_ranges(markers) == 0
    markers.events.clear()
    _markers.activate(["default"], [])
    dist.all_reduce(tensor)
    assert markers.events == []


@pytest.mark.parametrize("name, args, kwargs, expected", [
    ("send", (2, 7), {}, {"opName": "HcclSend", "destRank": "7"}),
    ("irecv", (2,), {"src": 3}, {"opName": "HcclRecv", "srcRank": "3"}),
    ("all_to_all_single", (2, 2), {}, {"opName": "HcclAlltoAll"}),
    ("all_to_all_single", (2, 2, [1], [1]), {}, {"opName": "HcclAlltoAllV"}),
])
def test_messages_of_collectives(name, args, kwargs, expected):
    args = tuple(torch.zeros(4, 4, dtype=torch.bfloat16) if arg == 2 else arg for arg in args)
    message = json.loads(_builtin_markers.collective_message(name, args, kwargs, None))
    assert {**message, **expected} == message
    assert (message["count"], message["dataType"]) == ("16", "bfp16")


# -- modules and training -------------------------------------------------------------------------

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x, fail=False):
        if fail:
            raise ValueError
        return self.inner(x)


def test_modules(markers, tmp_path):
    model = torch.nn.Sequential(Block(), torch.nn.ReLU(), Block())
    handle = mstx.instrument_modules(model)
    model(torch.ones(1, 4))
    assert markers.messages("Module") == ["Sequential", "Block", "Linear", "ReLU", "Block",
                                          "Linear"]
    assert open_ranges(markers) == 0
    torch.save(model, tmp_path / "model")  # The hooks can be pickled.
    markers.events.clear()
    handle.remove()
    model(torch.ones(1, 4))
    assert markers.events == []


def test_chosen_modules(markers, console):
    model = torch.nn.Sequential(Block(), torch.nn.ReLU())
    mstx.instrument_modules(model, only=["Block", torch.nn.ReLU])
    model(torch.ones(1, 4))
    assert markers.messages("Module") == ["Block", "ReLU"]
    mstx.instrument_modules(model, only=["Nothing"]).remove()
    assert len(console.texts("WARNING")) == 1
    assert mstx.instrument_modules("no model") is not None
    assert len(console.texts("ERROR")) == 1


def test_failing_module_does_not_confuse_others(markers):
    model = torch.nn.ModuleList([Block(), Block()])
    mstx.instrument_modules(model)
    with pytest.raises(ValueError):
        model[0](torch.ones(1, 4), fail=True)
    markers.events.clear()
    model[1](torch.ones(1, 4))
    assert markers.messages("Module") == ["Block", "Linear"] and open_ranges(markers) == 0


def test_what_cannot_be_instrumented_is_left_as_it_was(markers, console, monkeypatch):
    model = torch.nn.Sequential(Block(), Block())
    monkeypatch.setattr(model[1], "register_forward_hook", None)
    mstx.instrument_modules(model)
    assert len(console.texts("ERROR")) == 1
    model(torch.ones(1, 4))
    call = torch.nn.Module.__call__
    monkeypatch.setattr(_optimizer_hook, "after_each_step", None)
    mstx.instrument_training()
    assert len(console.texts("ERROR")) == 1
    assert torch.nn.Module.__call__ is call and open_ranges(markers) == 0
    assert markers.messages("Module") == []


def test_attention_arguments(markers, monkeypatch):
    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention",
                        lambda query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False:
                        query, raising=False)
    handle = mstx.instrument_modules(Block())
    attention = torch.nn.functional.scaled_dot_product_attention
    assert attention(1, 2, 3, is_causal=True) == 1
    attention(1, 2, 3)
    assert [json.loads(text) for text in markers.messages("flash_attn_args")] == [
        {"is_causal": True}, {"is_causal": False}]
    handle.remove()
    markers.events.clear()
    torch.nn.functional.scaled_dot_product_attention(1, 2, 3)
    assert markers.events == []


def test_training(markers):
    handle = mstx.instrument_training()
    model = torch.nn.Sequential(Block(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = torch.nn.MSELoss()
    for _ in range(2):
        loss(model(torch.ones(2, 4)), torch.zeros(2, 1)).backward()
        optimizer.step()
    assert markers.messages() == ["step 0", "forward", "step 1", "forward", "step 2"]
    handle.remove()
    assert open_ranges(markers) == 0
    markers.events.clear()
    model(torch.ones(2, 4))
    optimizer.step()
    assert markers.events == []


# -- operations -----------------------------------------------------------------------------------

def test_flops(markers):
    hook = _flops.FlopsHook()
    hook.install()
    try:
        a, b = torch.ones(2, 3), torch.ones(3, 4)
        torch.mm(a, b)
        torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4))
        torch.addmm(torch.ones(4), a, b)
        torch.matmul(torch.ones(7, 1, 2, 3), torch.ones(5, 3, 4))
        torch.matmul(torch.ones(3), torch.ones(3))
        torch.nn.functional.linear(torch.ones(6, 2, 3), torch.ones(4, 3))
        torch.nn.Linear(3, 4)(a)
    finally:
        hook.remove()
    assert markers.messages("mfu_flops") == [
        "48-mm", "240-bmm", "48-addmm", "1680-matmul", "6-matmul", "288-linear", "48-linear"]
    assert open_ranges(markers) == 0
    markers.events.clear()
    torch.mm(a, b)
    assert markers.events == []


@pytest.mark.parametrize("layout, shape, sparse_mode, expected", [
    ("BNSD", (2, 4, 8, 16), 0, 2 * 2 * 4 * 64 * 32),
    ("BSND", (2, 8, 4, 16), 0, 2 * 2 * 4 * 64 * 32),
    ("SBH", (8, 2, 64), 0, 2 * 2 * 4 * 64 * 32), ("BSH", (2, 8, 64), 2, 2 * 4 * 64 * 32),
    ("BSH", (2, 8, 64), 3, 2 * 4 * 64 * 32)])
def test_flops_of_attention(layout, shape, sparse_mode, expected):
    tensor = torch.empty(shape)
    assert _flops._fusion_attention(tensor, tensor, tensor, 4, layout,
                                    sparse_mode=sparse_mode) == expected


def test_flops_of_packed_attention():
    tensor = torch.empty(12, 4, 16)
    assert _flops._fusion_attention(tensor, tensor, tensor, 4, "TND", actual_seq_qlen=[4, 12],
                                    actual_seq_kvlen=[4, 12]) == 2 * 4 * (16 + 64) * 32
    with pytest.raises(ValueError):
        _flops._fusion_attention(tensor, tensor, tensor, 4, "TND", sparse_mode=4)


def test_formula_of_the_user(markers, console, monkeypatch):
    monkeypatch.setattr(_flops, "_registered", dict(_flops._registered))

    @_flops.register_npu_flop("torch:mm", "product")
    def product(a, b):
        return 7

    _flops.register_npu_flop("torch:mm", is_default=True)(lambda a, b: 8)
    _flops.register_npu_flop("torch:bmm")(lambda a, b: 1 / 0)
    hook = _flops.FlopsHook()
    hook.install()
    try:
        torch.mm(torch.ones(2, 2), torch.ones(2, 2))
        console.lines()
        assert torch.bmm(torch.ones(1, 2, 2), torch.ones(1, 2, 2)).sum() == 8
    finally:
        hook.remove()
    assert markers.messages("mfu_flops") == ["7-product"]
    assert len(console.texts("WARNING")) == 1


@pytest.mark.parametrize("with_flops, with_markers", [(True, True), (True, False), (False, True)])
def test_flops_of_a_profiler(session_calls, markers, with_flops, with_markers):
    _markers.deactivate()
    config = _ExperimentalConfig("Level1", mstx=with_markers)
    with profile(with_flops=with_flops, experimental_config=config):
        torch.mm(torch.ones(2, 2), torch.ones(2, 2))
    expected = ["16-mm"] if with_flops and with_markers else []
    assert markers.messages("mfu_flops") == expected


def test_events_are_shown_while_recording():
    class Base:
        def query(self):
            return "base"

    class Event(Base):
        def record(self, stream=None):
            return stream

    hook = EventHook()
    hook.install(Event)
    with torch.autograd.profiler.profile() as seen:
        assert Event().record(5) == 5 and Event().query() == "base"
    hook.remove()
    assert {"Event::record", "Event::query"} <= {event.name for event in seen.function_events}
    assert "query" not in vars(Event) and not hasattr(Event.record, "__wrapped__")
