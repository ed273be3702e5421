"""What the user and the profiler note beside the recorded data: profiler_metadata.json."""

from __future__ import annotations

import json
import os
import sys
import uuid
from typing import Any, Callable, Dict, List, Optional

from .. import _environment, _paths
from .._console import no_except, warning

MAX_TRACE_ID_LENGTH = 1024

_RECORDED_VARIABLES = (
    "ASCEND_GLOBAL_LOG_LEVEL", "HCCL_RDMA_TC", "HCCL_RDMA_SL", "ACLNN_CACHE_LIMIT",
    "HOST_CACHE_CAPACITY", "ASCEND_ENHANCE_ENABLE", "PYTORCH_NPU_ALLOC_CONF",
    "ASCEND_LAUNCH_BLOCKING", "HCCL_ALGO",
)


class Metadata:
    """Keys and values of the user, within a budget."""

    max_text_length: Optional[int] = 4096
    max_total_bytes = 50 * 1024

    def __init__(self) -> None:
        self.values: Dict[str, Any] = {}

    def add(self, key: Any, value: Any) -> None:
        """Adds a text."""
        if self._acceptable(key, value):
            self._put(key, value)

    def add_json(self, key: Any, value: Any) -> None:
        """Adds a value that is given as JSON text."""
        if not self._acceptable(key, value):
            return
        try:
            decoded = json.loads(value)
        except ValueError:
            warning(f"Metadata: the value of {key!r} is no JSON text; it is skipped.")
            return
        self._put(key, decoded)

    def _acceptable(self, key: Any, value: Any) -> bool:
        if not isinstance(key, str) or not isinstance(value, str):
            warning(f"Metadata: key and value must be texts; {key!r:.100} is skipped.")
            return False
        limit = self.max_text_length
        if limit is not None and max(len(key), len(value)) > limit:
            warning(f"Metadata: key and value have at most {limit} characters; {key:.100} is "
                    "skipped.")
            return False
        total = sys.getsizeof(self.values) + sys.getsizeof(key) + sys.getsizeof(value)
        if total > self.max_total_bytes:
            warning(f"Metadata: there is no room beyond {self.max_total_bytes // 1024} KiB; {key:.100} "
                    "is skipped.")
            return False
        return True

    def _put(self, key: str, value: Any) -> None:
        if key in self.values:
            warning(f"Metadata: {key!r:.100} is there already and is replaced.")
        self.values[key] = value

    def write(self, result_dir: str, export_types: List[str], trace_id: str) -> None:
        """Writes profiler_metadata.json and forgets what the user gave."""
        path = os.path.join(result_dir, "profiler_metadata.json")
        content = {**_existing(path), **self.values}
        self.values.clear()
        if "text" in export_types:
            content["ENV_VARIABLES"] = {name: os.environ.get(name, "")
                                        for name in _RECORDED_VARIABLES}
        groups = parallel_groups()
        if groups:
            content["parallel_group_info"] = groups
        content["trace_id"] = trace_id
        _paths.write_file(path, json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"))


class WithMetadata:
    """A profiler that takes notes from its user, of this framework or another."""

    _metadata: Metadata

    @no_except()
    def add_metadata(self, key: str, value: str) -> None:
        """Notes a text beside the next result."""
        self._metadata.add(key, value)

    @no_except()
    def add_metadata_json(self, key: str, value: str) -> None:
        """Notes a value, given as JSON text, beside the next result."""
        self._metadata.add_json(key, value)


def _existing(path: str) -> Dict[str, Any]:
    """What the recorder wrote before."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        return content if isinstance(content, dict) else {}
    except (OSError, ValueError):
        return {}


def parallel_groups() -> Dict[str, Any]:
    """The communicators of HCCL process groups, by name."""
    module = _environment.distributed()
    if module is None:
        return {}
    found: Dict[str, Any] = {}
    try:
        c10d = module.distributed_c10d
        world = getattr(c10d, "_world", None)
        groups = world.pg_map if world is not None else c10d._pg_map
        names = world.pg_names if world is not None else c10d._pg_names
        default = c10d._get_default_group()
        for group, (backend, _) in list(groups.items()):
            if "hccl" not in str(backend).lower():
                continue
            communicator = _communicator_name(group, int(module.get_rank()))
            if communicator:
                found[communicator] = {
                    "group_name": "default_group" if group is default else names.get(group, ""),
                    "group_rank": int(module.get_rank(group)),
                    "global_ranks": list(_global_ranks(module, group)),
                }
    except Exception as failure:
        warning(f"Metadata: process groups cannot be listed: {failure}")
    return found


def _communicator_name(group: Any, global_rank: int) -> Optional[str]:
    try:
        backend = group
        if hasattr(group, "_get_backend"):
            torch = _environment.loaded("torch")
            backend = group._get_backend(torch.device("npu"))
        # Asking for a communicator that was never used would create it.
        try:
            return backend.get_hccl_comm_name(global_rank, init_comm=False)
        except TypeError:
            return backend.get_hccl_comm_name(global_rank)
    except Exception:
        return None


def _global_ranks(module: Any, group: Any) -> List[int]:
    if hasattr(module, "get_process_group_ranks"):
        return module.get_process_group_ranks(group)
    ranks = module.distributed_c10d._pg_group_ranks.get(group, {})
    return sorted(ranks) or list(range(module.get_world_size(group)))


def make_trace_id(callback: Optional[Callable[[], Any]]) -> str:
    """The id the user's callback gives if it is usable, else a random one."""
    if callback is not None:
        try:
            given = callback()
        except Exception as failure:
            warning(f"Profiler: custom_trace_id_callback failed ({failure}); an id is generated.")
        else:
            if isinstance(given, str) and len(given) <= MAX_TRACE_ID_LENGTH:
                return given
            warning("Profiler: custom_trace_id_callback must return a text of at most "
                    f"{MAX_TRACE_ID_LENGTH} characters; an id is generated.")
    return uuid.uuid4().hex.upper()
