"""Watches the configuration file and tells all processes of the job on this host."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from typing import Any, Dict, Optional

from . import config, log
from .segment import MAX_TEXT_BYTES, NO_FILE, Segment, Signature

FIRST_POLL_INTERVAL_S = 2.0


class ConfigFileSource:
    """New configurations from a file. One process of the host reads it, all get them."""

    def __init__(self, directory: str, baseline_ns: Optional[int] = None,
                 template: Dict[str, Any] = config.TEMPLATE,
                 poll_interval_s: float = FIRST_POLL_INTERVAL_S) -> None:
        """What is older than `baseline_ns` (wall clock; now by default) does not count.

        Without a file the template is written.
        """
        baseline_ns = time.time_ns() if baseline_ns is None else baseline_ns
        self.poll_interval_s = poll_interval_s
        self._template = template
        self.path = os.path.join(directory, config.FILE_NAME)
        self._directory = directory
        self._segment = Segment(directory)
        self._log: Optional[logging.Logger] = None
        try:
            self._seen = self._take_part(baseline_ns)
        except BaseException:
            self._segment.close()
            raise
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="DynMonitorProc", daemon=True)
        self._thread.start()

    def _take_part(self, baseline_ns: int) -> int:
        """Returns the last generation of configurations that is no news for this process."""
        if self._segment.lead():
            # A configuration that was there before, or that a killed job left, is not meant for us.
            before = Signature.of(self.path)
            config.write_template(self.path, self._template)
            if before is None or before.mtime_ns <= baseline_ns:
                self._segment.write(b"", Signature.of(self.path) or NO_FILE)
                return self._segment.generation()
            # It asks for steps that may begin before the watch first looks.
            generation = self._segment.generation()
            self._segment.write(_read(self.path, self._logger()), before)
            return generation
        content = self._segment.read()
        generation = self._segment.generation()
        # Written since this process began, though before it came here.
        if content is not None and content.text and content.signature.mtime_ns > baseline_ns:
            return content.generation - 1
        return generation

    def poll(self) -> Optional[Dict[str, Any]]:
        """The values of a new configuration, None if there is none."""
        if self._segment.generation() == self._seen:
            return None
        content = self._segment.read()
        if content is None:  # It is being written; it is there at the next step.
            return None
        self._seen = content.generation
        if not content.text:
            return None
        values = json.loads(content.text)
        return values if values.pop("is_valid", False) else None

    def close(self) -> None:
        """Ends the watch and takes no more part."""
        self._stop.set()
        self._thread.join()
        self._segment.close()

    def _logger(self) -> logging.Logger:
        """That of the leader."""
        if self._log is None:
            self._log = log.open_logger(self._directory, "monitor_")
        return self._log

    def _watch(self) -> None:
        while not self._stop.wait(self.poll_interval_s):
            try:
                if self._segment.lead():
                    self._look(self._logger())
            except Exception as failure:
                if self._log is not None:
                    self._log.error("Dynamic profiler process failed: %s", failure)
        if self._log is not None:
            self._log.info("Dynamic profiler process done")
            log.close_logger(self._log)

    def _look(self, logger: logging.Logger) -> None:
        signature = Signature.of(self.path)
        if signature is None:
            logger.error("Dynamic profiler cfg json not exists")
            return
        content = self._segment.read()
        if content is None:
            # The first leader died before it wrote anything: watch from now on.
            self._segment.write(b"", signature)
        elif content.signature != signature:
            self._segment.write(_read(self.path, logger), signature)


def _read(path: str, logger: logging.Logger) -> bytes:
    """The text for the segment; empty if it does not fit in."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_TEXT_BYTES + 1)
        if len(data) > MAX_TEXT_BYTES:
            logger.error("Dynamic profiler cfg json is larger than %d bytes", MAX_TEXT_BYTES)
            return b""
        values = json.loads(data)
        if not isinstance(values, dict):
            raise ValueError("it is no object")
        text = json.dumps({**values, "is_valid": True}).encode()
    except (OSError, ValueError, RecursionError) as failure:
        logger.error("Dynamic profiler process load json failed, %s", failure)
        return json.dumps({"is_valid": False}).encode()
    if len(text) > MAX_TEXT_BYTES:
        logger.error("Dynamic profiler cfg json is larger than %d bytes", MAX_TEXT_BYTES)
        return b""
    logger.info("Dynamic profiler process load json success")
    return text
