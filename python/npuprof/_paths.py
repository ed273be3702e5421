"""Checks of paths given by the user, and the modes of what the profiler creates."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import warnings

DIRECTORY_MODE = 0o750
FILE_MODE = 0o640

_MAX_PATH_LENGTH = 4096
_MAX_NAME_LENGTH = 255
_USUAL_CHARACTERS = re.compile(r"[./_\-~\s0-9A-Za-z\u4e00-\u9fa5]*\Z")


def expand(path: str) -> str:
    """The real path a user means: `~` is the home directory, links are resolved."""
    return os.path.realpath(os.path.expanduser(path))


def _warn_if_unusual(path: str) -> None:
    if len(path) > _MAX_PATH_LENGTH:
        warnings.warn(f"The path is longer than {_MAX_PATH_LENGTH} characters: {path[:80]}...")
    if any(len(name) > _MAX_NAME_LENGTH for name in path.split(os.sep)):
        warnings.warn(f"The path has a part longer than {_MAX_NAME_LENGTH} characters: {path}")
    if os.path.islink(path):
        warnings.warn(f"The path is a symbolic link: {path}")
    if not _USUAL_CHARACTERS.match(path):
        warnings.warn(f"The path has characters that other tools may not accept: {path}")


def check_directory(path: str) -> None:
    """Warns of a path that may cause trouble; raises RuntimeError if it is a file."""
    _warn_if_unusual(path)
    if os.path.isfile(path):
        raise RuntimeError(f"a directory is needed, but this is a file: {path}")


def check_file(path: str) -> None:
    """Warns of a path that may cause trouble; raises RuntimeError if it is a directory."""
    _warn_if_unusual(path)
    if os.path.isdir(path):
        raise RuntimeError(f"a file is needed, but this is a directory: {path}")


def make_directory(path: str) -> None:
    """Creates a directory and those above it; each gets mode 0750, less the umask.

    Raises RuntimeError if the path is a symbolic link: what is written must not end up elsewhere.
    """
    parent = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(parent):
        make_directory(parent)
    try:
        os.mkdir(path, DIRECTORY_MODE)
    except FileExistsError:
        if os.path.islink(path):
            raise RuntimeError(f"symbolic links are not written to: {path}") from None
        if not os.path.isdir(path):
            raise


def _open_for_writing(path: str, flags: int) -> int:
    if os.path.islink(path):
        raise RuntimeError(f"symbolic links are not written to: {path}")
    # O_NOFOLLOW guards against a link made since the check.
    flags |= os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, FILE_MODE)


def write_file(path: str, data: bytes) -> None:
    """Replaces a file in one piece, with mode 0640. Refuses a link.

    A process that is killed leaves the old file or the new one.
    """
    if os.path.islink(path):
        raise RuntimeError(f"symbolic links are not written to: {path}")
    pending = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(_open_for_writing(pending, os.O_TRUNC), "wb") as file:
            file.write(data)
        os.replace(pending, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(pending)
        raise


def append_file(path: str, data: bytes) -> None:
    """Appends to a file; a new one has mode 0640. Does not follow a link."""
    with os.fdopen(_open_for_writing(path, os.O_APPEND), "ab") as file:
        file.write(data)


def open_log(path: str):
    """A file to append text to, with mode 0640 if it is new."""
    return os.fdopen(_open_for_writing(path, os.O_APPEND), "a", encoding="utf-8")


def remove_directory(path: str) -> None:
    """Removes a directory and all in it; does nothing for a link or if it is not there."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        shutil.rmtree(path, ignore_errors=True)
