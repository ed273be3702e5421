"""Where TensorFlow tells of sessions, functions and operators.

Sessions and functions are followed by wrapping a method of each: TensorFlow has no public hook that
sees every run. Operators outside graphs come from its op callbacks, which belong to the thread that
asks for them. A version that lacks one of these is said once; the rest works.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from .. import _environment, _import_hook
from . import _control_flow, _graphs
from ._engine import engine, say_once

_callbacks: List[Callable[..., Any]] = []


def install() -> None:
    """Follows sessions and functions, now or when the program imports TensorFlow."""
    _import_hook.when_imported("tensorflow", _install)


def _install(tensorflow: Any) -> None:
    # The import hook calls back while submodules that are loaded lazily may still be missing.
    session = _attribute("tensorflow.python.client.session", "BaseSession")
    if session is None:
        session = next((base for base in tensorflow.compat.v1.Session.__mro__
                        if base.__name__ == "BaseSession"), None)
    if session is None:
        say_once("this TensorFlow has no sessions that can be followed")
    elif not hasattr(session.run, "__wrapped__"):
        _wrap(session, "__init__", _session_init)
        _wrap(session, "run", _session_run)
    function = _concrete_function()
    if function is None:
        say_once("this TensorFlow has no functions that can be followed: only sessions are")
    elif not hasattr(function._call_flat, "__wrapped__"):
        _wrap(function, "_call_flat", _function_call)


def _attribute(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def _concrete_function() -> Any:
    for module in ("tensorflow.python.eager.polymorphic_function.concrete_function",
                   "tensorflow.python.eager.function"):
        found = _attribute(module, "ConcreteFunction")
        if found is not None and hasattr(found, "_call_flat"):
            return found
    return None


def _wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        return around(original, self, *args, **kwargs)

    setattr(owner, name, wrapper)


# --- sessions


def _session_init(original: Any, session: Any, target: Any = "", graph: Any = None,
                  config: Any = None) -> None:
    from . import _config  # That one needs the engine, and this file is needed by it.
    _config.initialize_from_session(config)
    original(session, target, graph, config)


def _session_run(original: Any, session: Any, fetches: Any, feed_dict: Any = None,
                 options: Any = None, run_metadata: Any = None) -> Any:
    engine.before_graph()
    collection = engine.collection()
    if collection is None:
        return original(session, fetches, feed_dict, options, run_metadata)
    collection.graph_runs += 1
    launcher = collection.launcher
    if launcher is None:
        return original(session, fetches, feed_dict, options, run_metadata)
    try:
        wanted, given = _asked(session.graph, fetches, feed_dict)
    except Exception as failure:  # The session itself will say what is wrong with them.
        say_once(f"a run of a session cannot be followed: {failure}")
        return original(session, fetches, feed_dict, options, run_metadata)
    key = (id(session.graph), session.graph.version, tuple(op.name for op in wanted),
           tuple((name, tuple(sizes)) for name, (_, sizes) in sorted(given.items())))
    varies = launcher.varies(key, lambda: _control_flow.is_in(session.graph))
    if launcher.knows(key) and not varies:
        result = original(session, fetches, feed_dict, options, run_metadata)
        launcher.execute(key, True)
        return result
    options, run_metadata = _traced(options, run_metadata)
    result = original(session, fetches, feed_dict, options, run_metadata)
    _attempt(_launch_run, launcher, key, wanted, given, run_metadata.step_stats, varies)
    return result


def _launch_run(launcher: Any, key: Any, wanted: Any, given: Any, stats: Any, varies: bool) -> None:
    executions = _control_flow.Executions(_control_flow.names_of_step(stats)) if varies else None
    key = _key_of_run(key, executions)
    if not wanted:
        return
    if not launcher.knows(key):
        sizes = _free_size(*_declared_and_given(wanted[0].graph, given))
        reader = _graphs.GraphReader(_graphs.shapes_of_step(stats), sizes, executions)
        _load(launcher, key, "graph_" + wanted[0].name, reader, wanted, given)
    launcher.execute(key, True)


def _key_of_run(key: Any, executions: Optional[_control_flow.Executions]) -> Any:
    """A graph for each way in which loops and branches ran."""
    return key if executions is None else (key, executions.signature)


def _load(launcher: Any, key: Any, name: str, reader: _graphs.GraphReader, wanted: Any, given: Any
          ) -> None:
    described = reader.read(wanted, given)
    if reader.is_cut:
        say_once("a loop ran so often that the simulated NPU gets only its first iterations")
    if described.ops:
        launcher.load(key, name, described.ops, described.outputs)


def _asked(graph: Any, fetches: Any, feed_dict: Any) -> Tuple[List[Any], Dict[str, Any]]:
    """Operators that a run asks for, and tensors that it is given."""
    import numpy

    tensorflow = _environment.loaded("tensorflow")
    wanted = []
    for item in _leaves(tensorflow.nest, fetches):
        element = graph.as_graph_element(item, allow_tensor=True, allow_operation=True)
        op = getattr(element, "op", element)
        if op not in wanted:
            wanted.append(op)
    given = {}
    for key, value in (feed_dict or {}).items():
        tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
        given[tensor.name] = (tensor.dtype, numpy.shape(value))
    return wanted, given


def _leaves(nest: Any, fetches: Any) -> List[Any]:
    """Tensors and operators. Monitored sessions ask with dicts whose keys, hooks, have no order, and
    sorting them is what flatten() of TensorFlow begins with."""
    if isinstance(fetches, Mapping):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        return [leaf for item in fetches for leaf in _leaves(nest, item)]
    return [] if fetches is None else list(nest.flatten(fetches, expand_composites=True))


def _declared_and_given(graph: Any, given: Dict[str, Any]) -> Tuple[List[Any], List[Any]]:
    names = list(given)
    return ([graph.get_tensor_by_name(name) for name in names],
            [given[name][1] for name in names])


def _traced(options: Any, run_metadata: Any) -> Tuple[Any, Any]:
    """The same, so that TensorFlow tells of the sizes of all tensors of this run."""
    v1 = _environment.loaded("tensorflow").compat.v1
    traced = v1.RunOptions()
    if options is not None:
        traced.CopyFrom(options)
    traced.trace_level = v1.RunOptions.FULL_TRACE
    return traced, v1.RunMetadata() if run_metadata is None else run_metadata


# --- functions


def _function_call(original: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    tensorflow = _environment.loaded("tensorflow")
    if not tensorflow.executing_eagerly():  # It becomes a part of another graph.
        return original(function, *args, **kwargs)
    engine.before_graph()
    collection = engine.collection()
    if collection is None:
        return original(function, *args, **kwargs)
    collection.graph_runs += 1
    launcher = collection.launcher
    if launcher is None:
        return original(function, *args, **kwargs)
    graph, executions = function.graph, None
    if launcher.varies(id(graph), lambda: _control_flow.is_in(graph)):
        result, names = _control_flow.traced(lambda: original(function, *args, **kwargs))
        if names:
            executions = _control_flow.Executions(names, has_others=True)
        else:
            say_once("TensorFlow does not tell how often loops and branches of functions ran: each "
                     "counts as one operator")
    else:
        result = original(function, *args, **kwargs)
    _attempt(_launch_function, launcher, graph, args[0] if args else (), executions)
    return result


def _launch_function(launcher: Any, graph: Any, arguments: Any,
                     executions: Optional[_control_flow.Executions]) -> None:
    sizes = [tuple(argument.shape.as_list()) if getattr(argument, "shape", None) is not None
             and argument.shape.rank is not None else () for argument in arguments]
    key = _key_of_run((id(graph), tuple(sizes)), executions)
    wanted = [tensor.op for tensor in graph.outputs] + list(graph.control_outputs)
    if not wanted:
        return
    if not launcher.knows(key):
        given = {tensor.name: (tensor.dtype, size) for tensor, size in zip(graph.inputs, sizes)}
        reader = _graphs.GraphReader({}, _free_size(graph.inputs, sizes), executions)
        _load(launcher, key, graph.name, reader, wanted, given)
        if reader.has_unknown_sizes:
            say_once("sizes of some tensors are known to TensorFlow only while it runs: the "
                     "simulated NPU takes 1 for them")
    launcher.execute(key, False)


def _free_size(inputs: Any, sizes: Any) -> Any:
    """The size that the function leaves open and this call fills in, if there is just one."""
    found = set()
    for tensor, actual in zip(inputs, sizes):
        declared = _graphs.static_sizes(tensor) or []
        found |= {size for open_size, size in zip(declared, actual) if open_size is None}
    return found.pop() if len(found) == 1 else None


# --- operators outside graphs


def follow_eager_operators() -> None:
    """Those of the calling thread are launched from now on."""
    callbacks = _op_callbacks()
    if callbacks is not None and not _callbacks:
        callbacks.add_op_callback(_operator_ran)
        _callbacks.append(_operator_ran)


def leave_eager_operators() -> None:
    """Ends what follow_eager_operators() began."""
    if _callbacks:
        _attempt(_op_callbacks().remove_op_callback, _callbacks.pop())


def _op_callbacks() -> Any:
    if _environment.loaded("tensorflow") is None:
        say_once("the program has not imported tensorflow: its operators are not followed")
        return None
    if _attribute("tensorflow.python.framework.op_callbacks", "add_op_callback") is None:
        say_once("this TensorFlow does not tell of operators outside graphs: only graphs are "
                 "followed")
        return None
    return importlib.import_module("tensorflow.python.framework.op_callbacks")


def _operator_ran(op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None,
                  graph: Any = None) -> None:
    del attrs, op_name
    # Operators of a graph are only made here, and calls of functions are followed above.
    name = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
    if graph is not None or name.startswith("__"):
        return
    collection = engine.collection()
    if collection is None:
        return
    collection.graph_runs += 1
    if collection.launcher is not None:
        _attempt(_launch_operator, collection.launcher, name, inputs, outputs)


def _launch_operator(launcher: Any, name: str, inputs: Any, outputs: Any) -> None:
    def facts(tensors: Any) -> Any:
        found = [_graphs.tensor_facts(tensor.dtype, _graphs.static_sizes(tensor))
                 for tensor in tensors or () if hasattr(tensor, "dtype")]
        return [item for item in found if item is not None]

    launcher.launch((name, name, [], facts(inputs), facts(outputs)))


def _attempt(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as failure:
        say_once(f"a part of the program cannot be followed: {type(failure).__name__}: {failure}")
        return None
