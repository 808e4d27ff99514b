"""Statements and clauses of the dialect that deltasql does not support, in one table, with the errors for them.

The table is used when the grammar cannot read a text, for statements that would go to Spark, and for names that are no
tables. So an outdated entry is harmless: a text that can be parsed and planned is never refused by it. Many entries are
statements about objects that deltasql lacks: of Unity Catalog, of pipelines, of other databases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deltasql.base import Caret, DeltaSqlError, errors
from deltasql.sql.queries.query_parts import Outline, find, outline


class Unsupported(NamedTuple):
    """`patterns` are those of deltasql.sql.queries.query_parts, with the words to point at between < and >.

    In `operation` {words} are these in capitals, {written} as they stand; {verb} is the statement's first word.
    """

    operation: str
    advice: str
    patterns: tuple[str, ...]
    error: type[
        errors.UnsupportedStatementError
        | errors.SystemTableError
        | errors.PartitionIfNotExistsError
        | errors.InsertIfNotExistsError
    ] = errors.UnsupportedStatementError


_UNITY = "It belongs to Unity Catalog; the catalog of a warehouse keeps names and places of tables only. Leave it out."
_UNITY_NAMES = "It belongs to Unity Catalog, which deltasql has not."
_RIGHTS = "deltasql keeps no users and no rights: who may read and write the files may read and write the tables."
_PIPELINE = (
    "deltasql pipeline run forgets the flows that its files no longer have. Without a pipeline, drop the streaming "
    "table and create it again."
)
_FILES = (
    "Files that are no tables are managed outside of SQL; queries read them in place: SELECT * FROM parquet.`/path`."
)
_INDEX = "Files are skipped by the statistics in the log; CLUSTER BY, or OPTIMIZE … ZORDER BY, puts like rows together."
NEW = "CREATE [OR] [REPLACE|REFRESH] [PRIVATE|TEMPORARY|TEMP]"
_ANY = "CREATE|ALTER|DROP|SHOW|DESCRIBE|DESC|COMMENT [OR] [REPLACE]"
_GOVERNING = "METASTORE|SERVER"
_PEOPLE_SHOWN = "ROLE|ROLES|PRINCIPALS"
_PEOPLE = f"USER|USERS|{_PEOPLE_SHOWN}"
"""SHOW USER FUNCTIONS is Spark's."""

OBJECTS = (
    # Unity Catalog and rights
    Unsupported(
        "{words}",
        _UNITY,
        (
            "ALTER … < SET|UNSET EXTERNAL >",
            "< SET|UNSET TAG ON FUNCTION|PROCEDURE|EXTERNAL >",
        ),
    ),
    Unsupported(
        "{words}",
        "For each table write CREATE TABLE target LOCATION 'path', with the path that DESCRIBE DETAIL shows of the "
        "source, or CREATE TABLE target CLONE source for a copy.",
        ("< SYNC SCHEMA|TABLE >",),
    ),
    Unsupported(
        "{words}",
        "Tables have one: CREATE TABLE … DEFAULT COLLATION name. Columns too: STRING COLLATE name.",
        ("ALTER VIEW … < DEFAULT COLLATION >",),
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
        "It is a catalog like the others: ALTER CATALOG name …, DROP CATALOG name.",
        ("ALTER|DROP < FOREIGN CATALOG >",),
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
        "system.information_schema and DESCRIBE HISTORY tell of tables. For a test, make a table of this name "
        "with rows: CREATE SCHEMA system.s, CREATE TABLE system.s.t (…).",
        ("⋯ FROM|JOIN|, < SYSTEM . part . part >",),
        errors.SystemTableError,
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
    Unsupported(
        "{words}(ANY) as the type of a column",
        "The values of a column have one coordinate system: GEOMETRY(4326), GEOGRAPHY(4326).",
        ("CREATE|ALTER|REPLACE ⋯ < GEOMETRY|GEOGRAPHY > ( ANY",),
    ),
    # Other objects
    Unsupported(
        "{verb} {words}",
        _PIPELINE,
        ("ALTER|DROP < FLOW >",),
    ),
    Unsupported(
        "{verb} {words}",
        "CREATE OR REPLACE TABLE … AS SELECT … can be run again, CREATE TEMPORARY VIEW is computed when it is read.",
        (
            f"{NEW} < METRIC VIEW >",
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
    Unsupported(
        "{verb} {words}",
        _INDEX,
        (f"{NEW} < [UNIQUE] INDEX >", "ALTER|DROP|SHOW < INDEX|INDEXES >"),
    ),
    Unsupported(
        "{verb} {words}", "Write CREATE TEMPORARY FUNCTION … RETURN ….", (f"{NEW} < MACRO >", "DROP … < MACRO >")
    ),
    Unsupported(
        "{verb} {words}",
        "A procedure belongs to a schema: CREATE OR REPLACE PROCEDURE p(…) AS BEGIN … END.",
        ("CREATE [OR] [REPLACE] < TEMPORARY|TEMP PROCEDURE >", "DROP < TEMPORARY|TEMP PROCEDURE >"),
    ),
    Unsupported(
        "{verb} {words}",
        "Write CREATE OR REPLACE PROCEDURE with the whole of it.",
        ("ALTER < PROCEDURE >",),
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
        "{verb} {words}",
        "A schema's tables lie where it was made: CREATE SCHEMA s LOCATION '/path'.",
        ("ALTER SCHEMA|DATABASE name < SET LOCATION >",),
    ),
    Unsupported(
        "{words}",
        "Write the comment where it is made: CREATE OR REPLACE FUNCTION … COMMENT 'text'.",
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
        "CALL p(…) runs a procedure, and EXECUTE IMMEDIATE 'text' a statement that is a text.",
        ("< EXEC|EXECUTE > !IMMEDIATE",),
    ),
)
"""In the order in which they are tried."""


_JOINED = "Write MERGE INTO t USING s ON … WHEN MATCHED THEN UPDATE SET …."
_JOINED_DELETE = "Write MERGE INTO t USING s ON … WHEN MATCHED THEN DELETE, or DELETE FROM t WHERE EXISTS (SELECT …)."
_SOME_ROWS = "Say which rows in WHERE: id IN (SELECT id FROM t ORDER BY … LIMIT n)."
_UPSERT = "Write MERGE INTO t USING s ON … WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *."
_GENERATED = "Such a column is declared when the table is made: CREATE TABLE …, or CREATE OR REPLACE TABLE …."
_SCRIPT = "It stands inside of a script: BEGIN … END."
_TRANSACTION = "Several statements become one commit by BEGIN TRANSACTION … COMMIT, or by BEGIN ATOMIC … END."

_INTO = "INSERT INTO|OVERWRITE [TABLE]"
_ROWS_BEGIN = "BY|REPLACE|VALUES|SELECT|TABLE|FROM|WITH"

TABLE = (
    # Tables from other tables and files
    Unsupported(
        "{words}",
        "Tables come back by UNDROP TABLE, and SHOW TABLES DROPPED lists them; schemas and catalogs do not.",
        ("< UNDROP SCHEMA|DATABASE|CATALOG|VIEW|VOLUME|FUNCTION >", "< SHOW SCHEMAS|DATABASES DROPPED >"),
    ),
    Unsupported(
        "{words}", "A table is its folder: copy that, then CREATE TABLE … LOCATION '/path'.", ("< EXPORT|IMPORT >",)
    ),
    # Rows
    Unsupported(
        "An alias in INSERT",
        "Name the table itself.",
        (f"{_INTO} name < AS name > {_ROWS_BEGIN}", f"{_INTO} name < AS name > () {_ROWS_BEGIN}"),
    ),
    Unsupported(
        "{words}",
        _UPSERT,
        ("INSERT … < ON CONFLICT|DUPLICATE >", "< INSERT OR REPLACE|IGNORE|UPDATE >", "< REPLACE INTO >", "< UPSERT >"),
    ),
    Unsupported(
        "{verb} … RETURNING",
        "The changed rows are in the change data feed: SELECT * FROM table_changes('t', version).",
        ("INSERT|UPDATE|DELETE|MERGE … < RETURNING >",),
    ),
    Unsupported("UPDATE … {words}", _JOINED, ("UPDATE name … < FROM|JOIN > name", "UPDATE name … < FROM|JOIN > (")),
    Unsupported("SET (a, b) = …", "Set each column separately: SET a = …, b = ….", ("UPDATE … SET < () > =",)),
    Unsupported("DELETE … {words}", _JOINED_DELETE, ("DELETE … < USING|JOIN > name", "DELETE … < USING|JOIN > (")),
    Unsupported("DELETE t FROM", _JOINED_DELETE, ("DELETE < name FROM > name",)),
    Unsupported("{verb} … {words}", _SOME_ROWS, ("UPDATE|DELETE … < ORDER BY >", "UPDATE|DELETE … < LIMIT >")),
    Unsupported(
        "INSERT OVERWRITE DIRECTORY … USING delta",
        "Delta files without a log are no table: INSERT OVERWRITE delta.`/path` SELECT …, or USING parquet.",
        ("INSERT OVERWRITE [LOCAL] DIRECTORY … < USING DELTA >",),
    ),
    Unsupported(
        "PARTITION (…) {words}",
        "To write a partition only once: INSERT INTO t SELECT … WHERE NOT EXISTS (SELECT 1 FROM t WHERE …).",
        ("INSERT OVERWRITE [TABLE] name PARTITION () < IF NOT EXISTS >",),
        errors.PartitionIfNotExistsError,
    ),
    Unsupported(
        "{words}",
        "Leave it out: INSERT INTO needs a table that is there, and adds to it.",
        ("INSERT INTO [TABLE] name < IF NOT EXISTS >", "INSERT INTO [TABLE] name PARTITION () < IF NOT EXISTS >"),
        errors.InsertIfNotExistsError,
    ),
    Unsupported(
        "INSERT … DEFAULT VALUES",
        "Write INSERT INTO t VALUES (DEFAULT, …), with one DEFAULT for each column.",
        ("INSERT INTO|OVERWRITE [TABLE] name < DEFAULT VALUES >",),
    ),
    Unsupported(
        "{words}", "Leave the clause out: rows that no clause takes stay as they are.", ("MERGE … THEN < DO NOTHING >",)
    ),
    # Columns, keys and clauses of tables
    Unsupported(
        "ALTER TABLE IF EXISTS",
        "Leave it out; SHOW TABLES tells whether a table is there.",
        ("ALTER TABLE < IF EXISTS > name",),
    ),
    Unsupported(
        "ADD COLUMN IF NOT EXISTS",
        "Leave it out; DESCRIBE tells whether a column is there.",
        ("ALTER TABLE name ADD COLUMN|COLUMNS ⋯ < IF NOT EXISTS >",),
    ),
    Unsupported("ADD COLUMN … {words}", _GENERATED, ("ALTER TABLE name ADD COLUMN|COLUMNS ⋯ < GENERATED >",)),
    Unsupported(
        "ALTER COLUMN … {words}",
        _GENERATED,
        ("ALTER TABLE name ALTER|CHANGE … < ADD|SET|DROP GENERATED|IDENTITY|EXPRESSION >",),
    ),
    Unsupported(
        "{words}", "Write ALTER TABLE t ALTER COLUMN a TYPE int, or SET NOT NULL.", ("ALTER TABLE name < MODIFY >",)
    ),
    Unsupported(
        "WITH (…)",
        "Properties of a table are written TBLPROPERTIES ('key' = 'value').",
        ("CREATE|REPLACE … TABLE … < WITH > (",),
    ),
    Unsupported(
        "{words}", "Delta tables keep Parquet files; leave it out.", ("CREATE … TABLE … < STORED|ROW AS|BY|FORMAT >",)
    ),
    Unsupported(
        "{verb} TABLE … {words}",
        "It is for tables of Hive. OPTIMIZE rewrites small files, CLUSTER BY puts like rows together.",
        (
            "ALTER TABLE name < ARCHIVE|UNARCHIVE|TOUCH|COMPACT|CONCATENATE|EXCHANGE|NOT|CLUSTERED|SKEWED >",
            "CREATE … TABLE … < SKEWED >",
        ),
    ),
    Unsupported(
        "REPLACE PARTITIONED BY",
        "Write CREATE OR REPLACE TABLE t CLUSTER BY (…) AS SELECT * FROM t.",
        ("ALTER TABLE name < REPLACE PARTITIONED BY >",),
    ),
    Unsupported("{words}", "Views of the session go by DROP VIEW.", ("DROP < TEMPORARY|TEMP VIEW >",)),
    Unsupported(
        "{words}",
        "Write SHOW CREATE TABLE v.",
        ("< SHOW CREATE VIEW >", "< SHOW CREATE MATERIALIZED VIEW >", "< SHOW CREATE STREAMING TABLE >"),
    ),
    Unsupported(
        "{words}",
        "Write DESCRIBE TABLE EXTENDED v, which also shows the query and the last refresh.",
        ("< DESCRIBE|DESC MATERIALIZED VIEW > name", "< DESCRIBE|DESC STREAMING TABLE > name"),
    ),
    Unsupported("SHOW CREATE TABLE … {words}", "Leave it out.", ("SHOW CREATE TABLE name < AS SERDE >",)),
    Unsupported(
        "{words} of a CHECK",
        "Every row that is written is checked; leave it out.",
        ("ALTER TABLE name ADD CONSTRAINT part CHECK () < NOT ENFORCED >",),
    ),
    Unsupported(
        "ADD COLUMN … {words}",
        "Add the constraint in a separate statement: ALTER TABLE t ADD CONSTRAINT c CHECK (…).",
        ("ALTER TABLE name ADD COLUMN|COLUMNS ⋯ < CONSTRAINT|CHECK|PRIMARY|REFERENCES >",),
    ),
    Unsupported(
        "{words} in a list of columns",
        "Rows that must not be there are refused by CONSTRAINT c CHECK (…), or left out by WHERE.",
        (
            "CREATE [OR] [REPLACE] TABLE … ( ⋯ < CONSTRAINT part EXPECT >",
            "CREATE [OR] [REPLACE] TABLE … ( ⋯ < EXPECT > (",
        ),
    ),
    Unsupported(
        "{words}",
        "DELETE FROM t WHERE ts < current_timestamp() - INTERVAL n DAYS does so, when you run it.",
        ("CREATE|REPLACE|ALTER … TABLE … < EXPIRE|DROP ROWS|EXPIRATION >",),
    ),
    Unsupported(
        "{words}",
        "Run ALTER TABLE t SET TAGS (…) afterwards.",
        ("CREATE|REPLACE … TABLE|VIEW … < [WITH] TAGS|TAG > (",),
    ),
    Unsupported(
        "CREATE TABLE … LIKE … {words}",
        "Columns, comments and partitions are copied; properties are written TBLPROPERTIES (…).",
        ("CREATE … TABLE … LIKE name < INCLUDING|EXCLUDING >",),
    ),
    Unsupported(
        "{words}",
        "CLUSTER BY (a) puts like rows together.",
        ("CREATE|REPLACE … TABLE … < CLUSTERED BY > () SORTED BY ()",),
    ),
    Unsupported(
        "ALTER VIEW … {words}",
        "A comment is written COMMENT ON COLUMN v.a IS 'text'; all else of a column is said by the query.",
        ("ALTER VIEW name < ALTER|CHANGE [COLUMN] >",),
    ),
    Unsupported("{verb} {words}", "A query says so itself: WITH RECURSIVE ….", (f"{NEW} < RECURSIVE VIEW >",)),
    Unsupported(
        "A list of columns behind the source of MERGE",
        "Name them inside: USING (SELECT * FROM (…) AS q (a, b)) AS s.",
        (
            *("MERGE … USING name AS name < () > ON", "MERGE … USING name part < () > ON"),
            *("MERGE … USING () AS name < () > ON", "MERGE … USING () part < () > ON"),
        ),
    ),
    Unsupported(
        "Options behind the name of a table",
        "New columns come by INSERT|MERGE WITH SCHEMA EVOLUTION …, other options by SET.",
        (
            "INSERT INTO|OVERWRITE [TABLE] name < WITH () >",
            "UPDATE name < WITH () >",
            "DELETE FROM name < WITH () >",
            "MERGE INTO name < WITH () >",
        ),
    ),
    Unsupported(
        "COPY INTO a location",
        "INSERT OVERWRITE DIRECTORY '/path' USING csv SELECT … writes rows to files.",
        ("COPY INTO < string > FROM", "COPY INTO < @ > ⋯"),
    ),
    Unsupported(
        "FSCK … {words}",
        "FSCK checks that files exist, and does not read them; leave it out.",
        ("FSCK REPAIR TABLE name < VERIFY >",),
    ),
    Unsupported(
        "DESCRIBE of a version",
        "Write DESCRIBE QUERY SELECT * FROM t VERSION AS OF n.",
        (
            "DESCRIBE|DESC [TABLE] [EXTENDED] name < VERSION|TIMESTAMP AS OF >",
            "DESCRIBE|DESC [TABLE] [EXTENDED] name < AS OF >",
            "DESCRIBE|DESC HISTORY|DETAIL name < VERSION|TIMESTAMP >",
        ),
    ),
    Unsupported(
        "CONVERT TO {words}",
        "Tables are read as Iceberg once they are universal: 'delta.universalFormat.enabledFormats' = 'iceberg'.",
        ("CONVERT TO < ICEBERG >",),
    ),
    Unsupported("CONVERT … {words}", "Name what is to be converted alone.", ("CONVERT TO DELTA name < FROM >",)),
    Unsupported(
        "GENERATE … {words}", "It writes the manifests of all partitions; leave it out.", ("GENERATE … < PARTITION >",)
    ),
    Unsupported("{words}", "Write ALTER TABLE t RENAME TO s.t.", ("ALTER TABLE name < SET SCHEMA >",)),
    Unsupported(
        "{words}",
        "Write ALTER TABLE t SET TBLPROPERTIES ('delta.feature.name' = 'supported').",
        ("ALTER TABLE name < ADD FEATURE >",),
    ),
    Unsupported(
        "{words}",
        "Partitions are those that the table was made with. CLUSTER BY (a) can be changed.",
        ("ALTER TABLE name < PARTITIONED|PARTITION BY >",),
    ),
    Unsupported(
        "DROP COLUMN … {words}", "Leave it out.", ("ALTER TABLE name DROP COLUMN|COLUMNS ⋯ < CASCADE|RESTRICT >",)
    ),
    Unsupported(
        "A comment of a clone",
        "It has that of its source. Run COMMENT ON TABLE t IS 'text' afterwards.",
        ("CREATE|REPLACE … TABLE … CLONE name … < COMMENT > string",),
    ),
    Unsupported("{words} in a query", "Write LIMIT n at the end.", ("⋯ < FETCH FIRST|NEXT >",)),
    Unsupported(
        "{words} in a query",
        "A query locks no rows. Who writes what another has read loses the race, and runs again.",
        ("⋯ < FOR UPDATE|SHARE >",),
    ),
    Unsupported(
        "{words} of files",
        "Keys are given to the session: deltasql.connect(storage_options={…}).",
        ("⋯ WITH ( < CREDENTIAL >",),
    ),
    *OBJECTS,
    # Upkeep
    Unsupported(
        "REORG … APPLY ({words})",
        "There are APPLY (PURGE) and APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = n)).",
        ("REORG … APPLY ( < CHECKPOINT|SHRED|REWRITE|UNSHRED [VARIANT] >",),
    ),
    Unsupported(
        "COPY INTO … {words}",
        "Lines that cannot be read: FORMAT_OPTIONS ('mode' = 'DROPMALFORMED'); files: 'ignoreCorruptFiles' = 'true'.",
        ("COPY INTO … < BADRECORDS|BADRECORDSPATH|ENCRYPTION|ON_ERROR >",),
    ),
    Unsupported(
        "{words}",
        "DESCRIBE DETAIL t tells number and size of files, VACUUM t DRY RUN those that no version needs.",
        ("ANALYZE TABLE name COMPUTE < STORAGE METRICS >",),
    ),
    Unsupported("{words}", "DESCRIBE DETAIL t tells of the files of a table.", ("< SHOW ARCHIVED FILES >",)),
    # Transactions and scripts
    Unsupported(
        "BEGIN TRANSACTION {words}",
        "Leave it out: the property delta.isolationLevel of the table says it.",
        ("BEGIN|START TRANSACTION|WORK < ISOLATION|READ >",),
    ),
    Unsupported(
        "{words}",
        _TRANSACTION,
        ("< BEGIN > end", "< SAVEPOINT|ABORT >", "< ROLLBACK [TRANSACTION|WORK] TO >", "< SET TRANSACTION >"),
    ),
    Unsupported("{verb} {words}", _TRANSACTION, ("SHOW < COMPACTIONS|LOCKS|TRANSACTIONS >",)),
    Unsupported(
        "{words}",
        "Writers of a table do not wait for each other; a statement that loses a race runs again.",
        ("< LOCK|UNLOCK >",),
    ),
    Unsupported("A label of BEGIN ATOMIC", "Leave it out.", ("< name : > BEGIN ATOMIC",)),
    Unsupported("{verb} {words}", "A query shows the value of one: SELECT v.", ("SHOW < VARIABLES >",)),
    Unsupported(
        "EXPLAIN of a script",
        "Explain its statements one by one.",
        ("< BEGIN > !ATOMIC|TRANSACTION|WORK", "name : < BEGIN >"),
    ),
    Unsupported("BEGIN ATOMIC in a script", "Run it as a separate statement.", ("< ATOMIC >",)),
    Unsupported("DECLARE … {words} outside of a script", _SCRIPT, ("DECLARE … < CURSOR|HANDLER|CONDITION >",)),
    Unsupported(
        "{words} outside of a script",
        _SCRIPT,
        (
            "< IF|WHILE|FOR|LOOP|REPEAT|LEAVE|ITERATE|SIGNAL|RESIGNAL|OPEN|FETCH|CLOSE|END|ELSE|ELSEIF >",
            "< GET DIAGNOSTICS|STACKED|CURRENT >",
        ),
    ),
)


def unsupported(text: str, stuck: int | None = None) -> DeltaSqlError | None:
    """The error for a statement that is known and not supported, placed at the words that name it; None for others.

    `stuck` is the offset of what cannot be read there, or is no table: what stands before it is right.
    """
    statement = outline(text)
    refusals = [(entry, *match) for entry in TABLE for match in _matches(entry, statement, stuck)]
    if not refusals:
        return None
    # What cannot be read is most likely what is not supported.
    entry, start, end = next((match for match in refusals if match[1] == stuck), refusals[0])
    written = " ".join(text[start:end].split())
    operation = entry.operation.format(words=written.upper(), written=written, verb=statement.verb)
    return entry.error(operation, entry.advice).at(Caret(text, start, end))


def _matches(entry: Unsupported, statement: Outline, stuck: int | None) -> Iterator[tuple[int, int]]:
    for pattern in entry.patterns:
        caret = find(pattern, statement)
        # A pattern with a gap may meet words that mean something else; they are not what is wrong.
        is_exact = "…" not in pattern and "⋯" not in pattern
        if caret is not None and (stuck is None or caret[0] <= stuck or is_exact):
            yield caret


def refused_name(caret: Caret | None) -> DeltaSqlError | None:
    """The error for words that were taken for the name of a table, and are a statement or a name of another kind."""
    if caret is None:
        return None
    error = unsupported(caret.sql, caret.start)
    position = error.caret if error else None
    return error if position and position.start <= caret.start < position.end else None
