"""Runs npuprof under limits, and says how it ended."""

import ctypes
import dataclasses
import os
import resource
import signal
import subprocess
import threading

TIMEOUT_S = 60
MEMORY_BYTES = 4 << 30
SANITIZED = False  # Sanitizers take all addresses there are.
NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
PRIVATE = 0x4000 | 0x40000  # MS_REC | MS_PRIVATE

NO_SMALL_DISK = 99  # The status of a child that was not allowed to make one.

LIBC = ctypes.CDLL(None, use_errno=True)


@dataclasses.dataclass
class Outcome:
    """How a run ended."""
    status: int  # Negative: the signal.
    hangs: bool
    stdout: bytes
    stderr: bytes
    impossible: bool = False  # The machine does not let us run it like this.


def limit(run, out):
    """In the child, before npuprof begins."""
    os.setsid()
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limits = run.limits if SANITIZED else {resource.RLIMIT_AS: MEMORY_BYTES, **run.limits}
    if run.small_disk_bytes:
        # A file system of its own, which ends with the process.
        size = f"size={run.small_disk_bytes}".encode()
        if (LIBC.unshare(NEW_MOUNTS) != 0 or LIBC.mount(b"none", b"/", None, PRIVATE, None) != 0 or
                LIBC.mount(b"tmpfs", os.fsencode(out), b"tmpfs", 0, size) != 0):
            os._exit(NO_SMALL_DISK)
    for which, size in limits.items():
        resource.setrlimit(which, (size, size))
    if run.user >= 0:
        os.setgroups([])
        os.setgid(run.user)
        os.setuid(run.user)
    for descriptor in run.closed:
        os.close(descriptor)


def drain(fifo, stop):
    """Reads a FIFO until told to stop."""
    descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    while not stop.wait(0.005):
        try:
            os.read(descriptor, 1 << 16)
        except BlockingIOError:
            pass
    os.close(descriptor)


def command_line(program, trial, arguments):
    """The arguments with their places filled in."""
    places = {"{input}": str(trial.argument), "{out}": str(trial.out)}
    filled = []
    for word in arguments:
        for place, path in places.items():
            word = word.replace(place, path)
        filled.append(word)
    return [str(program), *filled]


def start(command, trial, stdout, environment):
    """The process, not yet waited for."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                            cwd=trial.case / "cwd", env=environment, preexec_fn=lambda: limit(trial.run, trial.out))


def run_program(program, trial, arguments, meanwhile=None, timeout_s=TIMEOUT_S):
    """Runs npuprof in the folders of the case."""
    run = trial.run
    environment = {"PATH": os.environ.get("PATH", ""), "TMPDIR": str(trial.case / "tmp"), "HOME": str(trial.case / "tmp"),
                   "LC_ALL": "C.UTF-8"}
    stop = threading.Event()
    reader = None
    if run.reader:
        reader = threading.Thread(target=drain, args=(run.reader, stop))
        reader.start()
    # Pipes, since limits on files would hold for messages in files too.
    stdout = open(run.stdout, "wb") if run.stdout else subprocess.PIPE
    try:
        process = start(command_line(program, trial, arguments), trial, stdout, environment)
    except PermissionError:  # Others may not enter the folder of the programs.
        stop.set()
        return Outcome(-1, False, b"", b"", True)
    hangs = False
    try:
        if meanwhile:
            meanwhile(process)
        said = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        hangs = True
        os.killpg(process.pid, signal.SIGKILL)
        said = process.communicate()
    if run.stdout:
        stdout.close()
    stop.set()
    if reader:
        reader.join()
    return Outcome(process.returncode, hangs, said[0] or b"", said[1], process.returncode == NO_SMALL_DISK)
