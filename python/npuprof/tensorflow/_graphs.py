"""From graphs of TensorFlow to lists of operators."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._simulated import Op, Tensor

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_CONTROL = -1
_UNKNOWN = -1
# Texts, handles of variables and others that are no arrays of numbers.
_NO_NUMBERS = (7, 20, 21)
_DEEPEST = 16
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
            outputs = shapes.setdefault(node.node_name, {})
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

    def __init__(self, shapes: Shapes, unknown_size: Optional[int] = None) -> None:
        self._shapes = shapes
        self._unknown_size = unknown_size  # What is taken for sizes that are not known.
        self._ops: List[Op] = []
        self._given_sizes: Dict[Tuple[int, str], Sequence[int]] = {}  # By graph and tensor.
        self.has_unknown_sizes = False

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
        for op in wanted[0].graph.get_operations():
            if op.name not in needed:
                continue
            if op.name in inner_inputs:
                edges[op.name] = inner_inputs[op.name]
            elif op.outputs and all(output.name in given for output in op.outputs):
                edges[op.name] = [self._add_given(op, given, prefix)]
            elif op.type in _CALLS and depth < _DEEPEST and _function_graph(op) is not None:
                edges[op.name] = self._read_call(op, edges, prefix, depth)
            else:
                edges[op.name] = [self._add(op, edges, prefix)]
        return edges

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
        outputs = self._facts(op.outputs)
        is_handle = op.type == "Placeholder" and not outputs
        return self._put((prefix + op.name, _HANDLE if is_handle else op.type, inputs,
                          self._facts(op.inputs), outputs))

    def _put(self, op: Op) -> Edge:
        self._ops.append(op)
        return len(self._ops) - 1, 0

    def _facts(self, tensors: Sequence[Any]) -> List[Tensor]:
        found = []
        for tensor in tensors:
            sizes = self._given_sizes.get((id(tensor.graph), tensor.name))
            if sizes is None:
                sizes = self._shapes.get(tensor.op.name, {}).get(tensor.value_index)
            facts = tensor_facts(tensor.dtype, static_sizes(tensor) if sizes is None else sizes)
            if facts is not None:
                found.append((facts[0], self._known(facts[1])))
        return found

    def _known(self, sizes: Sequence[int]) -> List[int]:
        if self._unknown_size is not None:
            return [self._unknown_size if size < 0 else size for size in sizes]
        self.has_unknown_sizes = self.has_unknown_sizes or any(size < 0 for size in sizes)
        return list(sizes)

    def _read_call(self, op: Any, edges: Mapping[str, List[Edge]], prefix: str, depth: int
                   ) -> List[Edge]:
        """The operators of a function in the place of its call."""
        graph = _function_graph(op)
        inner = {inside.op.name: _edges_of(outside, edges)
                 for inside, outside in zip(graph.inputs, op.inputs)}
        wanted = [output.op for output in graph.outputs] + list(graph.control_outputs)
        made = self._read(wanted, {}, inner, f"{prefix}{op.name}/", depth + 1)
        results: List[Edge] = []
        for done in wanted:
            results += [edge for edge in made.get(done.name, []) if edge not in results]
        return results


def _edges_of(tensor: Any, edges: Mapping[str, List[Edge]]) -> List[Edge]:
    """Of an operator that stands for several, its output belongs to one: which one is not asked."""
    found = edges.get(tensor.op.name, [])
    if len(found) == 1 and tensor.op.type not in _CALLS:
        return [(found[0][0], tensor.value_index)]
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


def _function_graph(op: Any) -> Any:
    """The graph of the function that an operator calls; None if TensorFlow does not show it."""
    try:
        function = op.graph._get_function(op.get_attr("f").name)
        return getattr(function, "graph", None)
    except Exception:
        return None
