"""profiler_config.json: what a user asks for while the program runs."""

from __future__ import annotations

import json
import logging
import os
from typing import Any, Callable, Dict, List, Optional

from ... import _console, _paths
from .._analysis import tensorboard_trace_handler
from .._common_options import SWITCHES
from .._constants import AiCMetrics, ProfilerActivity, ProfilerLevel
from .._experimental_config import _ExperimentalConfig
from .._schedule import Schedule
from ..profiler import _KinetoProfile, profile

FILE_NAME = "profiler_config.json"
NEXT_STEP = -1

TEMPLATE: Dict[str, Any] = {
    "activities": ["CPU", "NPU"],
    "prof_dir": "./",
    "analyse": False,
    "async_mode": False,
    "record_shapes": False,
    "profile_memory": False,
    "with_stack": False,
    "with_flops": False,
    "with_modules": False,
    "active": 1,
    "warmup": 0,
    "start_step": 0,
    "is_rank": False,
    "rank_list": [],
    "experimental_config": {
        "profiler_level": "Level0",
        "aic_metrics": "AiCoreNone",
        "l2_cache": False,
        "op_attr": False,
        "gc_detect_threshold": None,
        "data_simplification": True,
        "record_op_args": False,
        "export_type": ["text"],
        "mstx": False,
        "msprof_tx": False,
        "mstx_domain_include": [],
        "mstx_domain_exclude": [],
        "host_sys": [],
        "sys_io": False,
        "sys_interconnection": False,
    },
}


def write_template(path: str, template: Dict[str, Any] = TEMPLATE) -> None:
    """Writes the defaults for the user to edit, unless the file is there."""
    if os.path.lexists(path):
        if not os.access(path, os.R_OK):
            _console.error(f"{path} cannot be read; try chmod u+r.")
        if not os.access(path, os.W_OK):
            _console.error(f"{path} cannot be edited; try chmod u+w.")
        return
    text = json.dumps(template, indent=4)
    # Under its name the file is whole at once: ranks of other hosts may share the directory.
    pending = f"{path}.{os.getpid()}"
    _paths.write_file(pending, text.encode())
    try:
        os.link(pending, path)
    except FileExistsError:
        pass
    except OSError:  # A file system without hard links.
        os.rename(pending, path)
        return
    os.unlink(pending)


class DynamicConfig:
    """Checked values. What is wrong is logged and replaced by the default."""

    def __init__(self, values: Dict[str, Any], logger: logging.Logger) -> None:
        self._values = values
        self._logger = logger
        self.active = self._whole_number("active", 1)
        self.warmup = self._whole_number("warmup", 0)
        self.start_step = self._whole_number("start_step", NEXT_STEP, 0)
        self.analyse = self._bool("analyse")
        self.async_mode = self._bool("async_mode")
        self.is_rank = self._bool("is_rank")
        self.rank_list = self._ranks()
        if self.async_mode and not self.analyse:
            logger.warning("async_mode has no effect without analyse.")

    def is_for(self, rank: int) -> bool:
        """Whether this rank shall record."""
        reason = self.why_not_for(rank)
        if reason is not None:
            self._logger.log(logging.WARNING if rank < 0 else logging.INFO, "%s.", reason)
        return reason is None

    def why_not_for(self, rank: int) -> Optional[str]:
        """Why this rank shall not record, None if it shall."""
        if not self.is_rank or rank in self.rank_list:
            return None
        chosen = ", ".join(map(str, self.rank_list)) or "none"
        if rank < 0:
            return f"the rank of this process is not known, and only some record: {chosen}"
        return f"rank {rank} does not record, but these: {chosen}"

    def drop_analysis_of_chosen_ranks(self) -> None:
        """Parsing would hold up the few chosen ranks, and all others that wait for them."""
        if self.is_rank and self.analyse and not self.async_mode:
            self._logger.warning("analyse is switched off: chosen ranks parse only with async_mode, "
                                 "so that the others do not wait for them.")
            self.analyse = False

    def make_profiler(self, step: int) -> profile:
        """A profiler that records warmup + active steps from `step` on."""
        schedule = Schedule(wait=0, warmup=self.warmup, active=self.active, repeat=1, skip_first=0)
        profiler = profile(schedule=schedule, on_trace_ready=self.make_handler(),
                           **self.profiler_options())
        profiler._step_offset = step
        profiler._with_marker_ranges = False
        self.add_metadata(profiler)
        return profiler

    def make_handler(self) -> Callable[[Any], None]:
        """What is done when a run is over."""
        prof_dir = self._values.get("prof_dir", TEMPLATE["prof_dir"])
        return tensorboard_trace_handler(prof_dir if isinstance(prof_dir, str) else None,
                                         analyse_flag=self.analyse, async_mode=self.async_mode)

    def profiler_options(self) -> Dict[str, Any]:
        """Arguments for the constructor of any profiler."""
        switches = {name: self._values.get(name, False) for name in SWITCHES}
        return {"activities": self._activities(),
                "experimental_config": self._experimental_config(), **switches}

    def add_metadata(self, profiler: _KinetoProfile) -> None:
        """Gives the profiler the metadata of the configuration."""
        metadata = self._values.get("metadata")
        for key, value in metadata.items() if isinstance(metadata, dict) else ():
            profiler.add_metadata_json(key, json.dumps(value))

    def _whole_number(self, name: str, lowest: int, default: Optional[int] = None) -> int:
        default = lowest if default is None else default
        value = self._values.get(name, default)
        if isinstance(value, int) and not isinstance(value, bool) and value >= lowest:
            return value
        self._logger.warning("%s must be a whole number of at least %d, not %r; %d is used.", name,
                             lowest, value, default)
        return default

    def _bool(self, name: str) -> bool:
        value = self._values.get(name, False)
        if isinstance(value, bool):
            return value
        self._logger.warning("%s must be true or false, not %r; false is used.", name, value)
        return False

    def _ranks(self) -> List[int]:
        given = self._values.get("rank_list", [])
        if not isinstance(given, list):
            self._logger.warning("rank_list must be a list, not %r; no rank is chosen.", given)
            return []
        ranks = [rank for rank in given
                 if isinstance(rank, int) and not isinstance(rank, bool) and rank >= 0]
        if len(ranks) < len(given):
            self._logger.warning("rank_list has entries that are no ranks: %r", given)
        return ranks

    def _activities(self) -> Optional[List[ProfilerActivity]]:
        given = self._values.get("activities")
        if given is not None and not isinstance(given, list):
            self._logger.warning("activities must be a list, not %r; CPU and NPU are used.", given)
            given = None
        chosen = []
        for name in given or ():
            try:
                chosen.append(ProfilerActivity[str(name).upper()])
            except KeyError:
                self._logger.warning("activities: %r is neither CPU nor NPU; it is skipped.", name)
        return chosen or None

    def _experimental_config(self) -> _ExperimentalConfig:
        given = self._values.get("experimental_config")
        if not isinstance(given, dict) or not given:
            return _ExperimentalConfig(aic_metrics=AiCMetrics.AiCoreNone)
        options = {name: given.get(name, default)
                   for name, default in TEMPLATE["experimental_config"].items()}
        options["profiler_level"] = _constant(ProfilerLevel, options["profiler_level"])
        options["aic_metrics"] = _constant(AiCMetrics, options["aic_metrics"])
        return _ExperimentalConfig(**options)


def _constant(constants: type, name: Any) -> Any:
    """The value of a constant; an unknown name stays as it is, to be complained of later."""
    return getattr(constants, name, name) if isinstance(name, str) else name
