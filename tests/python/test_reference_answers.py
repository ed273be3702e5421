"""Answers of `npuprof analyze` beside those of msprof-analyze, on the same databases."""

import os
import sqlite3

import pytest
from outputs import npuprof, npusim, parse
from peer_tools import install, run


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


def _rows(folder, table):
    database = folder / "cluster_analysis_output" / "cluster_analysis.db"
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        cursor = connection.execute(f"SELECT * FROM {table}")
        return [column[0] for column in cursor.description], cursor.fetchall()


def _mended(row):
    """Sums of times are exact in ours, and rounded by floating point in theirs."""
    return tuple(round(cell, 3) if isinstance(cell, float) else cell for cell in row)


def test_module_statistic_is_equal_cell_by_cell(reference, job, tmp_path):
    reference("-m", "module_statistic", "-d", job, "-o", tmp_path / "theirs")
    assert npuprof("analyze", "-m", "module_statistic", "-d", job, "-o", tmp_path / "ours",
                   "--export_type", "db").returncode == 0
    columns, expected = _rows(tmp_path / "theirs", "ModuleStatistic")
    own_columns, own = _rows(tmp_path / "ours", "ModuleStatistic")
    # Theirs has a column less if no kernel has a value in it.
    chosen = [own_columns.index(column) for column in columns]
    assert expected, "the reference found no modules"
    assert [_mended(row[i] for i in chosen) for row in own] == [_mended(row) for row in expected]
