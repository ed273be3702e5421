"""Rows that may be missing without a word.

Each entry names what is allowed as narrowly as possible and says why nobody could have told. The shorter this list,
the better.
"""

import dataclasses
import re

SINGLE_VALUES = "flip-bit|set-field|set-head"
MANY_VALUES = "flip-bits|set-column"
RAW_RECORDS = r"/(data|FRAMEWORK)/"
OPTIONAL_TABLES = ("AICORE_FREQ|LLC|HBM|NPU_MEM|NPU_MODULE_MEM|HCCS|PCIE|NIC|ROCE|ACC_PMU|SOC_BANDWIDTH_LEVEL|GC_RECORD|"
                   "MSTX_EVENTS|OP_MEMORY|MEMORY_RECORD|TASK_PMU_INFO|OVERLAP_ANALYSIS|MEMCPY_INFO|META_DATA|COMMUNICATION_TASK_INFO")


@dataclasses.dataclass(frozen=True)
class Allowed:
    """Differences that are no silent loss. All but the last are patterns."""
    reason: str
    kinds: str  # Of the kind of damage,
    what: str  # of what was done, which begins with the file,
    inputs: str = ""  # of the kind of input,
    tables: str = ""  # and of the table that has fewer rows.
    most_rows: int = 1 << 60  # That may be missing of a table.


ALLOWED = [
    Allowed("A dictionary: it lists the texts that rows use, each once. A row that is lost shows in its own table.",
            ".*", "", tables=r"\.db STRING_IDS$"),
    Allowed("Records have no check sums: one with another, possible number is as good as any, and does not meet what it "
            "was to be joined with. That is a kernel at most, which has 28 counters, and arrows of one call.",
            SINGLE_VALUES, RAW_RECORDS, most_rows=60),
    Allowed("The same for bytes of a mark or two.", "overwrite-random|overwrite-same", r"torch\.op_mark", most_rows=8),
    Allowed("The same for many records.", MANY_VALUES, RAW_RECORDS),
    Allowed("Samples have no mark, so that any bytes are one; and rates are differences of samples that follow each other.",
            "random-record|shuffle-records|swap-records", r"/(pcie|hbm|llc|ddr|hccs|nic|roce|qos|dvpp|npu_mem)\.data"),
    Allowed("The same for the record in which the zeros begin.", "zero-tail", RAW_RECORDS, most_rows=2),
    Allowed("Files of the framework, of killed processes and of 2020 have no mark that tells their size: whole records that "
            "are gone leave no trace.",
            "cut-at-record|drop-record|cut-begin", r"FRAMEWORK/(torch|mindspore)\.|^recorded_ascend_pt/|^JOB3/"),
    Allowed("The same if the whole file is gone: jobs of 2020 may have been run without a step, and a process that was "
            "killed may have made no marks.",
            "remove-file|remove-several|empty-directory|remove-directory|directory-loop|directory-as-file",
            r"JOB3/|^(gone: )?recorded_ascend_pt/.*additional\.msproftx\.slice_0"),
    Allowed("Points of steps are told apart by their order.", "shuffle-records|swap-records", r"/training_trace\."),
    Allowed("Of these files nothing tells that they should be there: garbage may not have been collected, the queue may "
            "have been off, there may have been no optimizer, and no notes.",
            "remove-file|remove-several", r"FRAMEWORK/torch\.(gc_record|op_mark|param_tensor_info)|profiler_metadata\.json"),
    Allowed("Nor of where a profile came from.", "json-drop|json-value", r"host/info\.json: simulated", tables="META_DATA$"),
    Allowed("Nor of inputs of launches: a program may have launched none that tells them.",
            "remove-file|remove-several", r"FRAMEWORK/mindspore\.record_shapes"),
    Allowed("Lines of text have no mark that tells their number.", "cut-at-record|drop-record|cut-begin",
            r"FRAMEWORK/(dataset_iterator|device_queue)_profiling_", tables="MINDDATA_BATCH$"),
    Allowed("Steps, flows and operations of data pipelines are known by the names of their ranges.", "hostile-operators",
            r"FRAMEWORK/mindspore\.op_range: texts are",
            tables=r"STEP_TIME$|CONNECTION_IDS$|dataset\.csv|step_trace_time\.csv| arrows [sf]$"),
    Allowed("Operators that run inside of others have no queue, and a queue does not tell how often it was looked at.", "json-drop",
            r"pipeline_profiling_0\.json: .*output_queue(\.size\.\d+)? is gone$", tables="MINDDATA_QUEUE$|minddata_pipeline"),
    Allowed("At level 0 there is no such table, and this is that level.", "json-value", r"sample\.json: profLevel is 0$",
            tables="op_statistic"),
    Allowed("Records that come twice are two of the same identity: what was to be joined with one of them is not.",
            "extend-itself|repeat-record|slice-again", RAW_RECORDS),
    Allowed("A table does not tell how many rows it has, nor a folder of results which tables.",
            "cut-at-record|drop-record|csv-head|remove-file|remove-several|clocks-gone", "", inputs="text"),
    Allowed("These two have the same columns.", "swap-files", r"memory_record.*npu_module_mem|npu_module_mem.*memory_record",
            inputs="text", tables="NPU_MODULE_MEM$|npu_module_mem"),
    Allowed("The same for a line that is empty.", "csv-cut-line", "ends after 0 bytes$", inputs="text"),
    Allowed("Which metrics a table has depends on what was collected.",
            "csv-drop-column|csv-rename-column", "", inputs="text", tables=r"\.db TASK_PMU_INFO$"),
    Allowed("They are known by their place: all columns from the first metric on are metrics.",
            "csv-reorder-columns", "kernel_details|op_summary", inputs="text", tables=r"\.db TASK_PMU_INFO$"),
    Allowed("Databases have tables of this kind only if that was collected and the release knew them, and nothing else "
            "tells of it.",
            "drop-table|rename-table", f"(without ({OPTIONAL_TABLES})|({OPTIONAL_TABLES}) is OTHER_\\w+)$"),
    Allowed("The same for notes about a run.", "delete-rows", "rows of META_DATA are gone"),
    Allowed("A task that no other table names is not missed.",
            "delete-rows", "rows of TASK are gone"),
    Allowed("Bytes of a page may be another number: which kernel the metrics are of.",
            "page-damage", "", tables="TASK_PMU_INFO$", most_rows=60),
    Allowed("Numbers of events are hexadecimal, and this is one.", "json-value", r'profiling_events is "1e3"'),
    Allowed("Which arguments an event has depends on the release that wrote it, and on what was recorded.",
            "event-drop-key|event-value", r"events have no args|args of \d+ events is (\{\}|\[\]|null)"),
    Allowed("Another number is as good as any; events are told apart and joined by them.",
            "event-args", r"argument .* is -?\d{1,10}(\.\d+|e\d+)?$"),
    Allowed("Null is no value, as if there were none.", "event-args", "argument .* is null$"),
    Allowed("Any text may be a stack of calls.", "event-args", "argument Call stack is ", tables="PYTORCH_CALLCHAINS$"),
    Allowed("A frame that is gone makes a stack shorter, as it might have been.",
            "delete-rows", "rows of PYTORCH_CALLCHAINS are gone", tables=r"PYTORCH_CALLCHAINS$"),
    Allowed("A cell without a value is one of which nothing is known.", "set-cells", " is 'None' where"),
    Allowed("Another number in a cell is as good as any; rows are told apart and joined by it.",
            "set-cells", r" is '-?\d+(\.\d+)?' where"),
    Allowed("Marks of the queue are paired, and counters told apart, by their names.", "hostile-operators",
            r"FRAMEWORK/torch\.op_(mark|range): texts are"),
    Allowed("Of a job any ranks may have been copied.", "remove-directory|directory-as-file|empty-directory",
            r"^[^/]*_ascend_pt is "),
    Allowed("Points of steps have nothing by which they could be told from others.", "random-record|overwrite-same|overwrite-random|all-random",
            r"/training_trace\."),
    Allowed("Notes about a run may have any keys, and of older versions few settings.", "json-drop|json-value|json-not-json",
            r"profiler_(metadata|info_0)\.json"),
    Allowed("Only these tables have kernels, operators: a database of a run without them has none.", "drop-table|rename-table",
            "COMPUTE_TASK_INFO|PYTORCH_API"),
    Allowed("A category or name of its own makes an event another.", "event-value", r'(cat|name) of \d+ events is "'),
    Allowed("In a timeline the lane tells what an event is: on another lane it is another thing, or none that a table is for.",
            "event-value", r": [pt]id of \d+ events is"),
]


def may_be_far(trial, kind, what):
    """Whether rows may be days from others.

    A column of times that is another is one of its own; and calls that loaded a graph may be weeks older than its runs.
    Memory named as operators has times of nobody, and so few are right that CANN's clock does not tell which.
    """
    if kind.name == "clocks-gone" and "mindspore" in trial.input.name:
        return True  # CANN then counts from the start of the machine, and the pool has the time of the day.
    if kind.name == "swap-files":
        one, other = r"torch\.op_range", r"torch\.memory_usage"
        return bool(re.search(rf"{one} and \S*{other}|{other} and \S*{one}", what))
    changes_times = re.fullmatch(f"{SINGLE_VALUES}|{MANY_VALUES}", kind.name)
    return kind.name == "set-column" or bool(changes_times and "graph" in trial.input.name)


def has_no_mark(what):
    """Whether any bytes are records of the file that was damaged: counters of caches are all numbers."""
    return "/l2_cache." in what


def is_allowed(trial, kind, what, table, before, now):
    """Whether a table may have fewer rows after this damage."""
    return any(re.fullmatch(each.kinds, kind.name) and re.search(each.what, what) and
               re.search(each.inputs, trial.input.kind) and re.search(each.tables, table) and
               before - now <= each.most_rows for each in ALLOWED)
