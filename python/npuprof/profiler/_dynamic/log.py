"""Log files of dynamic profiling."""

from __future__ import annotations

import logging
import logging.handlers
import os
import socket
from typing import Any

from ... import _environment, _paths

_MAX_BYTES = 200 * 1024
_BACKUPS = 1
_FORMAT = "%(asctime)s [%(levelname)s] [%(process)d] %(filename)s: %(message)s"


class _RotatingFile(logging.handlers.RotatingFileHandler):
    """Creates its file, with our mode, at the first line; a full disk does not matter."""

    def _open(self) -> Any:
        return _paths.open_log(self.baseFilename)

    def handleError(self, record: logging.LogRecord) -> None:
        """Does nothing: there is nowhere left to complain."""


def open_logger(directory: str, prefix: str = "") -> logging.Logger:
    """A logger that writes to `<directory>/log/<prefix>dp_<host>_<pid>_rank_<rank>.log`."""
    folder = os.path.join(directory, "log")
    _paths.make_directory(folder)
    rank = _environment.rank_number()
    name = f"{prefix}dp_{socket.gethostname()}_{os.getpid()}_rank_{rank}.log"
    return _logger(_RotatingFile(os.path.join(folder, name), maxBytes=_MAX_BYTES,
                                 backupCount=_BACKUPS, encoding="utf-8", delay=True))


def console_logger(level: int = logging.INFO) -> logging.Logger:
    """A logger that writes to the console."""
    logger = _logger(logging.StreamHandler())
    logger.setLevel(level)
    return logger


def _logger(handler: logging.Handler) -> logging.Logger:
    handler.setFormatter(logging.Formatter(_FORMAT))
    # Not one of logging.getLogger(): what the program does to those must not matter here.
    logger = logging.Logger("npuprof.dynamic_profile", logging.INFO)
    logger.addHandler(handler)
    return logger


def close_logger(logger: logging.Logger) -> None:
    """Closes the files of a logger."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
