"""What the campaign damages: small profiles of every kind that npuprof reads, made by npusim and npuprof themselves."""

import ctypes
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import mindspore_input

EVERYTHING = ["--level", "2", "--with-stack", "--mstx", "--l2-cache", "--op-attr", "--sys-io",
              "--sys-interconnection", "--gc"]

JOBS = {
    "training": ["transformer", "--ranks", "2", "--tp", "2", "--layers", "1", "--steps", "1", *EVERYTHING],
    "graph": ["graph-mode", "--graphs", "1", "--kernels", "2", "--steps", "1", *EVERYTHING],
    "newer": ["toy", "--steps", "2", "--chip", "Ascend910_95", "--task-block", *EVERYTHING],
    "level0": ["toy", "--steps", "1", "--level", "0", "--no-memory"],
    "level1": ["toy", "--steps", "1", "--level", "1", "--with-modules"],
    "serving": ["inference", "--steps", "1", "--requests", "2", "--decode", "2"],
    # Samples of this machine: the only input whose bytes are not always the same, beside what the recorder left.
    "host": ["toy", "--steps", "1", "--host-sys", "cpu,mem,disk,network"],
    "graphs": ["toy", "--framework", "tensorflow", "--steps", "2", "--all-reduce"],
    "marks": ["toy", "--steps", "1", "--level", "none", "--mstx", "--no-memory"],
}

ALL_RESULTS = ["parse", "{input}", "--export", "text,db,perfetto", "-o", "{out}", "-j", "1", "--json"]
PARSES = [
    ALL_RESULTS,
    ["parse", "{input}", "--export", "text", "-o", "{out}", "-j", "3"],
    ["parse", "{input}", "--export", "db", "-o", "{out}", "-j", "1"],
]
IN_PLACE = ["parse", "{input}", "--export", "text,db", "-j", "2"]


def export(kind, suffix, *options):
    """The command that writes one file."""
    return ["export", "{input}", "--to", kind, "-o", "{out}/" + suffix, "-j", "1", *options]


TIMELINES = [export("chrome", "chrome.json"), export("chrome", "zero.json.gz", "--from-zero"),
             export("perfetto", "trace.perfetto-trace")]
OPERATORS = [export("key-averages", "averages.json", "--group-by-input-shape"),
             export("key-averages", "stacks_averages.json", "--group-by-stack-n", "4"),
             export("events", "events.json")]
STACKS = [export("stacks", "stacks.log"),
          export("stacks", "npu_stacks.log", "--metric", "self_npu_time_total")]
MEMORY = [export("memory-timeline", "memory.json"), export("memory-timeline", "memory.html"),
          export("memory-timeline", "memory.raw.json.gz")]


@dataclasses.dataclass(frozen=True)
class Input:
    """A folder that is copied for each case, and what is run on it."""
    name: str
    kind: str  # raw, cann, database, text, timeline, recorder
    folder: pathlib.Path
    argument: str  # What npuprof is given, below the folder; "" is the folder itself.
    commands: tuple
    newer: bool = False  # Of a chip with newer layouts.
    lossy: bool = False  # Something is said of it even before it is damaged.


def run(program, *arguments):
    """Runs a program that must succeed."""
    done = subprocess.run([str(program), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{program} {' '.join(map(str, arguments))} ended with status {done.returncode}: "
                           f"{done.stderr.decode(errors='replace')}")


class Maker:
    """Makes inputs below a folder."""

    def __init__(self, programs, folder):
        self.programs = programs
        self.folder = folder
        self.inputs = []

    def add(self, name, kind, argument, commands, newer=False, lossy=False):
        commands = tuple(tuple(command) for command in commands)
        self.inputs.append(Input(name, kind, self.folder / "inputs" / name, argument, commands, newer, lossy))

    def place(self, name):
        path = self.folder / "inputs" / name
        path.mkdir(parents=True)
        return path

    def profiles(self, job):
        """The directories of the ranks of a job."""
        made = self.folder / "jobs" / job
        if not made.exists():
            run(self.programs / "npusim", *JOBS[job], "-o", made)
        manifest = json.loads((made / "manifest.json").read_text(encoding="utf-8"))
        return [made / rank["path"] for rank in manifest["ranks"]]

    def raw(self, job, commands, newer=False):
        profile = self.profiles(job)[0]
        place = self.place(f"raw-{job}")
        shutil.copytree(profile, place / profile.name)
        self.add(place.name, "raw", profile.name, [*PARSES, IN_PLACE, *TIMELINES[:1], *commands], newer)

    def ranks(self, job):
        place = self.place("ranks")
        for profile in self.profiles(job):
            shutil.copytree(profile, place / profile.name)
        self.add(place.name, "raw", "", [ALL_RESULTS, PARSES[1]])

    def mindspore(self, job):
        place = self.place(f"mindspore-{job}")
        directory = "machine_77_20251118150000000_ascend_ms"
        mindspore_input.make(self.profiles(job)[0], place / directory)
        self.add(place.name, "raw", directory, [*PARSES, IN_PLACE, *TIMELINES[:1], *STACKS[1:]])
        made = self.folder / "results" / place.name
        for form in ("text", "db"):
            run(self.programs / "npuprof", "parse", place / directory, "--export", form, "-o", made / form, "-q")
        database = next((made / "db").rglob("ascend_*.db"))
        results = self.place(f"mindspore-database-{job}")
        shutil.copy(database, results)
        self.add(results.name, "database", database.name, [*PARSES, *TIMELINES[:1], *STACKS[1:]])
        results = self.place(f"mindspore-text-{job}")
        shutil.copytree(made / "text" / directory, results / directory)
        shutil.copy(place / directory / "profiler_info_0.json", results / directory)
        self.add(results.name, "text", directory, [*PARSES, *TIMELINES[:1]])

    def cann(self, job, newer=False):
        profile = self.profiles(job)[0]
        (prof,) = [profile] if profile.name.startswith("PROF_") else profile.glob("PROF_*")
        place = self.place(f"cann-{job}")
        shutil.copytree(prof, place / prof.name)
        self.add(place.name, "cann", prof.name, [*PARSES, IN_PLACE, *TIMELINES[:2]], newer)

    def older_names(self, job):
        """The same files with names as collectors had them before."""
        (prof,) = self.profiles(job)[0].glob("PROF_*")
        place = self.place(f"cann-older-{job}")
        shutil.copytree(prof, place / prof.name)
        for path in sorted(place.rglob("device_*/data/*.slice_*")):
            name = re.sub(r"^(.*)\.(\d+)\.slice_", r"\1.45.dev.profiler_default_tag.\2.slice_", path.name)
            path.rename(path.with_name(name))
        self.add(place.name, "cann", prof.name, [*PARSES, *TIMELINES[:1]])

    def job_of_2020(self):
        """Before there were PROF_* directories; npusim makes none of these."""
        place = self.place("job-2020") / "JOB3"
        (place / "data").mkdir(parents=True)
        (place / "host_start.log.1").write_text(
            "[Device0]\nclock_realtime: 1591183963000000000\nclock_monotonic_raw: 263000000000\n", encoding="utf-8")
        tasks = points = b""
        for begin in range(30_000_000_000, 30_000_020_000, 2_000):
            for stream, task, start, end in ((519, 30093, 0, 500), (519, 700, 600, 700), (530, 700, 610, 620)):
                for end_bit, tick in enumerate((start, end)):
                    tasks += struct.pack("<BBHHHQI44x", end_bit, 0, 0x6BD3, 0, task, begin + tick, stream)
            for tag, after in ((10010, 0), (1, 1), (2, 700), (3, 710), (4, 720), (255, 900)):
                points += struct.pack("<QHHQ", tag, 1, 520, begin + after)
        (place / "hwts.log.data.45.dev.profiler_default_tag.1.slice_0").write_bytes(tasks)
        (place / "data" / "training_trace.46.dev.profiler_default_tag.1.slice_0").write_bytes(points)
        self.add(place.parent.name, "cann", "JOB3", [*PARSES, *TIMELINES[:1]])

    def results(self, job):
        """Results of a framework's profile and of CANN's, in both forms, and timelines alone."""
        profile = self.profiles(job)[0]
        made = self.folder / "results" / job
        (prof,) = profile.glob("PROF_*")
        npuprof = self.programs / "npuprof"
        run(npuprof, "parse", profile, "--export", "text", "-o", made / "text", "-q")
        run(npuprof, "parse", profile, "--export", "db", "-o", made / "db", "-q")
        run(npuprof, "parse", prof, "--export", "text", "-o", made / "cann_text", "-q")
        run(npuprof, "parse", prof, "--export", "db", "-o", made / "cann_db", "-q")
        run(npuprof, "export", profile, "--to", "chrome", "-o", made / "chrome.json.gz", "-q")
        others = [*PARSES, *TIMELINES]
        framework = [*others, *OPERATORS]

        database = next((made / "db").rglob("ascend_*.db"))
        place = self.place(f"database-{job}")
        shutil.copy(database, place)
        self.add(place.name, "database", database.name, framework)
        database = next((made / "cann_db").rglob("msprof_*.db"))
        place = self.place(f"cann-database-{job}")
        shutil.copy(database, place / "msprof_20250101000000.db")
        self.add(place.name, "database", "msprof_20250101000000.db", others)

        place = self.place(f"text-{job}")
        shutil.copytree(made / "text" / profile.name, place / profile.name)
        for path in profile.glob("profiler_*.json"):
            shutil.copy(path, place / profile.name)
        self.add(place.name, "text", profile.name, framework)
        place = self.place(f"cann-text-{job}")
        shutil.copytree(next((made / "cann_text").rglob("mindstudio_profiler_output")),
                        place / "mindstudio_profiler_output")
        self.add(place.name, "text", "mindstudio_profiler_output", others)

        place = self.place(f"timeline-{job}")
        shutil.copy(next((made / "text").rglob("trace_view.json")), place)
        self.add(place.name, "timeline", "trace_view.json", framework)
        place = self.place(f"packed-timeline-{job}")
        shutil.copy(made / "chrome.json.gz", place)
        self.add(place.name, "timeline", "chrome.json.gz", [*PARSES, *TIMELINES[1:]])

    def recorded(self, name, end):
        """What the recorder leaves, of a program that ended well or was killed."""
        library = self.programs.parent / "lib" / "libnpuprof.so"
        if not library.exists():
            print(f"{library} is not there: no recorder directories", file=sys.stderr)
            return
        place = self.place(name)
        child = os.fork()
        if child == 0:
            try:
                record(library, place / "recorded_ascend_pt", end)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) not in (0, -signal.SIGKILL):
            raise RuntimeError(f"recording failed with {status}")
        self.add(name, "recorder", "recorded_ascend_pt", [*PARSES, IN_PLACE, *TIMELINES, *OPERATORS],
                 lossy=end == "killed")


def record(library, directory, end):
    """A program that records some of each kind of event with the C interface; never returns."""
    npuprof = ctypes.CDLL(str(library))
    npuprof.npuprof_session_open_directory.restype = ctypes.c_void_p
    npuprof.npuprof_range_begin.restype = ctypes.c_uint64
    session = ctypes.c_void_p(npuprof.npuprof_session_open_directory(str(directory).encode(), None))
    npuprof.npuprof_session_start(session)
    npuprof.npuprof_session_metadata(session, b"model", b"small")
    for step in range(3):
        npuprof.npuprof_range_push(b"ProfilerStep#%d" % step)
        for name in (b"load", b"forward", b"backward"):
            npuprof.npuprof_range_push(name)
            npuprof.npuprof_mark(b"reached " + name)
            npuprof.npuprof_counter(npuprof.npuprof_name_id(b"loss"), ctypes.c_double(0.5 * step))
            npuprof.npuprof_range_pop()
        npuprof.npuprof_memory(ctypes.c_void_p(4096), ctypes.c_int64(512), ctypes.c_int64(512), ctypes.c_int64(1024))
        npuprof.npuprof_memory(ctypes.c_void_p(4096), ctypes.c_int64(-512), ctypes.c_int64(0), ctypes.c_int64(1024))
        npuprof.npuprof_range_push_a(0, b"marked")
        npuprof.npuprof_mark_a(0, b"inside")
        npuprof.npuprof_range_pop_a(0)
        npuprof.npuprof_range_pop()
    if end == "killed":
        time.sleep(0.5)  # All is written within a fifth of that.
        os.kill(os.getpid(), signal.SIGKILL)
    npuprof.npuprof_session_stop(session, None)
    npuprof.npuprof_session_finalize(session, None)
    os._exit(0)


def make_inputs(programs, folder):
    """All inputs, by name; takes a second or two."""
    maker = Maker(programs, folder)
    maker.raw("training", [*TIMELINES[1:], *OPERATORS, *STACKS, *MEMORY])
    maker.raw("graph", OPERATORS[:1])
    maker.raw("newer", OPERATORS[1:2], newer=True)
    maker.raw("level0", OPERATORS[2:])
    maker.raw("level1", [*STACKS[:1], *MEMORY[:1]])
    maker.raw("serving", OPERATORS[:1])
    maker.raw("host", [])
    maker.raw("marks", [])
    maker.mindspore("level1")
    maker.ranks("training")
    maker.cann("training")
    maker.cann("graph")
    maker.cann("graphs")
    maker.cann("newer", newer=True)
    maker.older_names("level1")
    maker.job_of_2020()
    maker.results("graph")
    maker.results("training")
    maker.recorded("recorder-ended", "ended")
    maker.recorded("recorder-killed", "killed")
    return {each.name: each for each in maker.inputs}
