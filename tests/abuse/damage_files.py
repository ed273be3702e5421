"""Damage to files and directories as a whole."""

import os
import shutil
import socket

from kinds import NotApplicable, kind

NOBODY = 65534


def replacing(name, text, *forms, **flags):
    """A kind that puts something else in the place of a file; the function is given the free path."""
    def register(function):
        @kind("files", name, text, **flags)
        def apply(trial):
            path = trial.pick(*forms)
            aside = trial.case / "aside"
            path.rename(aside)
            what = function(trial, path, aside)
            if aside.exists():
                aside.unlink()
            return f"{trial.name_of(path)} {what}"
        return apply
    return register


@replacing("remove-file", "a file is gone")
def remove_file(_, __, ___):
    return "is gone"


@replacing("empty-file", "a file is empty")
def empty_file(_, path, __):
    path.touch()
    return "is empty"


@replacing("file-as-directory", "a directory has the place of a file")
def file_as_directory(_, path, __):
    path.mkdir()
    return "is a directory"


@replacing("file-as-fifo", "a FIFO has the place of a file")
def file_as_fifo(_, path, __):
    os.mkfifo(path)
    return "is a FIFO"


@replacing("file-as-socket", "a socket has the place of a file")
def file_as_socket(trial, path, __):
    with socket.socket(socket.AF_UNIX) as server:
        there = os.open(path.parent, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{there}/{path.name}")  # The whole path may be too long for an address.
        os.close(there)
    return "is a socket"


def link_to(name, text, target):
    @replacing(name, text)
    def apply(_, path, __):
        path.symlink_to(target(path))
        return f"is a link to {target(path)}"


link_to("link-to-nothing", "a file is a link to nothing", lambda path: "nowhere")
link_to("link-to-itself", "a file is a link to itself", lambda path: path.name)
link_to("link-to-null", "a file is a link to /dev/null", lambda path: "/dev/null")
link_to("link-to-zero", "a file is a link to /dev/zero", lambda path: "/dev/zero")
link_to("link-to-directory", "a file is a link to the directory it is in", lambda path: ".")


@replacing("link-to-file", "a file is a link to a file elsewhere, as users make them to save room")
def link_to_file(trial, path, aside):
    elsewhere = trial.case / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(aside, elsewhere / path.name)
    path.symlink_to(elsewhere / path.name)
    return "is a link to itself in another directory"


@replacing("huge-sparse", "a file goes on with hundreds of megabytes of zeros", adds_garbage=True)
def huge_sparse(trial, path, aside):
    aside.rename(path)
    size = trial.rng.choice([50, 200]) << 20
    os.truncate(path, path.stat().st_size + size)
    return f"is {size} bytes longer, of which none is on the disk"


@kind("files", "unreadable-file", "a file may not be read")
def unreadable_file(trial):
    return unreadable(trial, trial.pick())


@kind("files", "unreadable-directory", "a directory may not be read")
def unreadable_directory(trial):
    return unreadable(trial, a_directory(trial))


def unreadable(trial, path):
    become_nobody(trial)
    path.chmod(0)
    return f"{trial.name_of(path)} has mode 000"


def become_nobody(trial):
    """Root may read everything."""
    if os.geteuid() != 0:
        return
    for path in [trial.case, *trial.case.rglob("*")]:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    trial.run.user = NOBODY


def a_directory(trial):
    found = sorted(path for path in trial.root.rglob("*") if path.is_dir())
    if not found:
        raise NotApplicable
    return trial.rng.choice(found)


@kind("files", "remove-directory", "a directory is gone")
def remove_directory(trial):
    path = a_directory(trial)
    shutil.rmtree(path)
    return f"{trial.name_of(path)} is gone"


@kind("files", "empty-directory", "a directory is empty")
def empty_directory(trial):
    path = a_directory(trial)
    shutil.rmtree(path)
    path.mkdir()
    return f"{trial.name_of(path)} is empty"


@kind("files", "directory-as-file", "a file has the place of a directory")
def directory_as_file(trial):
    path = a_directory(trial)
    shutil.rmtree(path)
    path.write_bytes(b"no directory\n")
    return f"{trial.name_of(path)} is a file"


@kind("files", "directory-loop", "a directory is a link to the one above it")
def directory_loop(trial):
    path = a_directory(trial)
    shutil.rmtree(path)
    path.symlink_to("..")
    return f"{trial.name_of(path)} is a link to .."


@kind("files", "remove-several", "several files are gone")
def remove_several(trial):
    paths = trial.files()
    if len(paths) < 3:
        raise NotApplicable
    chosen = trial.rng.sample(paths, trial.rng.randint(2, min(12, len(paths) - 1)))
    for path in chosen:
        path.unlink()
    return "gone: " + ", ".join(trial.name_of(path) for path in chosen)


@kind("files", "remove-marks", "no file has a mark that it is complete, as of a killed process")
def remove_marks(trial):
    marks = [path for path in trial.files() if path.suffix == ".done"]
    if not marks:
        raise NotApplicable
    for path in marks:
        path.unlink()
    return f"{len(marks)} marks are gone"


@kind("files", "swap-files", "two files change names")
def swap_files(trial):
    paths = [path for path in trial.files() if path.suffix != ".done"]
    if len(paths) < 2:
        raise NotApplicable
    first, second = trial.rng.sample(paths, 2)
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    return f"{trial.name_of(first)} and {trial.name_of(second)} changed names"


@kind("files", "slice-gap", "the slices of a file have a gap, or begin later")
def slice_gap(trial):
    path, mark, _ = first_slice(trial)
    number = trial.rng.choice([1, 2, 7, 4294967295, 99999999999999999999])
    path.rename(path.with_name(path.name[:-1] + str(number)))
    if mark.exists():
        mark.rename(mark.with_name(f"{path.name[:-1]}{number}.done"))
    return f"{trial.name_of(path)} is slice {number}"


def first_slice(trial):
    """A slice 0, and what its mark of completeness would be called."""
    paths = [path for path in trial.files("records") if path.name.endswith(".slice_0")]
    if not paths:
        raise NotApplicable
    path = trial.rng.choice(paths)
    return path, path.with_name(path.name + ".done"), path.with_name(path.name[:-1] + "1")


@kind("files", "slice-again", "a slice comes again under the next number")
def slice_again(trial):
    path, _, following = first_slice(trial)
    shutil.copy(path, following)
    return f"{trial.name_of(path)} comes twice"


@kind("files", "slice-split", "a file is cut into two slices, which is no damage")
def slice_split(trial):
    path, mark, following = first_slice(trial)
    content = path.read_bytes()
    size = trial.rng.choice(trial.bounds(path, content)[1:])
    path.write_bytes(content[:size])
    following.write_bytes(content[size:])
    mark.unlink(missing_ok=True)
    return f"{trial.name_of(path)}: {size} of {len(content)} bytes in the first slice"


@kind("files", "strange-names", "files of strange names lie about")
def strange_names(trial):
    directory = trial.rng.choice([path for path in [trial.root, *sorted(trial.root.rglob("*"))] if path.is_dir()])
    chosen = trial.rng.sample([b"new\nline", b"\xff\xfe.data.0.slice_0", b"esc\x1b[31m.slice_0", b"x" * 255, b"-o",
                               b".hidden", b"torch.", b".slice_0", b"ascend_pytorch_profiler_x.db",
                               b"stars_soc.data.99999999999.slice_0", b"aging.compact..slice_0"], 4)
    for name in chosen:
        with open(os.fsencode(directory) + b"/" + name, "wb") as file:
            file.write(trial.rng.randbytes(100))
    return f"{trial.name_of(directory)} has also {chosen}"


@kind("files", "deep-tree", "the input lies deep below what is given")
def deep_tree(trial):
    if "-o" not in trial.run.arguments or trial.input.kind not in ("raw", "recorder"):
        raise NotApplicable  # Results of results have the names of folders.
    deep = trial.root.joinpath(*["d"] * trial.rng.choice([3, 40, 400]))
    aside = trial.case / "aside"
    trial.root.rename(aside)
    deep.mkdir(parents=True)
    for path in aside.iterdir():
        path.rename(deep / path.name)
    aside.rmdir()
    trial.run.arguments = [str(trial.root) if word == "{input}" else word for word in trial.run.arguments]
    return f"it lies {len(deep.relative_to(trial.root).parts)} levels below what is given"


