"""Floating-point operations of matrix functions, as marker ranges in domain "mfu_flops"."""

from __future__ import annotations

import functools
import math
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _aliases, _environment, _markers
from ._console import warning

DOMAIN = "mfu_flops"

Formula = Callable[..., int]

# By "module:attribute": name shown, formula, whether it is one of ours.
_registered: Dict[str, Tuple[str, Formula, bool]] = {}
_inside = threading.local()


def register_npu_flop(target: str, op_name: Optional[str] = None, *,
                      is_default: bool = False) -> Callable[[Formula], Formula]:
    """Decorator: a formula that gets the arguments of the function `module:attribute`.

    A formula of the user replaces a default one.
    """
    def register(formula: Formula) -> Formula:
        present = _registered.get(target)
        if present is None or present[2] or not is_default:
            name = op_name or target.rpartition(":")[2].rpartition(".")[2]
            _registered[target] = (name, formula, is_default)
        return formula

    return register


class FlopsHook:
    """Wraps the registered functions while a profiler records."""

    def __init__(self) -> None:
        self._replaced: _aliases.Replaced = []

    def install(self) -> None:
        """Wraps functions of modules that the program has imported."""
        wrappers = {}
        for target, (name, formula, _) in _registered.items():
            module_name, _, attribute = target.partition(":")
            owner = _environment.loaded(module_name)
            *path, attribute = attribute.split(".")
            for part in path:
                owner = getattr(owner, part, None)
            if hasattr(owner, attribute):
                function = getattr(owner, attribute)
                wrappers[owner, attribute] = _measured(function, name, formula)
        if not self._replaced:
            self._replaced = _aliases.replace(wrappers)

    def remove(self) -> None:
        """Puts the functions back."""
        _aliases.restore(self._replaced)


def _measured(function: Callable[..., Any], name: str, formula: Formula) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if getattr(_inside, "busy", False):
            return function(*args, **kwargs)
        _inside.busy = True
        range_id = _begin(name, formula, args, kwargs)
        try:
            return function(*args, **kwargs)
        finally:
            _inside.busy = False
            _markers.range_end(range_id, DOMAIN)

    return wrapped


def _begin(name: str, formula: Formula, args: tuple, kwargs: Dict[str, Any]) -> int:
    if not _markers.wanted(DOMAIN):
        return 0
    try:
        flops = int(formula(*args, **kwargs))
    except Exception as failure:
        warning(f"The floating-point operations of {name} cannot be counted: {failure}")
        return 0
    return _markers.range_start(f"{flops}-{name}", DOMAIN)


def _default(target: str) -> Callable[[Formula], Formula]:
    return register_npu_flop(target, is_default=True)


@_default("torch:mm")
def _mm(input: Any, mat2: Any, **_: Any) -> int:
    return 2 * input.shape[0] * input.shape[1] * mat2.shape[1]


@_default("torch:bmm")
def _bmm(input: Any, mat2: Any, **_: Any) -> int:
    return 2 * math.prod(input.shape) * mat2.shape[2]


@_default("torch:addmm")
def _addmm(input: Any, mat1: Any, mat2: Any, **_: Any) -> int:
    return _mm(mat1, mat2)


@_default("torch:matmul")
def _matmul(input: Any, other: Any, **_: Any) -> int:
    # A vector on the left is a row, on the right a column.
    left = (1, *input.shape) if len(input.shape) == 1 else tuple(input.shape)
    right = (*other.shape, 1) if len(other.shape) == 1 else tuple(other.shape)
    batch = _broadcast(left[:-2], right[:-2])
    return 2 * math.prod(batch) * left[-2] * left[-1] * right[-1]


def _broadcast(one: Sequence[int], two: Sequence[int]) -> List[int]:
    length = max(len(one), len(two))
    padded = [(1,) * (length - len(shape)) + tuple(shape) for shape in (one, two)]
    return [b if a == 1 else a for a, b in zip(*padded)]


@_default("torch.nn.functional:linear")
def _linear(input: Any, weight: Any, bias: Any = None) -> int:
    return 2 * math.prod(input.shape) * weight.shape[0]


def _heads(tensor: Any, layout: str, head_count: int) -> Tuple[int, int, int, int]:
    """Batch, heads, length and width of one head."""
    shape = tuple(tensor.shape)
    if layout == "BNSD":
        return shape[0], shape[1], shape[2], shape[3]
    if layout == "BSND":
        return shape[0], shape[2], shape[1], shape[3]
    if layout == "SBH":
        return shape[1], head_count, shape[0], shape[2] // head_count
    if layout == "BSH":
        return shape[0], head_count, shape[1], shape[2] // head_count
    raise ValueError(f"unknown layout {layout!r}")


def _attention(query: Any, key: Any, value: Any, heads: int, layout: str, sparse_mode: int,
               query_ends: Any, key_ends: Any, key_heads: int = 0) -> int:
    if sparse_mode not in (0, 2, 3):
        raise ValueError(f"sparse mode {sparse_mode} is not supported")
    if layout == "TND":
        scores = sum(q * k for q, k in zip(_lengths(query_ends), _lengths(key_ends)))
        batch, count = 1, query.shape[1]
        width = query.shape[2] + value.shape[2]
    else:
        batch, count, length, query_width = _heads(query, layout, heads)
        _, _, key_length, _ = _heads(key, layout, key_heads or heads)
        value_width = _heads(value, layout, key_heads or heads)[3]
        scores, width = length * key_length, query_width + value_width
    flops = 2 * batch * count * scores * width
    return flops // 2 if sparse_mode in (2, 3) else flops


def _lengths(ends: Any) -> List[int]:
    """Lengths of sequences that lie one after the other, given where each ends."""
    values = list(ends.tolist() if hasattr(ends, "tolist") else ends)
    return [end - begin for begin, end in zip([0] + values, values)]


@_default("torch_npu:npu_fusion_attention")
def _fusion_attention(query: Any, key: Any, value: Any, head_num: int, input_layout: str,
                      pse: Any = None, padding_mask: Any = None, atten_mask: Any = None,
                      scale: float = 1, keep_prob: float = 1, pre_tockens: int = 0,
                      next_tockens: int = 0, inner_precise: int = 0, prefix: Any = None,
                      actual_seq_qlen: Any = None, actual_seq_kvlen: Any = None,
                      sparse_mode: int = 0, *_: Any, **__: Any) -> int:
    return _attention(query, key, value, head_num, input_layout, sparse_mode, actual_seq_qlen,
                      actual_seq_kvlen)


@_default("torch_npu:npu_fused_infer_attention_score")
def _infer_attention(query: Any, key: Any, value: Any, *args: Any, num_heads: int = 1,
                     input_layout: str = "BSH", sparse_mode: int = 0,
                     num_key_value_heads: int = 0, actual_seq_lengths: Any = None,
                     actual_seq_lengths_kv: Any = None, **_: Any) -> int:
    return _attention(query, key, value, num_heads, input_layout, sparse_mode, actual_seq_lengths,
                      actual_seq_lengths_kv, num_key_value_heads)


@_default("torch_npu:npu_all_gather_base_mm")
def _all_gather_mm(input: Any, x2: Any, hcom: Any, world_size: int, *_: Any, **__: Any) -> int:
    return _mm(input, x2) * world_size


@_default("torch_npu:npu_transpose_batchmatmul")
def _transpose_batchmatmul(input: Any, weight: Any, *_: Any, perm_x2: Sequence[int] = (0, 1, 2),
                           **__: Any) -> int:
    order = list(perm_x2) if perm_x2 else [0, 1, 2]
    return 2 * math.prod(input.shape) * weight.shape[order[2]]


@_default("torch_npu:npu_grouped_matmul")
def _grouped_matmul(x: Sequence[Any], weight: Sequence[Any], **_: Any) -> int:
    # One weight for each input, or one tensor with the weights of all groups.
    weights = list(weight) * len(x) if len(weight) == 1 else list(weight)
    inputs = list(x) if len(x) == len(weights) else [x[0]]
    return sum(2 * math.prod(a.shape) * b.shape[-1] for a, b in zip(inputs, weights))


@_default("torch_npu:npu_quant_matmul_gelu")
def _quant_matmul_gelu(x1: Any, x2: Any, *_: Any, **__: Any) -> int:
    return 2 * math.prod(x1.shape) * x2.shape[-1]
