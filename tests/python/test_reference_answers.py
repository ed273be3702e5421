"""Answers of `npuprof analyze` beside those of msprof-analyze: the program itself on the same databases, and what
it made of generated ones before (reference data)."""

import os
import pathlib
import sqlite3
import subprocess
import sys

import pytest
from conftest import ROOT
from outputs import npuprof, npusim, parse
from peer_tools import install, run
from workbooks import Workbook

_SHARED = pathlib.Path(os.environ.get("NPUPROF_SHARED") or os.path.join(ROOT, "..", "shared"))
_PEER = _SHARED / "data" / "peer" / "module_db"
_GENERATOR = _SHARED / "tools" / "gen_module_db.py"


@pytest.fixture(scope="module", name="reference")
def _reference():
    """Runs msprof-analyze with the given arguments."""
    program = os.path.join(install("msprof-analyze==26.2.0"), "bin", "msprof-analyze")

    def reference(*arguments):
        done = run(program, *arguments)
        assert done.returncode == 0, done.stdout

    return reference


@pytest.fixture(scope="module", name="job")
def _job(tmp_path_factory):
    """Databases of two ranks with ranges of modules."""
    job = tmp_path_factory.mktemp("job")
    npusim("transformer", "--ranks", 2, "--tp", 2, "--layers", 2, "--steps", 2, "--mstx", "-o", job)
    assert parse(job, "db") == 0
    return job


def _generated(folder, *options):
    if not _GENERATOR.exists() or not _PEER.exists():
        pytest.skip("no reference data")
    subprocess.run([sys.executable, str(_GENERATOR), "--out", str(folder), *options], check=True,
                   stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module", name="training")
def _training(tmp_path_factory):
    """The databases that `syn_k2` and `old_syn_k2` of the reference data were made of."""
    return _generated(tmp_path_factory.mktemp("training") / "job", "--kernels", "2000", "--layers", "4")


@pytest.fixture(scope="module", name="edges")
def _edges(tmp_path_factory):
    """That of `syn_edge`: cases at the edge of the rules."""
    return _generated(tmp_path_factory.mktemp("edges") / "job", "--edge")


def _ours(mode, profile, folder, kind, *options):
    done = npuprof("analyze", "-m", mode, "-d", profile, "-o", folder, "--export_type", kind, *options)
    # Generated databases lack tables that profiles have, which is said with status 1.
    assert done.returncode in (0, 1), done.stderr
    return folder


def _rows(folder, table):
    database = folder / "cluster_analysis_output" / "cluster_analysis.db"
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        cursor = connection.execute(f"SELECT * FROM {table}")
        return [column[0] for column in cursor.description], cursor.fetchall()


def _mended(row):
    """Sums of times are exact in ours, and rounded by floating point in theirs."""
    return tuple(round(cell, 3) if isinstance(cell, float) else cell for cell in row)


def _assert_same_tables(ours, theirs, table):
    columns, expected = _rows(theirs, table)
    own_columns, own = _rows(ours, table)
    assert expected, "the reference found nothing"
    assert own_columns == columns
    assert [_mended(row) for row in own] == [_mended(row) for row in expected]


def _assert_same_workbooks(ours, theirs, file, same_sizes=True):
    own = Workbook(ours / "cluster_analysis_output" / file)
    expected = Workbook(theirs / "cluster_analysis_output" / file)
    assert expected.cells, "the reference found nothing"
    assert own.name == expected.name
    assert {place: pytest.approx(cell) for place, cell in expected.cells.items()} == own.cells
    assert own.merged == expected.merged
    assert own.looks == expected.looks
    if same_sizes:
        assert own.widths == expected.widths
        assert own.heights == expected.heights


def test_module_statistic_is_equal_cell_by_cell(reference, job, tmp_path):
    reference("-m", "module_statistic", "-d", job, "-o", tmp_path / "theirs")
    _ours("module_statistic", job, tmp_path / "ours", "db")
    _assert_same_tables(tmp_path / "ours", tmp_path / "theirs", "ModuleStatistic")


def test_workbooks_of_modules_are_equal_in_cells_and_looks(reference, job, tmp_path):
    reference("-m", "module_statistic", "-d", job, "-o", tmp_path / "theirs", "--export_type", "text")
    _ours("module_statistic", job, tmp_path / "ours", "text")
    for rank in 0, 1:
        _assert_same_workbooks(tmp_path / "ours", tmp_path / "theirs",
                               f"ModuleStatistic/module_statistic_{rank}.xlsx")


def test_operator_mfu_of_ranges_is_equal_cell_by_cell(reference, training, tmp_path):
    reference("-m", "operator_mfu", "-d", training, "-o", tmp_path / "theirs")
    _ours("operator_mfu", training, tmp_path / "ours", "db")
    for table in "OperatorMFU", "ModuleMFU":
        _assert_same_tables(tmp_path / "ours", tmp_path / "theirs", table)


def test_workbooks_of_operator_mfu_are_equal_in_cells_and_looks(reference, training, tmp_path):
    reference("-m", "operator_mfu", "-d", training, "-o", tmp_path / "theirs", "--export_type", "text")
    _ours("operator_mfu", training, tmp_path / "ours", "text")
    # Widths of theirs are meant for the column to the right.
    for part in "kernel", "module":
        _assert_same_workbooks(tmp_path / "ours", tmp_path / "theirs", f"OperatorMfu/operator_mfu_{part}_0.xlsx",
                               same_sizes=False)


def test_reference_tables_are_met(training, edges, tmp_path):
    _ours("module_statistic", training, tmp_path / "k2", "db")
    _assert_same_tables(tmp_path / "k2", _PEER / "syn_k2_module_statistic_db", "ModuleStatistic")
    _ours("module_statistic", edges, tmp_path / "edge", "db")
    _assert_same_tables(tmp_path / "edge", _PEER / "syn_edge_module_statistic_db", "ModuleStatistic")
    _ours("module_statistic", training, tmp_path / "old", "db", "--avg-mfu", "on")
    _assert_same_tables(tmp_path / "old", _PEER / "old_syn_k2_module_statistic_db", "ModuleStatistic")
    _ours("operator_mfu", training, tmp_path / "mfu", "db")
    for table in "OperatorMFU", "ModuleMFU":
        _assert_same_tables(tmp_path / "mfu", _PEER / "syn_k2_operator_mfu_db", table)


def test_reference_workbooks_are_met(training, edges, tmp_path):
    file = "ModuleStatistic/module_statistic_0.xlsx"
    _ours("module_statistic", training, tmp_path / "k2", "text")
    _assert_same_workbooks(tmp_path / "k2", _PEER / "syn_k2_module_statistic_text", file)
    _ours("module_statistic", edges, tmp_path / "edge", "text")
    _assert_same_workbooks(tmp_path / "edge", _PEER / "syn_edge_module_statistic_text", file)
    _ours("module_statistic", training, tmp_path / "old", "text", "--avg-mfu", "on")
    _assert_same_workbooks(tmp_path / "old", _PEER / "old_syn_k2_module_statistic_text", file)
