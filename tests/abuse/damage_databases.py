"""Damage to databases, with SQL and without."""

import sqlite3
import struct

from kinds import NotApplicable, kind
from values import BAD_TEXT, HOSTILE


def on_database(name, text, **flags):
    """A kind that changes a database with SQL; the function gets the connection and its tables."""
    def register(function):
        @kind("databases", name, text, **flags)
        def apply(trial):
            path = trial.pick("database")
            with sqlite3.connect(path, isolation_level=None) as database:
                database.text_factory = bytes
                tables = [row[0].decode() for row in database.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
                what = function(trial, database, tables)
            database.close()
            return f"{trial.name_of(path)}: {what}"
        return apply
    return register


def a_table(trial, database, tables):
    """A table that has rows, with its columns."""
    filled = [table for table in tables if database.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()]
    table = trial.rng.choice(filled)
    columns = [row[1].decode() for row in database.execute(f'PRAGMA table_info("{table}")')]
    return table, columns


@on_database("drop-table", "a table is gone")
def drop_table(trial, database, tables):
    table = trial.rng.choice(tables)
    database.execute(f'DROP TABLE "{table}"')
    return f"without {table}"


@on_database("rename-table", "a table has another name")
def rename_table(trial, database, tables):
    table = trial.rng.choice(tables)
    database.execute(f'ALTER TABLE "{table}" RENAME TO "OTHER_{table}"')
    return f"{table} is OTHER_{table}"


@on_database("rename-column", "a column has another name")
def rename_column(trial, database, tables):
    table, columns = a_table(trial, database, tables)
    column = trial.rng.choice(columns)
    database.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "other"')
    return f"{column} of {table} is called other"


@on_database("drop-column", "a column is gone")
def drop_column(trial, database, tables):
    table, columns = a_table(trial, database, tables)
    column = trial.rng.choice(columns)
    rest = ", ".join(f'"{each}"' for each in columns if each != column)
    if not rest:
        raise NotApplicable
    database.execute(f'CREATE TABLE kept AS SELECT {rest} FROM "{table}"')
    database.execute(f'DROP TABLE "{table}"')
    database.execute(f'ALTER TABLE kept RENAME TO "{table}"')
    return f"{table} without {column}"


@on_database("table-as-view", "a view has the place of a table")
def table_as_view(trial, database, tables):
    table = trial.rng.choice(tables)
    endless = trial.rng.random() < 0.3
    database.execute(f'ALTER TABLE "{table}" RENAME TO kept')
    if endless:
        columns = ", ".join(f'n AS "{row[1].decode()}"' for row in database.execute("PRAGMA table_info(kept)"))
        database.execute(f'CREATE VIEW "{table}" AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) '
                         f"SELECT {columns} FROM c")
    else:
        database.execute(f'CREATE VIEW "{table}" AS SELECT * FROM kept')
    return f"{table} is a view{' without end' if endless else ''}"


# Rows of other tables refer to these, or cannot be understood without them.
REFERRED_TO = ("STRING_IDS", "CONNECTION_IDS", "NPU_INFO", "TASK", "ENUM_API_TYPE", "META_DATA", "SESSION_TIME_INFO",
               "PYTORCH_CALLCHAINS", "ENUM_MODULE", "RANK_DEVICE_MAP")


@on_database("delete-rows", "a table has lost rows that others refer to")
def delete_rows(trial, database, tables):
    table, _ = a_table(trial, database, [each for each in tables if each in REFERRED_TO])
    which = trial.rng.choice(["1", f"rowid % {trial.rng.randint(2, 9)} = 0"])
    gone = database.execute(f'DELETE FROM "{table}" WHERE {which}').rowcount
    if not gone:
        raise NotApplicable
    return f"{gone} rows of {table} are gone"


@on_database("set-cells", "cells are NULL, of another type, extreme, or hostile")
def set_cells(trial, database, tables):
    table, columns = a_table(trial, database, tables)
    column = trial.rng.choice(columns)
    value = trial.rng.choice([None, -1, 0, 2**63 - 1, -2**63, 2**31, 1.5, 1e308, float("inf"), "abc", "", "12abc", b"\x00\xff",
                              b"", trial.rng.choice(HOSTILE)])
    where = trial.rng.choice(["1", f"rowid % {trial.rng.randint(2, 5)} = 0", "rowid = 1"])
    try:
        database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {where}',
                         (value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
                          if isinstance(value, str) else value,))
    except sqlite3.DatabaseError as failure:
        raise NotApplicable from failure
    return f"{column} of {table} is {str(value)[:40]!r} where {where}"


@on_database("bad-text-cells", "texts of a database are no UTF-8")
def bad_text_cells(trial, database, tables):
    bad = trial.rng.choice(BAD_TEXT)
    if "STRING_IDS" not in tables:
        raise NotApplicable
    database.execute(f"UPDATE STRING_IDS SET value = CAST(x'{bad.hex()}' AS TEXT) WHERE rowid % 3 = 0")
    return f"a third of the names is {bad!r}"


@on_database("unknown-strings", "ids of texts are unknown")
def unknown_strings(trial, database, tables):
    if "STRING_IDS" not in tables:
        raise NotApplicable
    database.execute("UPDATE STRING_IDS SET id = id + 1000000000")
    return "all ids of STRING_IDS are others"


@on_database("virtual-table", "a table of a database would run code of an extension")
def virtual_table(trial, database, tables):
    table = trial.rng.choice(tables)
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE ' || name || ' USING fts5(a)' WHERE name = ?",
                     (table,))
    return f"{table} is said to be virtual"


@on_database("schema-text", "the schema of a database is damaged")
def schema_text(trial, database, tables):
    table = trial.rng.choice(tables)
    text = trial.rng.choice(["CREATE TABLE", "", "x" * 10_000, "CREATE TABLE other(a)", f'CREATE TABLE "{table}" (a, a)'])
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text, table))
    return f"{table} is said to be {text[:40]!r}"


@on_database("root-page", "a table of a database lies on a page that is not there")
def root_page(trial, database, tables):
    table = trial.rng.choice(tables)
    page = trial.rng.choice([0, 1_000_000, -1])
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (page, table))
    return f"{table} lies on page {page}"


@kind("databases", "page-damage", "bytes of pages of a database are others")
def page_damage(trial):
    path = trial.pick("database")
    content = bytearray(path.read_bytes())
    bounds = trial.layout(path).bounds(content)
    pages = trial.rng.sample(range(len(bounds) - 1), min(trial.rng.choice([1, 3]), len(bounds) - 1))
    for page in pages:
        begin, end = bounds[page], bounds[page + 1]
        offset = begin + trial.rng.choice([0, 1, 3, 5, 8, 12, 100, trial.rng.randrange(max(1, end - begin))])
        for each in range(offset, min(offset + trial.rng.choice([1, 2, 30]), end)):
            content[each] = trial.rng.randrange(256)
    path.write_bytes(content)
    return f"{trial.name_of(path)}: bytes of pages {pages} are others"


@kind("databases", "database-head", "the head of a database is extreme")
def database_head(trial):
    path = trial.pick("database")
    content = bytearray(path.read_bytes())
    offset, width = trial.rng.choice([(16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (28, 4), (32, 4), (36, 4), (44, 4), (52, 4),
                                      (56, 4), (92, 4)])
    value = trial.rng.choice([0, 1, 2, 3, 255, 2**(8 * width) - 1, 2**(8 * width - 1)]) % 2**(8 * width)
    content[offset:offset + width] = value.to_bytes(width, "big")
    path.write_bytes(content)
    return f"{trial.name_of(path)}: {value} at {offset}"


@kind("databases", "journal-beside", "a journal of a killed writer lies beside a database")
def journal_beside(trial):
    path = trial.pick("database")
    suffix = trial.rng.choice(["-journal", "-wal", "-shm"])
    magic = {"-journal": b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "-wal": struct.pack(">II", 0x377F0682, 3007000)}
    beside = path.with_name(path.name + suffix)
    beside.write_bytes(magic.get(suffix, b"") + trial.rng.randbytes(4096))
    return f"{beside.name} lies beside it"
