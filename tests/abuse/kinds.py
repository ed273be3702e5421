"""The list of kinds of damage, and what a kind is given to work on.

A kind is a function that takes a Trial, damages the copy of the input that it has (or what surrounds the run), and
returns what it did, in words. It raises NotApplicable where the input has nothing of the sort.
"""

import dataclasses
import pathlib
import random

import layouts

KINDS = {}


class NotApplicable(Exception):
    """This kind of damage cannot be done to this input, or on this machine."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of damage, and what the checks must know of it."""
    name: str
    group: str
    text: str
    apply: object
    # Bytes that no collector wrote are added: they must not become rows.
    adds_garbage: bool = False
    # Something else changes the input while it is read.
    moves: bool = False
    # The output cannot or may not be written: rows are not compared.
    output_fails: bool = False
    # The arguments themselves are wild, so that status 2 is a good answer.
    wild_arguments: bool = False
    # It needs rights that not everybody has.
    needs_root: bool = False


def kind(group, name, text, **flags):
    """Registers the decorated function."""
    def register(function):
        assert name not in KINDS, name
        KINDS[name] = Kind(name, group, text, function, **flags)
        return function
    return register


@dataclasses.dataclass
class Run:
    """How npuprof is run in a case; damage to the surroundings changes it."""
    arguments: list  # With {input} and {out}.
    limits: dict = dataclasses.field(default_factory=dict)  # resource.RLIMIT_... to bytes or a number.
    stdout: str = ""  # A device instead of a file.
    closed: tuple = ()  # Descriptors that are closed.
    user: int = -1  # Who runs it.
    small_disk_bytes: int = 0  # The size of the file system at {out}.
    meanwhile: object = None  # Called with the process while it runs.
    reader: object = None  # A FIFO that somebody reads.
    before: object = None  # Arguments of an earlier run, and what is done meanwhile.
    inside: object = None  # A folder of the input that the output goes to.
    keeps_results: bool = False  # What the earlier run wrote must be there if this one fails.


@dataclasses.dataclass
class Trial:
    """One case: a copy of an input, a command, and a source of chance."""
    input: object
    rng: random.Random
    case: pathlib.Path  # Holds in/, out/, tmp/, cwd/ and what damage puts beside them.
    run: Run
    planted: list = dataclasses.field(default_factory=list)  # Paths that must be there afterwards, as they are.

    @property
    def root(self):
        return self.case / "in"

    @property
    def out(self):
        return self.case / "out"

    @property
    def argument(self):
        return self.root / self.input.argument

    def files(self, *forms, families=None):
        """Regular files of the input, in the order of their names."""
        found = []
        for path in sorted(self.root.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            layout = self.layout(path)
            if layout is None or (forms and layout.form not in forms):
                continue
            if families is None or layout.family in families:
                found.append(path)
        return found

    def layout(self, path):
        return layouts.layout_of(path.name, self.input.newer)

    def pick(self, *forms, families=None, marks=False):
        """A file, families being equally likely. Marks that files are complete rarely, as they are so many."""
        by_family = {}
        for path in self.files(*forms, families=families):
            by_family.setdefault(self.layout(path).family, []).append(path)
        if not marks and self.rng.random() < 0.9:
            by_family.pop("done marks", None)
        if not by_family:
            raise NotApplicable
        return self.rng.choice(by_family[self.rng.choice(sorted(by_family))])

    def name_of(self, path):
        return str(path.relative_to(self.root))

    def bounds(self, path, content):
        """Where records of the file begin, and where the last one ends."""
        return self.layout(path).bounds(content)


def names():
    """Names of all kinds, in a fixed order."""
    return sorted(KINDS)
