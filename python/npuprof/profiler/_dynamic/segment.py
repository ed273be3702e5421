"""Memory that the processes of a job on one host share, to learn of a new configuration.

Two files in /dev/shm belong to a configuration directory. The segment holds the newest
configuration; who takes part keeps a shared lock on it. Who keeps the lock on the other file is the
leader, the one that watches the configuration and writes the segment. Locks go with the process,
however it ends: the next to ask becomes leader, and a segment that a killed job left is taken over.

    offset  size  field
         0     8  magic
         8     8  generation, counts up with each configuration
        16     8  modification time of the configuration file, ns
        24     8  its size in bytes
        32     8  its inode
        40     4  length of the text
        44     4  CRC-32 of the fields above, from the generation on, and the text
        48        text, UTF-8 JSON; empty before the first change of the file
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import stat
import struct
import tempfile
import weakref
import zlib
from typing import NamedTuple, Optional, Tuple

MAX_TEXT_BYTES = 1024 * 1024

_MAGIC = b"npuprof1"
_FIELDS = struct.Struct("<QqqQI")
_CHECKSUM = struct.Struct("<I")
_FIELDS_AT = len(_MAGIC)
_CHECKSUM_AT = _FIELDS_AT + _FIELDS.size
_TEXT_AT = _CHECKSUM_AT + _CHECKSUM.size
_FILE_BYTES = _TEXT_AT + MAX_TEXT_BYTES
_GENERATION = struct.Struct("<Q")


class Signature(NamedTuple):
    """Tells one version of a file from another."""

    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, path: str) -> Optional["Signature"]:
        """Of the file as it is now, None if it is not there."""
        try:
            status = os.stat(path)
        except OSError:
            return None
        return cls(status.st_mtime_ns, status.st_size, status.st_ino)


NO_FILE = Signature(0, -1, 0)


class Content(NamedTuple):
    """What the segment holds."""

    generation: int
    signature: Signature
    text: bytes


def _place(directory: str) -> str:
    """The path of the segment of a configuration directory.

    Containers may share memory though their directories of the same name are different ones.
    """
    status = os.stat(directory)
    identity = f"{os.path.realpath(directory)} {status.st_dev} {status.st_ino}"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogateescape"))
    name = f"npuprof_dynamic_{os.getuid()}_{digest.hexdigest()[:16]}"
    memory = "/dev/shm"
    if not os.access(memory, os.W_OK):
        memory = tempfile.gettempdir()
    return os.path.join(memory, name)


def _open(path: str) -> int:
    """Opens a file of ours, or creates it. Everybody may write to /dev/shm: trust nothing there."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
        os.close(fd)
        raise RuntimeError(f"{path} belongs to somebody else")
    return fd


def _is_at(path: str, fd: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(fd))
    except OSError:
        return False


class Segment:
    """This process' part in the shared memory of a configuration directory."""

    def __init__(self, directory: str) -> None:
        self._path = _place(directory)
        self._lock_path = self._path + ".lock"
        self._fd = self._attach()
        if os.fstat(self._fd).st_size < _FILE_BYTES:
            os.ftruncate(self._fd, _FILE_BYTES)
        self._lock_fd = _open(self._lock_path)
        self._memory = mmap.mmap(self._fd, _FILE_BYTES)
        self._leads = False
        _segments.add(self)

    def _attach(self) -> int:
        while True:
            fd = _open(self._path)
            fcntl.flock(fd, fcntl.LOCK_SH)
            if _is_at(self._path, fd):
                return fd
            os.close(fd)  # The last user removed it between our two calls.

    def lead(self) -> bool:
        """Whether this process is the leader; it becomes leader if there is none."""
        if not self._leads:
            try:
                fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._leads = True
            except OSError:
                pass
        return self._leads

    def generation(self) -> int:
        """Cheap: changes when there is something new."""
        return _GENERATION.unpack_from(self._memory, _FIELDS_AT)[0]

    def read(self) -> Optional[Content]:
        """What the segment holds; None while it is written, or if nobody wrote it yet."""
        if self._memory[:_FIELDS_AT] != _MAGIC:
            return None
        fields = self._memory[_FIELDS_AT:_CHECKSUM_AT]
        generation, mtime_ns, size, inode, length = _FIELDS.unpack(fields)
        if length > MAX_TEXT_BYTES:
            return None
        text = self._memory[_TEXT_AT:_TEXT_AT + length]
        if _CHECKSUM.unpack_from(self._memory, _CHECKSUM_AT)[0] != zlib.crc32(fields + text):
            return None
        return Content(generation, Signature(mtime_ns, size, inode), text)

    def write(self, text: bytes, signature: Signature) -> None:
        """Replaces what the segment holds. Only for the leader."""
        generation = (self.generation() + 1) % (1 << 64)
        fields = _FIELDS.pack(generation, *signature, len(text))
        self._memory[_TEXT_AT:_TEXT_AT + len(text)] = text
        self._memory[_CHECKSUM_AT:_TEXT_AT] = _CHECKSUM.pack(zlib.crc32(fields + text))
        self._memory[_FIELDS_AT:_CHECKSUM_AT] = fields
        self._memory[:_FIELDS_AT] = _MAGIC

    def close(self) -> None:
        """Takes no more part; the last to go removes the files."""
        if self._fd < 0:
            return
        fd, lock_fd = self._forget()
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(self._path, fd):
                os.unlink(self._lock_path)
                os.unlink(self._path)
        except OSError:  # Others take part.
            pass
        finally:
            os.close(lock_fd)
            os.close(fd)

    def close_in_child(self) -> None:
        """After a fork: the locks are the parent's, and the child must not keep them alive."""
        if self._fd >= 0:
            for fd in self._forget():
                os.close(fd)

    def _forget(self) -> Tuple[int, int]:
        fds = (self._fd, self._lock_fd)
        self._fd = self._lock_fd = -1
        self._leads = False
        self._memory.close()
        _segments.discard(self)
        return fds


_segments: "weakref.WeakSet[Segment]" = weakref.WeakSet()


def _close_in_child() -> None:
    for segment in list(_segments):
        segment.close_in_child()


os.register_at_fork(after_in_child=_close_in_child)
