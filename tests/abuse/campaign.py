"""Cases: which damage is done to which input, and what comes of it."""

import collections
import dataclasses
import functools
import os
import pathlib
import random
import shlex
import shutil
import time

import checks
import damage_bytes  # noqa: F401  These fill the list of kinds.
import damage_control  # noqa: F401
import damage_databases  # noqa: F401
import damage_files  # noqa: F401
import damage_surroundings  # noqa: F401
import damage_text  # noqa: F401
import kinds
import program
import results


@dataclasses.dataclass
class Case:
    """What became of one case."""
    number: int
    kind: str
    input: str = ""
    what: str = ""
    commands: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)
    status: int = -1
    seconds: float = 0
    skipped: bool = False
    stderr: str = ""


class Campaign:
    """A seed, inputs, and a folder to work in."""

    def __init__(self, programs, folder, inputs, seed, only_kinds=(), only_inputs=(), timeout_s=program.TIMEOUT_S):
        self.npuprof = programs / "npuprof"
        self.folder = pathlib.Path(folder)
        self.inputs = {name: each for name, each in inputs.items() if not only_inputs or name in only_inputs}
        self.seed = seed
        self.timeout_s = timeout_s
        self.kinds = [name for name in kinds.names() if not only_kinds or name in only_kinds]
        random.Random(f"{seed}").shuffle(self.kinds)

    def kind_of(self, number):
        """All kinds in turn, so that few cases already try all of them."""
        return kinds.KINDS[self.kinds[number % len(self.kinds)]]

    def run(self, number, keep=None):
        """Case `number`; it depends on nothing but that, the seed and the inputs. `keep`: a folder for what it made."""
        start = time.monotonic()
        rng = random.Random(f"{self.seed}/{number}")
        kind = self.kind_of(number)
        case = Case(number, kind.name)
        names = sorted(self.inputs)
        rng.shuffle(names)
        folder = pathlib.Path(keep) if keep else self.folder / "cases" / str(number)
        for name in names:
            try:
                trial = self.prepare(folder, self.inputs[name], rng)
                case.what = kind.apply(trial)
            except kinds.NotApplicable:
                remove(folder)
                continue
            case.input = name
            self.judge(kind, trial, case)
            if not keep:
                remove(folder)
            case.seconds = round(time.monotonic() - start, 3)
            return case
        case.skipped = True
        return case

    def prepare(self, folder, chosen, rng):
        """A copy of an input with a command."""
        remove(folder)
        for name in ("out", "tmp", "cwd"):
            (folder / name).mkdir(parents=True)
        shutil.copytree(chosen.folder, folder / "in")
        arguments = list(rng.choice(chosen.commands) if rng.random() < 0.6 else chosen.commands[0])
        return kinds.Trial(chosen, rng, folder, kinds.Run(arguments))

    @functools.lru_cache(maxsize=None)
    def whole(self, name, arguments):
        """What comes of an undamaged input."""
        folder = self.folder / "whole" / f"{os.getpid()}"
        trial = self.prepare(folder, self.inputs[name], random.Random(0))
        trial.run.arguments = list(arguments)
        outcome = program.run_program(self.npuprof, trial, arguments)
        found = results.read_results(trial.case, output_folders(trial))
        found.told = checks.told(trial, outcome.stderr)
        if outcome.status != (1 if self.inputs[name].lossy else 0) or found.problems:
            raise RuntimeError(f"{name}, undamaged: {shlex.join(arguments)} ended with status {outcome.status}: "
                               f"{outcome.stderr.decode(errors='replace')} {found.problems}")
        remove(folder)
        return found

    def judge(self, kind, trial, case):
        """Runs the command and checks what comes of it."""
        run = trial.run
        original = tuple(self.command_of(trial))
        if run.before:
            arguments, meanwhile = run.before
            limits, run.limits = run.limits, {}
            program.run_program(self.npuprof, trial, arguments, meanwhile)
            run.limits = limits
            case.commands.append(shlex.join(program.command_line(self.npuprof, trial, arguments)))
        outputs = output_folders(trial)
        if run.inside:
            outputs.append(run.inside)
        kept = checks.snapshot(trial.out) if run.keeps_results else None
        planted = {str(path): checks.entry(path) for path in trial.planted}
        before = checks.snapshot(trial.case, outputs)
        case.commands.append(shlex.join(program.command_line(self.npuprof, trial, run.arguments)))
        outcome = program.run_program(self.npuprof, trial, run.arguments, run.meanwhile, self.timeout_s)
        if outcome.impossible:
            case.skipped = True
            return
        case.status = outcome.status
        case.stderr = outcome.stderr.decode("utf-8", "backslashreplace")[:2000]
        failures = list(checks.check_end(kind, outcome))
        failures += checks.check_leftovers(trial)
        if not kind.moves:
            failures += checks.check_places(trial, before, checks.snapshot(trial.case, [*outputs, *output_folders(trial)]))
        failures += checks.check_planted(trial, planted)
        if kept is not None and outcome.status == 3 and checks.snapshot(trial.out) != kept:
            failures.append("user's file: results of before are not kept")
        failures += self.check_results(kind, trial, outcome, original, case.what)
        case.failures = failures

    def check_results(self, kind, trial, outcome, original, what):
        if outcome.status not in (0, 1):
            return
        yield from checks.check_summary(trial, outcome)
        found = results.read_results(trial.case, output_folders(trial), set(trial.planted))
        if found.problems:
            yield f"output not well-formed: {checks.some(found.problems)}"
        whole = self.whole(trial.input.name, original)
        yield from checks.check_times(trial, kind, what, outcome, found, whole)
        if not kind.output_fails and not kind.wild_arguments:
            yield from checks.check_rows(trial, kind, what, outcome, found, whole)

    def command_of(self, trial):
        """The command of the input that the arguments of a trial were made of."""
        first = trial.run.arguments[0]
        best = [command for command in trial.input.commands if command[0] == first]
        return max(best, key=lambda command: len(set(command) & set(trial.run.arguments)))


def output_folders(trial):
    """Where results go: out/, or beside the raw data."""
    if "-o" in trial.run.arguments:
        return [trial.out]
    if trial.input.kind != "cann":
        return [trial.argument / "ASCEND_PROFILER_OUTPUT"]
    places = [trial.argument / "mindstudio_profiler_output", trial.argument / "analyze"]
    if trial.argument.is_dir():
        places += trial.argument.glob("msprof_*.db")
    return places


def remove(folder):
    """Removes a folder, even what may not be read in it."""
    if not os.path.lexists(folder):
        return
    for directory, _, __ in os.walk(folder):
        os.chmod(directory, 0o700)
    shutil.rmtree(folder)


def groups():
    """Kinds by group."""
    by_group = collections.defaultdict(list)
    for name in kinds.names():
        by_group[kinds.KINDS[name].group].append(kinds.KINDS[name])
    return dict(by_group)
