"""A run of the profiler of PyTorch programs."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Optional

from .. import _environment
from .._event_hook import EventHook
from .._flops import FlopsHook
from .._run import Run
from . import _info, _result_directory
from ._common_options import CommonOptions
from ._gc_detector import GcDetector
from ._metadata import Metadata, make_trace_id
from ._result_directory import Location


class Trace(Run):
    """Adds events, floating-point operations and garbage collections to what a run records."""

    def __init__(self, options: CommonOptions, metadata: Metadata, schedule: Any) -> None:
        super().__init__()
        self.options = options
        self.metadata = metadata
        self.trace_id_callback: Optional[Callable[[], Any]] = None
        self.trace_id = ""
        # None: there is no trace handler.
        self.location: Optional[Location] = None
        self._schedule = schedule
        self._gc: Optional[GcDetector] = None
        self._events = EventHook()
        self._flops = FlopsHook()

    def _make_directory(self) -> str:
        return _result_directory.create(self.location)

    def _session_config(self) -> Dict[str, Any]:
        settings = _info.settings(self.options, self._schedule)
        return {**self.options.for_recorder(), "rank": _environment.rank_number(),
                "info_json": json.dumps(settings)}

    def _marker_domains(self) -> Optional[tuple]:
        if not self.options.with_markers:
            return None
        config = self.options.experimental_config()
        return config["mstx_domain_include"], config["mstx_domain_exclude"]

    def _opened(self) -> None:
        self.trace_id = make_trace_id(self.trace_id_callback)

    def _before_start(self) -> None:
        self._events.install()

    def _after_start(self) -> None:
        options = self.options
        if options.with_markers and options.switches["with_flops"]:
            self._flops.install()
        threshold = options.experimental_config.gc_detect_threshold
        if options.with_cpu and threshold is not None:
            self._gc = GcDetector(threshold)
            self._gc.start()

    def _before_stop(self) -> None:
        if self.options.with_npu:
            _environment.synchronize_device()
        self._flops.remove()

    def _after_stop(self) -> None:
        gc_detector, self._gc = self._gc, None
        try:
            if gc_detector is not None and self.result_dir is not None:
                gc_detector.stop(self.result_dir)
        finally:
            self._events.remove()

    def _write_files(self, result_dir: str) -> None:
        _info.write(result_dir, self.options, self._schedule, self._start_info)
        config = self.options.experimental_config
        self.metadata.write(result_dir, config.export_type, self.trace_id)
