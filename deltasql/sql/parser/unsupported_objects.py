"""Statements about unsupported objects: of Unity Catalog, of pipelines, of other databases.

Part of the table of `unsupported`.
"""

from __future__ import annotations

from typing import NamedTuple

from deltasql.base.errors.statements.refused import (
    InsertIfNotExistsError,
    PartitionIfNotExistsError,
    UnsupportedStatementError,
)


class Unsupported(NamedTuple):
    """`patterns` are those of deltasql.sql.queries.outline, with the words to point at between < and >.

    In `operation` {words} are these in capitals, {written} as they stand; {verb} is the statement's first word.
    """

    operation: str
    advice: str
    patterns: tuple[str, ...]
    error: type[UnsupportedStatementError | PartitionIfNotExistsError | InsertIfNotExistsError] = (
        UnsupportedStatementError
    )


_UNITY = "It belongs to Unity Catalog; the catalog of a warehouse keeps names and places of tables only. Leave it out."
_UNITY_NAMES = "It belongs to Unity Catalog, which deltasql has not."
_RIGHTS = "deltasql keeps no users and no rights: who may read and write the files may read and write the tables."
_PIPELINE = "deltasql runs no pipelines. To fill a table from a stream: session.writeStream(df).toTable(name)."
_FILES = (
    "Files that are no tables are managed outside of SQL; queries read them in place: SELECT * FROM parquet.`/path`."
)
_INDEX = "Files are skipped by the statistics in the log; CLUSTER BY, or OPTIMIZE … ZORDER BY, puts like rows together."
NEW = "CREATE [OR] [REPLACE|REFRESH] [PRIVATE|TEMPORARY|TEMP]"
_ANY = "CREATE|ALTER|DROP|SHOW|DESCRIBE|DESC|COMMENT [OR] [REPLACE]"
_GOVERNING = "METASTORE|SERVER|POLICY|POLICIES"
_PEOPLE_SHOWN = "USERS|ROLE|ROLES|PRINCIPALS"
_PEOPLE = f"USER|{_PEOPLE_SHOWN}"
"""SHOW USER FUNCTIONS is Spark's."""

OBJECTS = (
    # Unity Catalog and rights
    Unsupported(
        "{words}",
        _UNITY,
        (
            "ALTER … < SET|UNSET MANAGED|EXTERNAL >",
            "ALTER … ADD COLUMN|COLUMNS ⋯ < MASK > name",
            "SHOW < EFFECTIVE POLICIES|TAGS >",
            "< SET|UNSET TAG ON VOLUME|FUNCTION|PROCEDURE|EXTERNAL >",
            "< SYNC > SCHEMA|TABLE",
        ),
    ),
    Unsupported(
        "{words}", "Run OPTIMIZE and VACUUM yourself.", ("ALTER … < ENABLE|DISABLE|INHERIT PREDICTIVE OPTIMIZATION >",)
    ),
    Unsupported(
        "{words}",
        "Tables have one: CREATE TABLE … DEFAULT COLLATION name. Columns too: STRING COLLATE name.",
        ("ALTER|CREATE … < DEFAULT COLLATION >",),
    ),
    Unsupported(
        "{words}",
        _RIGHTS,
        (
            "< [MSCK] REPAIR PRIVILEGES >",
            "MSCK REPAIR SCHEMA|TABLE|VIEW|FUNCTION|CATALOG|ANY ⋯ < PRIVILEGES >",
            "MSCK < REPAIR SCHEMA|VIEW|FUNCTION|CATALOG|ANY >",
            "< SET ROLE|RECIPIENT >",
        ),
    ),
    Unsupported(
        "{verb} {words}",
        _RIGHTS,
        (
            f"CREATE|ALTER|DROP < {_PEOPLE} >",
            f"SHOW [CURRENT] < {_PEOPLE_SHOWN} >",
        ),
    ),
    Unsupported(
        "{verb} {words}",
        "A catalog has a comment, a location, properties and tags: ALTER CATALOG name SET DBPROPERTIES (key = value).",
        ("ALTER < CATALOG >",),
    ),
    Unsupported(
        "{verb} {words}",
        "A catalog has tables of its warehouse: CREATE CATALOG name MANAGED LOCATION '/path'.",
        ("CREATE|ALTER|DROP < FOREIGN CATALOG >",),
    ),
    Unsupported(
        "{verb} VOLUME … {words}", "ALTER VOLUME v RENAME TO w is what can be changed.", ("ALTER VOLUME name < SET >",)
    ),
    Unsupported("{words}", "Write LIST 'path' or REMOVE 'path'.", ("< LS|RM > string",)),
    Unsupported(
        "LIST … {words}",
        "Keys are given to the session: deltasql.connect(storage_options={…}).",
        ("LIST string < WITH >",),
    ),
    Unsupported("{words}", _FILES, ("< COPY FILES >",)),
    Unsupported(
        "{verb} {words}",
        _UNITY_NAMES,
        (
            f"{_ANY} < [ON] {_GOVERNING} >",
            "CREATE < OR REPLACE SHARE|RECIPIENT|PROVIDER|CONNECTION|GROUP >",
        ),
    ),
    Unsupported(
        "{written}",
        "system.information_schema describes the tables of all catalogs, DESCRIBE HISTORY the versions of one.",
        ("⋯ FROM|JOIN|, < SYSTEM . part . part >",),
    ),
    Unsupported(
        "{words} in place of a table",
        "Run it as a separate statement, and read its rows in Python: session.sql(…).collect().",
        (
            "⋯ ( < EXPLAIN|ANALYZE [TABLE|EXTENDED] >",
            "⋯ FROM|JOIN|AS ( < DROP|ALTER|CREATE|TRUNCATE|REFRESH TABLE|VIEW|SCHEMA|FUNCTION|OR >",
            "⋯ FROM|JOIN|AS ( < INSERT|MERGE|DELETE INTO|OVERWRITE|FROM|WITH >",
            "⋯ FROM|JOIN|AS ( < UPDATE|OPTIMIZE|VACUUM|RESTORE|CALL > part",
        ),
    ),
    # Other objects
    Unsupported(
        "{verb} {words}",
        _PIPELINE,
        (
            f"{NEW} < STREAMING LIVE TABLE >",
            "CREATE [OR] [REPLACE|REFRESH] < PRIVATE|TEMPORARY|TEMP STREAMING TABLE >",
            f"{NEW} < LIVE TABLE|VIEW >",
            f"{NEW} < FLOW >",
            "ALTER|DROP < FLOW >",
        ),
    ),
    Unsupported(
        "{verb} {words}",
        "CREATE OR REPLACE TABLE … AS SELECT … can be run again, CREATE TEMPORARY VIEW is computed when it is read.",
        (
            f"{NEW} < METRIC VIEW >",
            "CREATE [OR] [REPLACE] < PRIVATE|TEMPORARY|TEMP MATERIALIZED VIEW >",
            f"{NEW} VIEW … < WITH METRICS >",
            "ALTER|DROP|REFRESH < METRIC VIEW >",
        ),
    ),
    Unsupported("{verb} {words}", "SHOW VIEWS lists materialized views as well.", ("SHOW < MATERIALIZED VIEWS >",)),
    Unsupported("{verb} {words}", "SHOW TABLES lists streaming tables as well.", ("SHOW < STREAMING TABLES >",)),
    Unsupported(
        "{words} in a query",
        "It stands in the query of a streaming table: CREATE STREAMING TABLE t AS SELECT … FROM STREAM(source).",
        ("⋯ FROM|JOIN|, < STREAM > name", "⋯ FROM|JOIN|, < STREAM > ("),
    ),
    Unsupported("{verb} {words}", "There are no foreign catalogs.", ("REFRESH < FOREIGN >",)),
    Unsupported("{words}", "Write MERGE, with the changes as its source.", ("< APPLY CHANGES >", "< AUTO CDC >")),
    Unsupported(
        "{verb} {words}",
        _INDEX,
        (f"{NEW} < [BLOOMFILTER|UNIQUE] INDEX >", "ALTER|DROP|SHOW < [BLOOMFILTER] INDEX|INDEXES >"),
    ),
    Unsupported(
        "{verb} {words}", "Write CREATE TEMPORARY FUNCTION … RETURN ….", (f"{NEW} < MACRO >", "DROP … < MACRO >")
    ),
    Unsupported(
        "{verb} {words}",
        "A Python function around session.sql does the same.",
        (f"{NEW} < PROCEDURE >", "DROP < PROCEDURE >"),
    ),
    Unsupported(
        "{verb} {words}",
        "Numbers for new rows come from GENERATED ALWAYS AS IDENTITY.",
        (f"{NEW} < SEQUENCE >", "ALTER|DROP < SEQUENCE >"),
    ),
    Unsupported(
        "{words}", "EXECUTE IMMEDIATE 'text' USING … runs a statement that is a text.", ("< PREPARE|DEALLOCATE > name",)
    ),
    Unsupported(
        "{words}",
        "Values come in by parameters: session.sql('… WHERE a = :a', {'a': 1}).",
        ("< CREATE|REMOVE WIDGET >",),
    ),
    Unsupported(
        "{verb} {words}",
        "A schema's tables lie where it was made: CREATE SCHEMA s LOCATION '/path'.",
        ("ALTER SCHEMA|DATABASE name < SET LOCATION >",),
    ),
    Unsupported(
        "{words}",
        "A function says so itself: CREATE FUNCTION … COMMENT 'text'.",
        ("< COMMENT ON FUNCTION|PROCEDURE >",),
    ),
    Unsupported(
        "{verb} {words}", "Functions are made of SQL: CREATE FUNCTION … RETURN ….", (f"{NEW} < AGGREGATE FUNCTION >",)
    ),
    Unsupported("{words}", "Ctrl-C cancels a statement.", ("< KILL >", "< CANCEL >")),
    Unsupported("{verb} {words}", "Statements run one by one.", ("SHOW < PROCESSLIST|QUERIES|STREAMS|TASKS|JOBS >",)),
    Unsupported(
        "{verb} {words}",
        "DESCRIBE EXTENDED t, SHOW CREATE TABLE t and SHOW TBLPROPERTIES t tell of keys, constraints and tags.",
        ("SHOW < TAGS|KEYS|CONSTRAINTS|STATS >", "SHOW < PRIMARY|FOREIGN|IMPORTED|EXPORTED KEYS >"),
    ),
    Unsupported("{verb} {words}", "SET lists the settings.", ("SHOW < SETTINGS|CONF|CONFIG|PARAMETERS >",)),
    Unsupported(
        "{verb} {words}", "Statements run in this process.", ("SHOW|CREATE|ALTER|DROP < WAREHOUSE|WAREHOUSES >",)
    ),
    Unsupported(
        "{verb} {words}",
        "A version of a table is called by its number or time: SELECT * FROM t VERSION AS OF n; a clone keeps one.",
        (
            "SHOW|CREATE|DROP < BRANCH|BRANCHES|TAG >",
            "ALTER TABLE name < CREATE|REPLACE|DROP [OR] [REPLACE] BRANCH|TAG >",
        ),
    ),
    Unsupported(
        "{words}",
        "OPTIMIZE, VACUUM and CLUSTER BY are what there is for the layout of files.",
        ("ALTER TABLE name < EXECUTE >", "ALTER TABLE name < WRITE ORDERED|DISTRIBUTED|UNORDERED >"),
    ),
    Unsupported("{words}", _FILES, (f"{NEW} < STAGE >",)),
    Unsupported(
        "{words}", "INSERT OVERWRITE DIRECTORY '/path' USING csv SELECT … writes rows to files.", ("< UNLOAD >",)
    ),
    Unsupported("{words}", "Names have up to three parts: CREATE CATALOG, CREATE SCHEMA.", ("< ATTACH|DETACH >",)),
    Unsupported(
        "{words}",
        "Checkpoints are written as the table grows: delta.checkpointInterval says how often.",
        ("< CHECKPOINT >",),
    ),
    Unsupported("{words}", "SET and TBLPROPERTIES say what can be set.", ("< PRAGMA >",)),
    Unsupported(
        "{words}",
        "There are no procedures; EXECUTE IMMEDIATE 'text' runs a statement that is a text.",
        ("< EXEC|EXECUTE > !IMMEDIATE",),
    ),
)
"""In the order in which they are tried."""
