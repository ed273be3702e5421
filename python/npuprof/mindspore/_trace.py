"""A run of the profiler of MindSpore programs."""

from __future__ import annotations

from typing import Any, Dict, Optional

from .. import _backend, _run
from .._console import no_except, warning
from . import _environment, _framework, _info, _location
from ._options import Options


class Trace(_run.Run):
    """MindSpore's own recorder beside that of CANN."""

    hooks_into_torch = False

    def __init__(self, options: Options, metadata: _info.Metadata) -> None:
        super().__init__()
        self.options = options
        self.metadata = metadata
        # Raises if the user's path cannot be used.
        self._base = _location.base_directory(options.output_path)
        self._framework: Optional[_framework.FrameworkRecorder] = None
        self._is_simulated = False

    def _make_directory(self) -> str:
        self._base = _location.base_directory(self.options.output_path)
        return _location.create(self._base)

    def _session_config(self) -> Dict[str, Any]:
        # MindSpore writes the framework's files, and profiler_info has another form here.
        return {**self.options.for_recorder(), "rank": _environment.rank(), "recorder": False}

    def _marker_domains(self) -> Optional[tuple]:
        if not self.options.switches["mstx"] or not self.options.with_npu:
            return None
        domains = self.options.domains
        return domains["mstx_domain_include"], domains["mstx_domain_exclude"]

    def _after_start(self) -> None:
        self._is_simulated = self._session.is_simulated
        self._framework = _framework.FrameworkRecorder(
            self.result_dir, self.options, _environment.rank(),
            has_clock=self.options.with_npu and not self._is_simulated)
        self._framework.start()

    @no_except()
    def _before_stop(self) -> None:
        recorder, self._framework = self._framework, None
        if recorder is None or not self.options.with_cpu:
            return
        recorder.stop()
        if recorder.is_to_be_completed:
            _backend.complete_mindspore(recorder.settings())

    def _after_stop(self) -> None:
        _info.write(self.result_dir, self.options, self._is_simulated)

    def write_metadata(self) -> None:
        """Writes what the user and the communication have to say."""
        if self.result_dir is not None:
            self.metadata.write_to(self.result_dir)

    def _write_files(self, result_dir: str) -> None:
        self.write_metadata()

    def delete_trace(self) -> None:
        """The directory stays, though it is empty: MindSpore's tools expect to find it."""
        warning(f"Profiler: {self.result_dir} has no data.")
