"""Advice for the most frequent syntax errors: sentences by patterns over the statement's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deltasql.base.errors.base import Caret
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.sql.queries.outline import find, outline

_CREATE = "CREATE|REPLACE [OR] [REPLACE] [EXTERNAL] TABLE [IF] [NOT] [EXISTS]"
_ALTER = "ALTER TABLE name"
_CHANGE = "ALTER TABLE name ALTER|CHANGE [COLUMN] name"
_MERGE = "MERGE [WITH] [SCHEMA] [EVOLUTION]"
_INSERT = "INSERT [WITH] [SCHEMA] [EVOLUTION]"
_NO_OBJECT = "Say what it is: {verb} TABLE …, {verb} VIEW … or {verb} SCHEMA …."

_TYPES = (
    "INT|INTEGER|BIGINT|STRING|DOUBLE|FLOAT|BOOLEAN|DATE|TIMESTAMP|TIMESTAMP_NTZ|BINARY|SMALLINT|TINYINT|VARIANT|DECIMAL|"
    "NUMERIC|CHAR|VARCHAR|ARRAY|MAP|STRUCT"
)
_MOST_OF_REST = 40

# Between < and > is the place where the text cannot be read.
ADVICE = (
    # CREATE and DROP
    ("CREATE [OR] [REPLACE] TABLE < IF EXISTS > name", "Write IF NOT EXISTS."),
    (f"{_CREATE} … < PARTITION > BY", "Did you mean PARTITIONED BY?"),
    (f"{_CREATE} … < CLUSTERED BY () end >", "Did you mean CLUSTER BY?"),
    (f"{_CREATE} … < ORDER|SORTED|SORT > BY", "Rows are put in order by CLUSTER BY."),
    (f"{_CREATE} … PARTITIONED|CLUSTER BY < name >", "Write the columns in parentheses."),
    (f"{_CREATE} name < name > name", "Write the columns in parentheses: (a INT, b STRING)."),
    ("DROP TABLE|VIEW|SCHEMA|DATABASE < IF NOT > EXISTS", "Write IF EXISTS."),
    ("DROP TABLE [IF] [EXISTS] name < CASCADE|RESTRICT >", "Nothing depends on a table; leave it out."),
    ("DROP TABLE|VIEW [IF] [EXISTS] name < , > name", "One statement drops one of them."),
    ("DROP < COLUMN|COLUMNS >", "Write ALTER TABLE t DROP COLUMN a."),
    ("DROP|ALTER < name >", _NO_OBJECT),
    ("CREATE [OR] [REPLACE] < name > (", _NO_OBJECT),
    ("TRUNCATE < name > end", "Write TRUNCATE TABLE t."),
    (f"{_CREATE} < string >", "Names are quoted by back-ticks: `t`."),
    ("⋯ name < - >", "A name with other characters than letters, digits and _ is quoted: `a-b`."),
    ("CREATE|REPLACE … ( ⋯ ~ < NULL >", "A column may be NULL unless it is NOT NULL; leave it out."),
    ("CREATE|REPLACE … ( ⋯ ~ < NOTNULL >", "Write NOT NULL."),
    (
        "CREATE|REPLACE … ( ⋯ ~ < AUTO_INCREMENT|AUTOINCREMENT|IDENTITY >",
        "Write a BIGINT GENERATED ALWAYS AS IDENTITY.",
    ),
    ("CREATE|REPLACE|ALTER ⋯ ARRAY < () >", "Write ARRAY<type>."),
    ("CREATE|REPLACE|ALTER ⋯ MAP < () >", "Write MAP<type, type>."),
    ("CREATE|REPLACE|ALTER ⋯ STRUCT < () >", "Write STRUCT<name: type, …>."),
    ("CREATE|REPLACE|ALTER ⋯ COMMENT < part >", "Texts stand in quotes: COMMENT 'text'."),
    # ALTER TABLE
    (f"{_ALTER} ADD < CHECK > (", "Give it a name: ADD CONSTRAINT c CHECK (condition)."),
    (f"{_ALTER} ADD CONSTRAINT name CHECK < part >", "Write the condition in parentheses: CHECK (condition)."),
    (f"{_ALTER} ADD < name >", "Write ADD COLUMN {rest}."),
    (f"{_ALTER} DROP < name > end", "Write DROP COLUMN {rest}."),
    (f"{_ALTER} RENAME < name > TO", "Write RENAME COLUMN {rest}, or RENAME TO t for the table."),
    (f"{_CHANGE} < SET DATA TYPE >", "Write ALTER COLUMN a TYPE type."),
    (f"{_CHANGE} SET < DATA > TYPE", "Write ALTER COLUMN a TYPE type."),
    (f"{_CHANGE} < part > end", "Write ALTER COLUMN a TYPE type."),
    (f"{_CHANGE} < part > (", "Write ALTER COLUMN a TYPE type."),
    (f"{_ALTER} SET|UNSET < PROPERTIES|TABLEPROPERTIES|OPTIONS >", "Did you mean TBLPROPERTIES?"),
    ("ALTER TABLE … TBLPROPERTIES < string >", "Write them in parentheses: ('key' = 'value')."),
    ("ALTER|CREATE|REPLACE … TABLE … TBLPROPERTIES ( ⋯ = < part >", "Write the value in quotes: 'key' = 'value'."),
    ("COMMENT ON < name > IS", "Say what it is: COMMENT ON TABLE t IS 'text', or COMMENT ON COLUMN t.a IS 'text'."),
    # Rows
    (f"{_INSERT} < name > VALUES|SELECT|(", "Write INSERT INTO t."),
    (f"{_INSERT} < name > () ", "Write INSERT INTO t."),
    (f"{_INSERT} INTO|OVERWRITE [TABLE] name < AS > SELECT|VALUES|WITH|TABLE|FROM", "Leave out AS."),
    (f"{_INSERT} INTO|OVERWRITE [TABLE] name < SET >", "Write INSERT INTO t (a, b) VALUES (1, 2)."),
    (f"{_INSERT} INTO|OVERWRITE [TABLE] name < () > end", "Rows come after VALUES: INSERT INTO t VALUES (1, 2)."),
    (f"{_INSERT} INTO|OVERWRITE [TABLE] name () < () >", "Rows come after VALUES: INSERT INTO t (a, b) VALUES (1, 2)."),
    ("UPDATE … = < = >", "Write = once."),
    ("UPDATE name < name = >", "Write SET before the first column."),
    ("DELETE < * FROM >", "Rows are deleted whole: DELETE FROM t."),
    ("DELETE < name > WHERE", "Write DELETE FROM t."),
    ("DELETE < name > end", "Write DELETE FROM t."),
    ("DELETE FROM name < name = >", "Write WHERE before the condition."),
    (f"{_MERGE} < name > USING", "Write MERGE INTO t."),
    (f"{_MERGE} INTO name < FROM >", "Did you mean USING?"),
    (f"{_MERGE} … USING ⋯ < WHEN >", "Say which rows belong together: ON t.id = s.id."),
    (f"{_MERGE} … WHEN … < UPDATE|DELETE|INSERT >", "Write THEN before it."),
    (f"{_MERGE} … UPDATE < * >", "Did you mean UPDATE SET *?"),
    (f"{_MERGE} … INSERT < VALUES >", "Name the columns: INSERT (a, b) VALUES (1, 2)."),
    (f"{_MERGE} … SET|INSERT < ALL > end", "All columns are written *."),
    (f"{_MERGE} … SET < ALL end >", "All columns are written *."),
    # Files and versions
    ("OPTIMIZE|VACUUM TABLE < name >", "Leave out TABLE: {verb} t."),
    ("OPTIMIZE … < ZORDER ( >", "Write ZORDER BY (a, b)."),
    ("OPTIMIZE … < Z - ORDER|ORDERING >", "Write ZORDER BY (a, b)."),
    ("VACUUM … RETAIN part < DAYS|DAY >", "A day has 24 HOURS."),
    ("VACUUM … < DRYRUN >", "Write DRY RUN."),
    ("RESTORE … VERSION < part > end", "Write VERSION AS OF n."),
    ("< RENAME >", "Write ALTER TABLE a RENAME TO b."),
    (f"{_ALTER} RENAME < part > end", "Write RENAME TO b."),
    ("CONVERT … PARTITIONED BY () < NO STATISTICS >", "Write NO STATISTICS before PARTITIONED BY."),
    ("COPY < name > FROM", "Write COPY INTO t."),
    ("CREATE ⋯ FUNCTION name < RETURNS|RETURN >", "Write the parameters, or none: f() RETURNS …."),
    ("ALTER TABLE name SET TBLPROPERTIES < name >", "Write TBLPROPERTIES ('key' = 'value')."),
    ("RESTORE … TO < part > end", "Write TO VERSION AS OF n."),
    ("RESTORE … TO < name >", "Write TO VERSION AS OF n."),
    ("⋯ VERSION|TIMESTAMP < OF >", "Did you mean AS OF?"),
    # Looking
    ("SHOW TABLE < end >", "Did you mean SHOW TABLES?"),
    ("SHOW TABLE < IN|FROM|LIKE >", "Did you mean SHOW TABLES?"),
    ("SHOW TABLE < name >", "Write DESCRIBE t, SHOW CREATE TABLE t, or SELECT * FROM t."),
    ("SHOW TABLES|VIEWS < name > end", "Name the schema behind IN, or a pattern in quotes."),
    ("SHOW [USER|SYSTEM|ALL] FUNCTIONS < name > end", "Write SHOW FUNCTIONS IN s LIKE 'f'."),
    ("SHOW CREATE < name > end", "Write SHOW CREATE TABLE t."),
    ("SHOW COLUMNS < name > end", "Write SHOW COLUMNS IN t."),
    ("SHOW < HISTORY >", "Did you mean DESCRIBE HISTORY?"),
    ("SHOW < DETAIL >", "Did you mean DESCRIBE DETAIL?"),
    ("SHOW < DATABASE|SCHEMA > end", "Did you mean SHOW SCHEMAS?"),
    ("SHOW < PARTITION >", "Did you mean SHOW PARTITIONS?"),
    ("SHOW < PROPERTIES >", "Did you mean SHOW TBLPROPERTIES?"),
    ("SHOW < VIEW > end", "Did you mean SHOW VIEWS?"),
    ("< HISTORY|DETAIL >", "Did you mean DESCRIBE {words}?"),
    ("< INSTER|INSRET|ISNERT >", "Did you mean INSERT?"),
    ("SET name < part >", "Write SET key = value."),
    # Queries, where Spark's parser stops
    ("⋯ , < FROM|WHERE|GROUP|ORDER|HAVING|LIMIT >", "Remove the comma before it."),
    ("⋯ SELECT … < INTO name >", "Write CREATE TABLE t AS SELECT …, or INSERT INTO t SELECT …."),
    ("⋯ SELECT < FROM >", "Say which columns: SELECT * FROM t."),
    ("⋯ < IN part >", "Write the values in parentheses: IN (1, 2)."),
    ("⋯ < = = >", "Write = once."),
    ("⋯ < = GT >", "Write >=."),
    ("⋯ JOIN part part < . part > =", "Write ON before the condition."),
    (f"{_CREATE} name ( ⋯ ~ < part > {_TYPES}", "A comma is missing before {inner}."),
    (f"{_ALTER} ADD COLUMNS ( ⋯ ~ < part > {_TYPES}", "A comma is missing before {inner}."),
)  # fmt: skip
QUERIES = (
    ("⋯ SELECT|DISTINCT < TOP number >", "Write LIMIT n at the end."),
    ("⋯ LIMIT number < , > number", "Write LIMIT n OFFSET m."),
    ("⋯ FROM|JOIN name VERSION < number >", "Write VERSION AS OF {inner}."),
    ("⋯ FROM|JOIN !CASE name < TIMESTAMP > string", "Write TIMESTAMP AS OF."),
    ("⋯ part @ < number >", "Write @v{inner}, or VERSION AS OF {inner}."),
    ("⋯ SELECT|DISTINCT|,|. * < EXCLUDE > (", "Write EXCEPT: * EXCEPT (a, b)."),
    ("⋯ SELECT|DISTINCT|,|. * < EXCLUDE > !FROM part", "Write EXCEPT: * EXCEPT (a, b)."),
    ("⋯ SELECT|DISTINCT|FROM|JOIN|BY|WHERE|AND|OR|,|.|= < [name] >", "Names are quoted by back-ticks: `{inner}`."),
)
"""Forms of other dialects in a query, all of them syntax errors in every engine, so that none is started."""

NAMES = (
    ("⋯ , < WHERE|GROUP|ORDER|HAVING|LIMIT|JOIN|LEFT|INNER|CROSS|ON >", "Remove the comma before it."),
    ("UPDATE < TABLE > name SET", "Leave out TABLE."),
    ("DELETE FROM < TABLE > name", "Leave out TABLE."),
    ("DESCRIBE|DESC < HISTORY|DETAIL end >", "Say of which table: DESCRIBE {words} t."),
)
"""Patterns of words in place of the name of a table, each with its advice."""


def advice(text: str, stuck: int) -> str:
    """Advice for the text at offset `stuck`, which cannot be parsed; "" where none is certain."""
    if text.startswith("\\", stuck) and not text[:stuck].strip():
        return "Commands that begin with \\ are the shell's, where its input is a terminal."
    return _first((*ADVICE, *QUERIES), text, stuck)


_FORMS = re.compile(
    r"@\s*\d|\[\s*[\w`]|\b(?:EXCLUDE|TIMESTAMP|TOP)\b|\bVERSION\s+\d|\bLIMIT\s+\d+\s*,", re.IGNORECASE | re.ASCII
)
"""A text without a match has no form of QUERIES."""
_RAW = frozenset({"SET", "RESET", "ADD", "LIST", "REFRESH"})
"""Keywords of statements whose text behind them is no SQL."""


def foreign_form(text: str) -> ParseSyntaxError | None:
    """The error for a statement that the grammar accepts, with a form of QUERIES; None for any other statement."""
    if _FORMS.search(text) is None:
        return None
    statement = outline(text)
    caret = next((caret for pattern, _ in QUERIES if (caret := find(pattern, statement))), None)
    if caret is None or statement.verb in _RAW:
        return None
    written = text[slice(*caret)]
    error = ParseSyntaxError(f"Syntax error at or near '{written}'. {_first(QUERIES, text, caret[0])}", written)
    error.caret = Caret(text, *caret)
    return error


def misplaced_word(caret: Caret | None) -> ParseSyntaxError | None:
    """The error for a keyword that was parsed as the name of a table, which does not exist; None for other names."""
    sentence = _first(NAMES, caret.sql, caret.start) if caret else ""
    if not (caret and sentence):
        return None
    word = caret.sql[caret.start : caret.end]
    error = ParseSyntaxError(f"Found '{word}', but expected a table. {sentence}", word, ("a table",))
    error.caret = caret
    return error


def _first(patterns: Sequence[tuple[str, str]], text: str, stuck: int) -> str:
    statement = outline(text)
    for pattern, sentence in patterns:
        caret = find(pattern, statement)
        at_end = "end >" in pattern and stuck == len(text)
        if caret is not None and (caret[0] <= stuck < caret[1] or at_end):
            words = " ".join(text[slice(*caret)].upper().split())
            rest = " ".join(text[caret[0] :].rstrip("; \n").split())
            rest = rest if len(rest) <= _MOST_OF_REST else f"{rest[:_MOST_OF_REST]}…"
            inner = text[slice(*caret)].strip("[] `")
            return sentence.format(verb=statement.verb, words=words, rest=rest, inner=inner)
    return ""
