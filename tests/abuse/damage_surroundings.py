"""Nothing is wrong with the input: files change while they are read, the disk is full, the output is in the way."""

import os
import resource
import shutil
import signal
import time

import program
from damage_files import become_nobody
from kinds import NotApplicable, kind

# Changes while it is read.


def stopped_at(text, change):
    """Stops the process once `text` stands in its table of open or mapped files, changes something, goes on."""
    def meanwhile(process):
        until = time.monotonic() + 5
        while process.poll() is None and time.monotonic() < until:
            if text in open_files(process.pid):
                os.kill(process.pid, signal.SIGSTOP)
                change()
                os.kill(process.pid, signal.SIGCONT)
                return
    return meanwhile


def open_files(pid):
    """Paths of the files that a process has mapped or open, as one text."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            found = [maps.read()]
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            found.append(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
    except OSError:
        return ""
    return "\n".join(found)


def while_read(name, text, prepare=None):
    """A kind that changes a file once it has been opened."""
    def register(function):
        @kind("while it is read", name, text, moves=True)
        def apply(trial):
            path = trial.pick("records", "tlv", "database", "csv", "timeline", "lines")
            if path.suffix == ".done":
                raise NotApplicable
            if prepare:
                prepare(path)
            trial.run.meanwhile = stopped_at(str(path), lambda: function(trial, path))
            return f"{trial.name_of(path)} {text}"
        return apply
    return register


def make_long(path):
    """Reading takes a while, so that the change comes in time."""
    content = path.read_bytes()
    path.write_bytes(content * max(1, 4_000_000 // max(1, len(content))))


@while_read("shrinks-to-nothing", "is cut to nothing while it is read", make_long)
def shrinks_to_nothing(_, path):
    os.truncate(path, 0)


@while_read("shrinks", "loses its half while it is read", make_long)
def shrinks(_, path):
    os.truncate(path, path.stat().st_size // 2)


@while_read("goes-away", "is removed while it is read")
def goes_away(_, path):
    path.unlink(missing_ok=True)


@while_read("input-goes-away", "is read while all of the input is removed")
def input_goes_away(trial, _):
    shutil.rmtree(trial.root, ignore_errors=True)


@while_read("grows", "grows while it is read")
def grows(_, path):
    with open(path, "ab") as file:
        file.write(path.read_bytes() * 3)


@while_read("is-rewritten", "is written anew while it is read", make_long)
def is_rewritten(_, path):
    path.write_bytes(b"\xff" * 100_000)


@kind("while it is read", "killed", "the process is killed, and the next one finds what it left", moves=True)
def killed(trial):
    delay = trial.rng.random() * 0.03
    if "-o" in trial.run.arguments and trial.input.kind == "raw" and trial.run.arguments[0] == "parse":
        def meanwhile(process):
            time.sleep(delay)
            if process.poll() is None:
                process.kill()
        trial.run.before = (list(trial.run.arguments), meanwhile)
        return f"killed after {delay * 1000:.1f} ms, then run again"
    raise NotApplicable


# Room for the output.

def only_without_sanitizers():
    """These need memory, threads and descriptors of their own."""
    if program.SANITIZED:
        raise NotApplicable


@kind("output", "file-size-limit", "files cannot grow beyond some size", output_fails=True)
def file_size_limit(trial):
    size = trial.rng.choice([0, 1, 512, 4096, 65536, 200_000])
    trial.run.limits[resource.RLIMIT_FSIZE] = size
    return f"no file above {size} bytes"


@kind("output", "full-disk", "the disk has little room left", output_fails=True, needs_root=True)
def full_disk(trial):
    if os.geteuid() != 0 or "-o" not in trial.run.arguments:
        raise NotApplicable
    trial.run.small_disk_bytes = trial.rng.choice([4096, 65536, 200_000])
    return f"{trial.run.small_disk_bytes} bytes left"


@kind("output", "stdout-full", "standard output is on a full disk")
def stdout_full(trial):
    if "--json" not in trial.run.arguments:
        raise NotApplicable
    trial.run.stdout = "/dev/full"
    return "standard output is /dev/full"


@kind("output", "closed-descriptors", "standard input, output or error are closed")
def closed_descriptors(trial):
    trial.run.closed = trial.rng.choice([(0,), (0, 1), (1,)])
    return f"descriptors {trial.run.closed} are closed"


@kind("output", "few-descriptors", "few files may be open", output_fails=True)
def few_descriptors(trial):
    only_without_sanitizers()
    count = trial.rng.choice([4, 5, 8, 12, 20])  # With fewer the program is not even loaded.
    trial.run.limits[resource.RLIMIT_NOFILE] = count
    return f"{count} open files at most"


@kind("output", "little-memory", "there is little memory", output_fails=True)
def little_memory(trial):
    only_without_sanitizers()
    size = trial.rng.choice([30, 50, 100, 200]) << 20
    trial.run.limits[resource.RLIMIT_AS] = size
    return f"{size >> 20} MB of addresses"


@kind("output", "few-threads", "threads cannot be started", output_fails=True, needs_root=True)
def few_threads(trial):
    only_without_sanitizers()
    become_nobody(trial)
    if trial.run.user < 0:
        raise NotApplicable
    trial.run.limits[resource.RLIMIT_NPROC] = 1
    trial.run.arguments = [word if word not in ("1", "3") else "8" for word in trial.run.arguments]
    return "one thread at most"


@kind("output", "read-only-output", "the folder of the output may not be written", output_fails=True)
def read_only_output(trial):
    if "-o" not in trial.run.arguments:
        raise NotApplicable
    become_nobody(trial)
    trial.out.chmod(0o500)
    return "the output folder is read-only"


def output_path(trial):
    """Where in the arguments the output is named."""
    if "-o" not in trial.run.arguments:
        raise NotApplicable
    return trial.run.arguments.index("-o") + 1


def in_the_way(name, text, **flags):
    """A kind that puts something where the output should go; it must be there afterwards."""
    def register(function):
        @kind("output", name, text, output_fails=True, **flags)
        def apply(trial):
            place = output_path(trial)
            outside = trial.case / "outside"
            outside.mkdir()
            (outside / "precious").write_text("precious", encoding="utf-8")
            is_export = trial.run.arguments[0] == "export"
            path = trial.out / (trial.run.arguments[place].rsplit("/", 1)[-1] if is_export else "results")
            function(trial, path, outside)
            trial.planted += [path, outside / "precious"]
            trial.run.arguments[place] = str(path)
            return f"{text} ({'file' if is_export else 'folder'})"
        return apply
    return register


@in_the_way("output-is-fifo", "the output is a FIFO")
def output_is_fifo(trial, path, _):
    os.mkfifo(path)
    trial.run.reader = path


@in_the_way("output-is-link", "the output is a link to a file, which is what it stands for")
def output_is_link(_, path, outside):
    # A link in the output folder: a file may be written through it, but must stay a link.
    target = path.with_name("target." + path.name)
    path.symlink_to(target.name)
    target.write_text("", encoding="utf-8")


@in_the_way("output-is-dangling", "the output is a link to nothing")
def output_is_dangling(_, path, outside):
    path.symlink_to(outside / "nothing" / "here")


@in_the_way("output-is-null", "the output is a device")
def output_is_null(_, path, __):
    path.symlink_to("/dev/null")


@in_the_way("output-is-own-device", "the output is a device in a folder of the user", needs_root=True)
def output_is_own_device(_, path, __):
    if os.geteuid() != 0:
        raise NotApplicable
    try:
        os.mknod(path, 0o666 | 0o020000, os.makedev(1, 3))
    except OSError as failure:
        raise NotApplicable from failure


@in_the_way("output-has-files", "a folder of the user's files is where the output goes")
def output_has_files(trial, path, _):
    path.mkdir()
    (path / "notes.txt").write_text("notes of the user", encoding="utf-8")
    trial.planted.append(path / "notes.txt")


@kind("output", "names-like-ours", "files of the user have names like those of unfinished results")
def names_like_ours(trial):
    place = output_path(trial)
    is_export = trial.run.arguments[0] == "export"
    base = trial.run.arguments[place].rsplit("/", 1)[-1] if is_export else trial.argument.name
    for suffix in (".partial-1", ".old-1"):
        folder = trial.out / (base + suffix)
        folder.mkdir()
        (folder / "precious").write_text("precious", encoding="utf-8")
        other = trial.out / ("thesis" + suffix)
        other.write_text("precious", encoding="utf-8")
        trial.planted += [folder / "precious", other]
    return "names like *.partial-1 and *.old-1 are taken"


@kind("output", "output-in-input", "the output lies inside of the raw data", output_fails=True)
def output_in_input(trial):
    place = output_path(trial)
    if not trial.argument.is_dir() or trial.run.arguments[0] == "export":
        raise NotApplicable
    folder = trial.rng.choice([path for path in [trial.argument, *sorted(trial.argument.rglob("*"))] if path.is_dir()])
    trial.run.arguments[place] = str(folder)
    trial.run.inside = folder
    return f"results go to {trial.name_of(folder)}"


@kind("output", "output-is-input", "the output is a file of the input", output_fails=True)
def output_is_input(trial):
    place = output_path(trial)
    path = trial.pick()
    # README.txt explains results, nobody reads it but people.
    if trial.run.arguments[0] != "export" or path.name == "README.txt":
        raise NotApplicable
    trial.run.arguments[place] = str(path)
    return f"the output is {trial.name_of(path)}"


@kind("output", "results-are-kept", "results of before are kept when new ones cannot be written", output_fails=True)
def results_are_kept(trial):
    if trial.run.arguments[0] != "parse" or "-o" not in trial.run.arguments:
        raise NotApplicable
    trial.run.before = (list(trial.run.arguments), None)
    trial.run.limits[resource.RLIMIT_FSIZE] = trial.rng.choice([0, 1000, 20_000])
    trial.run.keeps_results = True
    return "results are there, and new ones find no room"


# Arguments.

@kind("arguments", "wild-jobs", "an absurd number of threads", wild_arguments=True)
def wild_jobs(trial):
    number = trial.rng.choice(["0", "-1", "10000", "4294967295", "4294967296", "99999999999999999999", "x", "1.5", ""])
    arguments = list(trial.run.arguments)
    if "-j" in arguments:
        del arguments[arguments.index("-j"):arguments.index("-j") + 2]
    trial.run.arguments = [*arguments, "-j", number]
    return f"-j {number}"


@kind("arguments", "wild-steps", "absurd steps", wild_arguments=True)
def wild_steps(trial):
    steps = trial.rng.choice(["0", "0-9223372036854775807", "5-3", "-1", "1,,2", "x", "", "9223372036854775808", "1-2-3",
                              ",".join(["1-9"] * 10_000), "3-5"])
    trial.run.arguments = [*trial.run.arguments, f"--steps={steps}"]
    return f"--steps {steps[:40]}"


@kind("arguments", "wild-paths", "the input is given in another way", wild_arguments=True)
def wild_paths(trial):
    path = str(trial.argument)
    given = trial.rng.choice([path + "/", path + "/.", path + "//", f"{trial.root}/./../in/{trial.input.argument}",
                              path + "x", "", "/dev/null", "/dev/zero", "/dev/stdin", "/proc/self", "x" * 5000,
                              path + "\n", "-"])
    trial.run.arguments = [given if word == "{input}" else word for word in trial.run.arguments]
    return f"the input is given as {given[:80]!r}"
