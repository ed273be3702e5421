"""From graphs of TensorFlow to lists of operators."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import _control_flow, _frames
from ._simulated import Op, Tensor

_PARTS = (*_control_flow.CALLS, *_control_flow.LOOPS, *_control_flow.BRANCHES)
_CONTROL = -1
_UNKNOWN = -1
# Texts, handles of variables and others that are no arrays of numbers.
_NO_NUMBERS = (7, 20, 21)
_DEEPEST = 16
_MOST_OPS = 20000
# Variables and iterators that a function takes from outside are no data for the graph engine.
_HANDLE = "VarHandleOp"

Edge = Tuple[int, int]  # Place of an operator, its output.
# Sizes of outputs that were seen, by operator and output.
Shapes = Mapping[str, Mapping[int, Sequence[int]]]


def tensor_facts(dtype: Any, sizes: Optional[Sequence[Any]]) -> Optional[Tensor]:
    """None for what is no array of numbers. Sizes that are not known are below 0."""
    number = int(dtype.base_dtype.as_datatype_enum)
    if number in _NO_NUMBERS or sizes is None:
        return None
    return number, [_UNKNOWN if size is None else int(size) for size in sizes]


def static_sizes(tensor: Any) -> Optional[List[Optional[int]]]:
    """None if not even the number of dimensions is known."""
    return None if tensor.shape.rank is None else tensor.shape.as_list()


def shapes_of_step(step_stats: Any) -> Dict[str, Dict[int, List[int]]]:
    """What a traced run of a session tells of the sizes of outputs."""
    shapes: Dict[str, Dict[int, List[int]]] = {}
    for device in step_stats.dev_stats:
        for node in device.node_stats:
            outputs = shapes.setdefault(_control_flow.plain_name(node.node_name), {})
            for output in node.output:
                sizes = output.tensor_description.shape
                if not sizes.unknown_rank:
                    outputs[output.slot] = [dimension.size for dimension in sizes.dim]
    return shapes


class Described(NamedTuple):
    """Operators in an order in which they can run, and places of those that are asked for."""

    ops: List[Op]
    outputs: List[int]


class GraphReader:
    """Reads what some operators of a graph need; functions that it calls are read in their place."""

    def __init__(self, shapes: Shapes, unknown_size: Optional[int] = None,
                 executions: Optional[_control_flow.Executions] = None) -> None:
        """`executions`: what ran; without it loops and branches are one operator each."""
        self._shapes = shapes
        self._executions = executions
        # By loop or branch: what its parts are called, and what remains of it.
        self._paths: Dict[str, str] = {}
        self._runs: Dict[str, Iterator[int]] = {}
        self._unknown_size = unknown_size  # What is taken for sizes that are not known.
        self._ops: List[Op] = []
        self._given_sizes: Dict[Tuple[int, str], Sequence[int]] = {}  # By graph and tensor.
        self.has_unknown_sizes = False
        self.is_cut = False  # There were more operators than a graph can have.

    def read(self, wanted: Sequence[Any], given: Mapping[str, Tuple[Any, Sequence[int]]]
             ) -> Described:
        """`wanted`: operators; `given`: types and sizes of tensors that the program hands in, by
        name."""
        outer = id(wanted[0].graph) if wanted else 0
        self._given_sizes = {(outer, name): sizes for name, (_, sizes) in given.items()}
        edges = self._read(wanted, given, {}, "", 0)
        places = []
        for op in wanted:
            places += [place for place, _ in edges.get(op.name, [])]
        return Described(self._ops, sorted(set(places)))

    def _read(self, wanted: Sequence[Any], given: Mapping[str, Tuple[Any, Sequence[int]]],
              inner_inputs: Mapping[str, List[Edge]], prefix: str, depth: int
              ) -> Dict[str, List[Edge]]:
        """Edges that stand for the outputs of each operator."""
        if not wanted:
            return {}
        needed = _needed(wanted, given)
        edges: Dict[str, List[Edge]] = {}
        for op in self._as_ran([op for op in wanted[0].graph.get_operations()
                                if op.name in needed], prefix):
            if op.name in inner_inputs:
                edges[op.name] = inner_inputs[op.name]
            elif op.outputs and all(output.name in given for output in op.outputs):
                edges[op.name] = [self._add_given(op, given, prefix)]
            else:
                edges[op.name] = self._read_op(op, edges, prefix, depth)
        return edges

    def _as_ran(self, ops: List[Any], prefix: str) -> List[Any]:
        executions = self._executions
        if executions is None or not any(op.type in _frames.SWITCHES for op in ops):
            return ops
        return _frames.Layout(ops, lambda name: executions.count(prefix + name)).ops

    def _read_op(self, op: Any, edges: Mapping[str, List[Edge]], prefix: str, depth: int
                 ) -> List[Edge]:
        graphs = _control_flow.function_graphs(op) if op.type in _PARTS else []
        if graphs and depth < _DEEPEST:
            given = [_edges_of(tensor, edges) for tensor in op.inputs]
            if op.type in _control_flow.CALLS:
                return _joined(self._read_part(graphs[0], given, f"{prefix}{op.name}/", depth))
            if self._executions is not None:
                path = self._path_of(prefix + op.name)
                if op.type in _control_flow.LOOPS:
                    return _joined(self._read_loop(*graphs, given, path, depth))
                return _joined(self._read_branch(op, graphs, given[1:], path, depth))
        return [self._add(op, edges, prefix)]

    def _add_given(self, op: Any, given: Mapping[str, Tuple[Any, Sequence[int]]], prefix: str
                   ) -> Edge:
        tensors = [tensor_facts(*given[output.name]) for output in op.outputs]
        known = [tensor for tensor in tensors if tensor is not None]
        return self._put((prefix + op.name, "Placeholder" if known else _HANDLE, [], [], known))

    def _add(self, op: Any, edges: Mapping[str, List[Edge]], prefix: str) -> Edge:
        inputs: List[Edge] = []
        for tensor in op.inputs:
            inputs += _edges_of(tensor, edges)
        for before in op.control_inputs:
            inputs += [(place, _CONTROL) for place, _ in edges.get(before.name, [])]
        outputs = self._facts(op.outputs, prefix)
        is_handle = op.type == "Placeholder" and not outputs
        return self._put((prefix + op.name, _HANDLE if is_handle else op.type, inputs,
                          self._facts(op.inputs, prefix), outputs))

    def _put(self, op: Op) -> Edge:
        self._ops.append(op)
        return len(self._ops) - 1, 0

    def _facts(self, tensors: Sequence[Any], prefix: str) -> List[Tensor]:
        found = []
        for tensor in tensors:
            sizes = self._given_sizes.get((id(tensor.graph), tensor.name))
            if sizes is None:
                sizes = self._shapes.get(prefix + tensor.op.name, {}).get(tensor.value_index)
            facts = tensor_facts(tensor.dtype, static_sizes(tensor) if sizes is None else sizes)
            if facts is not None:
                found.append((facts[0], self._known(facts[1])))
        return found

    def _known(self, sizes: Sequence[int]) -> List[int]:
        if self._unknown_size is not None:
            return [self._unknown_size if size < 0 else size for size in sizes]
        self.has_unknown_sizes = self.has_unknown_sizes or any(size < 0 for size in sizes)
        return list(sizes)

    def _path_of(self, name: str) -> str:
        if name not in self._paths:
            self._paths[name] = self._executions.path_of(name)
        return self._paths[name]

    def _read_part(self, graph: Any, given: Sequence[List[Edge]], prefix: str, depth: int
                   ) -> List[List[Edge]]:
        """The operators of a function in the place of its call; returns what its results are, and
        what else must have run."""
        inner = {inside.op.name: outside for inside, outside in zip(graph.inputs, given)}
        must_run = list(graph.control_outputs)
        made = self._read([output.op for output in graph.outputs] + must_run, {}, inner, prefix,
                          depth + 1)
        return [_edges_of(output, made) for output in graph.outputs] + \
            [made.get(op.name, []) for op in must_run]

    def _read_loop(self, condition: Any, body: Any, given: List[List[Edge]], path: str, depth: int
                   ) -> List[List[Edge]]:
        if path not in self._runs:
            self._runs[path] = iter(self._executions.iterations(path))
        for _ in range(next(self._runs[path], 0)):
            if len(self._ops) > _MOST_OPS:
                self.is_cut = True
                break
            self._read_part(condition, given, f"{path}/cond/", depth)
            made = self._read_part(body, given, f"{path}/body/", depth)
            given = made[:len(given)]
        self._read_part(condition, given, f"{path}/cond/", depth)
        return given

    def _read_branch(self, op: Any, parts: List[Any], given: List[List[Edge]], path: str,
                     depth: int) -> List[List[Edge]]:
        if path not in self._runs:
            self._runs[path] = iter(self._executions.choices(path, op.type, len(parts)))
        chosen = next(self._runs[path], None)
        if chosen is None:  # What was chosen has nothing that runs.
            return given
        name = _control_flow.part_name(op.type, chosen)
        return self._read_part(parts[chosen], given, f"{path}/{name}/", depth)


def _joined(results: Sequence[List[Edge]]) -> List[Edge]:
    found: List[Edge] = []
    for edges in results:
        found += [edge for edge in edges if edge not in found]
    return found


def _edges_of(tensor: Any, edges: Mapping[str, List[Edge]]) -> List[Edge]:
    """Of an operator that stands for several, its output belongs to one: which one is not asked."""
    found = edges.get(tensor.op.name, [])
    if len(found) == 1 and tensor.op.type not in _PARTS:
        return [(found[0][0], found[0][1] or tensor.value_index)]
    return found


def _needed(wanted: Sequence[Any], given: Mapping[str, Any]) -> set:
    """Names of the operators that must run for these."""
    needed = set()
    waiting = list(wanted)
    while waiting:
        op = waiting.pop()
        if op.name in needed:
            continue
        needed.add(op.name)
        if op.outputs and all(output.name in given for output in op.outputs):
            continue
        waiting += [tensor.op for tensor in op.inputs if tensor.name not in given]
        waiting += list(op.control_inputs)
        # What is handed in still comes from somewhere.
        waiting += [tensor.op for tensor in op.inputs if tensor.name in given]
    return needed
