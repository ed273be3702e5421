"""The vendor's own analysis, msprof-analyze, reads what `npuprof parse` writes."""

import csv
import json
import os
import sqlite3

import pytest
from outputs import npusim, parse
from peer_tools import install, run

STEPS = 2
# Of four ranks with tensor and data parallel groups of two.
GROUPS = {"(0,1)", "(2,3)", "(0,2)", "(1,3)"}


@pytest.fixture(scope="module", name="analyze")
def _analyze():
    """Runs msprof-analyze with the given arguments; it must not complain of an error."""
    program = os.path.join(install("msprof-analyze==26.2.0"), "bin", "msprof-analyze")

    def analyze(*arguments):
        done = run(program, *arguments)
        errors = [line for line in done.stdout.splitlines() if "[ERROR]" in line]
        assert done.returncode == 0 and not errors, done.stdout

    return analyze


@pytest.fixture(scope="module", name="jobs")
def _jobs(tmp_path_factory):
    """Directories of the four profiles of a job with their results, as text and as databases."""
    jobs = {}
    for form in ("text", "db"):
        jobs[form] = tmp_path_factory.mktemp("job") / form
        npusim("transformer", "--ranks", 4, "--tp", 2, "--layers", 2, "--steps", STEPS,
               "--with-stack", "--mstx", "-o", jobs[form])
        assert parse(jobs[form], form) == 0
    return jobs


def _results(job):
    return sorted(job.glob("*_ascend_pt/ASCEND_PROFILER_OUTPUT"))


def _rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _query(database, statement):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute(statement).fetchall()


def test_clusters_of_text_results(analyze, jobs, tmp_path):
    analyze("cluster", "-d", jobs["text"], "-m", "all", "-o", tmp_path)
    output = tmp_path / "cluster_analysis_output"

    steps = _rows(output / "cluster_step_trace_time.csv")
    assert len(steps) == 4 * STEPS
    own = {rank: _rows(path / "step_trace_time.csv")
           for rank, path in enumerate(_results(jobs["text"]))}
    for row in steps:
        (expected,) = [step for step in own[int(row["Index"])] if step["Step"] == row["Step"]]
        for column in ("Computing", "Overlapped", "Communication", "Free", "Stage", "Preparing"):
            assert float(row[column]) == float(expected[column]), (row, column)

    with open(output / "cluster_communication_matrix.json", encoding="utf-8") as file:
        matrix = json.load(file)
    assert {group.replace(" ", "") for group in matrix} == GROUPS
    for group, by_step in matrix.items():
        first, second = json.loads(group.replace("(", "[").replace(")", "]"))
        for ops in by_step.values():
            links = {link for by_link in ops.values() for link in by_link}
            assert {f"{first}-{second}", f"{second}-{first}"} <= links, group


def test_clusters_of_databases(analyze, jobs, tmp_path):
    analyze("cluster", "-d", jobs["db"], "-m", "all", "-o", tmp_path)
    database = tmp_path / "cluster_analysis_output" / "cluster_analysis.db"
    assert _query(database, "select count(*) from ClusterStepTraceTime") == [(4 * STEPS,)]
    assert {row[0] for row in _query(
        database, "select rank_set from CommunicationGroupMapping")} == GROUPS
    links = set(_query(database, "select src_rank, dst_rank from ClusterCommunicationMatrix"))
    assert {(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (2, 0), (1, 3), (3, 1)} <= links


@pytest.mark.parametrize("mode, table, statement, ours", [
    ("compute_op_sum", "ComputeOpAllRankStats", "select sum(Count), sum(SumNs) from {}",
     "select count(*), sum(t.endNs - t.startNs) from COMPUTE_TASK_INFO c "
     "join TASK t on t.globalTaskId = c.globalTaskId"),
    ("hccl_sum", "HcclAllRankStats", "select sum(Count), sum(SumNs) from {}",
     "select count(*), sum(endNs - startNs) from COMMUNICATION_OP"),
    ("cann_api_sum", "CannApiSum", "select sum(totalCount), sum(totalTimeNs) from {}",
     "select count(*), sum(endNs - startNs) from CANN_API"),
])
def test_sums_of_databases(analyze, jobs, tmp_path, mode, table, statement, ours):
    analyze("cluster", "-d", jobs["db"], "-m", mode, "-o", tmp_path)
    database = tmp_path / "cluster_analysis_output" / "cluster_analysis.db"
    (theirs,) = _query(database, statement.format(table))
    expected = [_query(next(path.glob("ascend_pytorch_profiler_*.db")), ours)[0]
                for path in _results(jobs["db"])]
    assert theirs == tuple(map(sum, zip(*expected)))


def test_modules_of_databases(analyze, jobs, tmp_path):
    analyze("cluster", "-d", jobs["db"], "-m", "module_statistic", "-o", tmp_path)
    database = tmp_path / "cluster_analysis_output" / "cluster_analysis.db"
    modules = {row[0] for row in _query(database, "select distinct module from ModuleStatistic")}
    assert {"TransformerLayer", "FlashSelfAttention"} <= modules


def test_comparison_of_two_ranks(analyze, jobs, tmp_path):
    first, second = _results(jobs["text"])[:2]
    analyze("compare", "-d", first.parent, "-bp", second.parent, "-o", tmp_path)
    assert list(tmp_path.glob("performance_comparison_result_*.xlsx"))


def test_advice(analyze, jobs, tmp_path):
    analyze("advisor", "all", "-d", _results(jobs["text"])[0].parent, "-o", tmp_path)
    assert list(tmp_path.glob("mstt_advisor_*.html"))
