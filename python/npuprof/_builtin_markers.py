"""Markers npuprof sets by itself: loading of data, saving of checkpoints, collectives."""

from __future__ import annotations

import functools
import json
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _aliases, _environment, _import_hook, _markers

COMMUNICATION_DOMAIN = "communication"

_installed = False


def install() -> None:
    """Wraps the functions, now or when their modules are imported. Once for a process."""
    global _installed
    if _installed:
        return
    _installed = True
    _import_hook.when_imported("torch.utils.data.dataloader", _wrap_data_loader)
    _import_hook.when_imported("torch.serialization", _wrap_save)
    _import_hook.when_imported("torch.distributed.distributed_c10d", _wrap_collectives)
    _import_hook.when_imported("mindspore.dataset.engine.iterators", _wrap_mindspore_data)
    _import_hook.when_imported("mindspore.train.serialization", _wrap_mindspore_save)


def _marked(function: Callable[..., Any], message: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not _markers.active():
            return function(*args, **kwargs)
        range_id = _markers.range_start(message)
        try:
            return function(*args, **kwargs)
        finally:
            _markers.range_end(range_id)

    return wrapped


def _wrap_data_loader(module: Any) -> None:
    """Each class of iterators that has a `__next__` of its own, those in use included."""
    for name in ("_BaseDataLoaderIter", "_SingleProcessDataLoaderIter",
                 "_MultiProcessingDataLoaderIter"):
        iterator = getattr(module, name, None)
        if iterator is not None and "__next__" in vars(iterator):
            wrapped = _marked(vars(iterator)["__next__"], "dataloader")
            # Python 2's name, which PyTorch defines too.
            if vars(iterator).get("next") is vars(iterator)["__next__"]:
                iterator.next = wrapped
            iterator.__next__ = wrapped


def _wrap_save(module: Any) -> None:
    # `torch.save` is the same function; it is bound later if torch is being imported just now.
    _aliases.replace({(module, "save"): _marked(module.save, "save_checkpoint")})


def _wrap_mindspore_data(module: Any) -> None:
    iterator = module.Iterator
    iterator.__next__ = _marked(vars(iterator)["__next__"], "dataloader")


def _wrap_mindspore_save(module: Any) -> None:
    _aliases.replace({(module, "save_checkpoint"): _marked(module.save_checkpoint,
                                                           "save_checkpoint")})


# Function of torch.distributed: name of the operation in HCCL, place and name of the parameter
# with the data this rank sends (or, in HcclRecv, gets), place and name of the peer if there is one.
_COLLECTIVES: Dict[str, Tuple[str, int, str, Optional[Tuple[int, str]]]] = {
    "all_reduce": ("HcclAllreduce", 0, "tensor", None),
    "broadcast": ("HcclBroadcast", 0, "tensor", None),
    "reduce": ("HcclReduce", 0, "tensor", None),
    "all_gather": ("HcclAllGather", 1, "tensor", None),
    "all_gather_into_tensor": ("HcclAllGather", 1, "input_tensor", None),
    "_all_gather_base": ("HcclAllGather", 1, "input_tensor", None),
    "reduce_scatter": ("HcclReduceScatter", 0, "output", None),
    "reduce_scatter_tensor": ("HcclReduceScatter", 0, "output", None),
    "_reduce_scatter_base": ("HcclReduceScatter", 0, "output", None),
    "scatter": ("HcclScatter", 0, "tensor", None),
    "all_to_all": ("HcclAlltoAllV", 1, "input_tensor_list", None),
    "all_to_all_single": ("HcclAlltoAll", 1, "input", None),
    "batch_isend_irecv": ("HcclBatchSendRecv", 0, "p2p_op_list", None),
    "send": ("HcclSend", 0, "tensor", (1, "dst")),
    "isend": ("HcclSend", 0, "tensor", (1, "dst")),
    "recv": ("HcclRecv", 0, "tensor", (1, "src")),
    "irecv": ("HcclRecv", 0, "tensor", (1, "src")),
}

_DATA_TYPES = {
    "torch.int8": "int8", "torch.int16": "int16", "torch.int32": "int32", "torch.int64": "int64",
    "torch.uint8": "uint8", "torch.uint16": "uint16", "torch.uint32": "uint32",
    "torch.uint64": "uint64", "torch.float16": "fp16", "torch.float32": "fp32",
    "torch.float64": "fp64", "torch.bfloat16": "bfp16",
}


def _wrap_collectives(module: Any) -> None:
    _aliases.replace({(module, name): _marked_collective(getattr(module, name), name)
                      for name in _COLLECTIVES if hasattr(module, name)})


def _marked_collective(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not _markers.wanted(COMMUNICATION_DOMAIN):
            return function(*args, **kwargs)
        stream = _environment.current_stream()
        message = collective_message(name, args, kwargs, stream)
        range_id = _markers.range_start(message, COMMUNICATION_DOMAIN, stream)
        try:
            return function(*args, **kwargs)
        finally:
            _markers.range_end(range_id, COMMUNICATION_DOMAIN)

    return wrapped


def _argument(place: int, name: str, args: tuple, kwargs: Dict[str, Any]) -> Any:
    return args[place] if len(args) > place else kwargs.get(name)


def _tensors(data: Any) -> List[Any]:
    if isinstance(data, (list, tuple)):
        # Operations of a batch carry their tensor.
        return [getattr(item, "tensor", item) for item in data]
    return [] if data is None else [data]


def collective_message(name: str, args: tuple, kwargs: Dict[str, Any], stream: Any) -> str:
    """A JSON object whose values are all texts."""
    operation, place, parameter, peer = _COLLECTIVES[name]
    tensors = _tensors(_argument(place, parameter, args, kwargs))
    if name == "all_to_all_single" and (len(args) > 2 or "output_split_sizes" in kwargs):
        operation = "HcclAlltoAllV"
    data_type = str(getattr(tensors[0], "dtype", "")) if tensors else ""
    fields = {
        "streamId": str(getattr(stream, "stream_id", 0) or 0),
        "count": str(sum(_element_count(tensor) for tensor in tensors)),
        "dataType": _DATA_TYPES.get(data_type, "na"),
    }
    if peer is not None:
        key = "destRank" if operation == "HcclSend" else "srcRank"
        fields[key] = str(_argument(*peer, args, kwargs))
    fields["groupName"] = _group_name(kwargs.get("group"))
    fields["opName"] = operation
    return json.dumps(fields)


def _element_count(tensor: Any) -> int:
    try:
        return int(tensor.numel())
    except Exception:
        return 0


def _group_name(group: Any) -> str:
    module = _environment.distributed()
    if module is None:
        return ""
    c10d = module.distributed_c10d
    try:
        if group is None:
            group = c10d._get_default_group()
        world = getattr(c10d, "_world", None)
        names = world.pg_names if world is not None else c10d._pg_names
        return str(names.get(group, ""))
    except Exception:
        return ""
