"""Errors, advice and completion for a text that cannot be parsed, from the point where parsing got stuck.

Advice for the most frequent mistakes is found by patterns over the statement's words. Completion lists the keywords
that may come next in an unfinished statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deltasql.base import QUOTED_NAME, STRING, Caret, DeltaSqlError, balanced_end, errors, resembles, skip_blanks
from deltasql.sql.parser.automaton import (
    END,
    QUERY_WORDS,
    RUNS,
    WORD,
    Automaton,
    GrammarToken,
    NoParseError,
    ParseStop,
    grammar_tables,
)
from deltasql.sql.queries.query_parts import find, outline

_CREATE = "CREATE|REPLACE [OR] [REPLACE] [EXTERNAL] TABLE [IF] [NOT] [EXISTS]"
_ALTER = "ALTER TABLE name"
_CHANGE = "ALTER TABLE name ALTER|CHANGE [COLUMN] name"
_MERGE = "MERGE [WITH] [SCHEMA] [EVOLUTION]"
_INSERT = "INSERT [WITH] [SCHEMA] [EVOLUTION]"
_NO_OBJECT = "Say what it is: {verb} TABLE …, {verb} VIEW … or {verb} SCHEMA …."

_ADVICE_TYPES = (
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
    ("CREATE [OR] [REPLACE] [TEMPORARY] FUNCTION [IF] [NOT] [EXISTS] name () < end >", "Its body is missing."),
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
    ("SHOW CREATE < name > end", "Write SHOW CREATE TABLE t."),
    ("SHOW COLUMNS < name > end", "Write SHOW COLUMNS IN t."),
    ("SHOW < HISTORY >", "Did you mean DESCRIBE HISTORY?"),
    ("SHOW < DETAIL >", "Did you mean DESCRIBE DETAIL?"),
    ("SHOW < DATABASE|SCHEMA > end", "Did you mean SHOW SCHEMAS?"),
    ("SHOW < CATALOG > end", "Did you mean SHOW CATALOGS?"),
    ("SHOW < CATALOG > LIKE", "Did you mean SHOW CATALOGS?"),
    ("SHOW < CATALOG > name end", "Write DESCRIBE CATALOG name."),
    ("SHOW GROUPS WITH < name >", "Write WITH USER name, or WITH GROUP name."),
    ("SHOW GROUPS WITH < end >", "Write WITH USER name, or WITH GROUP name."),
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
    (f"{_CREATE} name ( ⋯ ~ < part > {_ADVICE_TYPES}", "A comma is missing before {inner}."),
    (f"{_ALTER} ADD COLUMNS ( ⋯ ~ < part > {_ADVICE_TYPES}", "A comma is missing before {inner}."),
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


def foreign_form(text: str) -> errors.ParseSyntaxError | None:
    """The error for a statement that the grammar accepts, with a form of QUERIES; None for any other statement."""
    if _FORMS.search(text) is None:
        return None
    statement = outline(text)
    caret = next((caret for pattern, _ in QUERIES if (caret := find(pattern, statement))), None)
    if caret is None or statement.verb in _RAW:
        return None
    written = text[slice(*caret)]
    error = errors.ParseSyntaxError(f"Syntax error at or near '{written}'. {_first(QUERIES, text, caret[0])}", written)
    error.caret = Caret(text, *caret)
    return error


def misplaced_word(caret: Caret | None) -> errors.ParseSyntaxError | None:
    """The error for a keyword that was parsed as the name of a table, which does not exist; None for other names."""
    sentence = _first(NAMES, caret.sql, caret.start) if caret else ""
    if not (caret and sentence):
        return None
    word = caret.sql[caret.start : caret.end]
    error = errors.ParseSyntaxError(f"Found '{word}', but expected a table. {sentence}", word, ("a table",))
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


_TOKEN = re.compile(rf"{STRING}|{QUOTED_NAME}|\w+(?:\.\d+)?|.", re.DOTALL)
_READABLE = {
    "IDENTIFIER": "a name",
    "STRING": "a string",
    "INTEGER": "a whole number",
    "NUMBER": "a number",
    "EXPRESSION_RUN": "an expression",
    "QUERY_RUN": "a query",
    "SUBQUERY_RUN": "text in parentheses: (…)",
    "SETTING_KEY": "a setting",
    "SETTING_VALUE": "a value",
    "ATOMIC_BLOCK": "statements up to END",
    "DOLLAR_RUN": "$$ … $$",
    "PROCEDURE_RUN": "parameters in parentheses: (…)",
    "_EQUALS": "'='",
    END: "the end of the statement",
}
# They come with another of the terminals, or could stand after any name, and would only blur the message.
_UNTOLD = frozenset(
    {
        "QUOTED_IDENTIFIER",
        "INSERT_ALIAS",
        "OTHER_KIND",
        "CTES_RUN",
        "FROM_RUN",
        "REST_RUN",
        "AT_VERSION",
        "AT_TIMESTAMP",
        "DOT",
        "SEMICOLON",
    }
)
_UNTOLD_KEYWORDS = frozenset(
    {
        *("FOR", "SYSTEM_TIME", "SYSTEM_VERSION"),
        # What these begin is understood, and refused.
        *("PRIMARY", "UNIQUE", "FOREIGN", "REFERENCES", "CLUSTERED", "COLLATE", "RECOVER", "SERDE", "SERDEPROPERTIES"),
        *("MSCK", "REPAIR", "LOAD", "BLOOMFILTER"),
        # Other names of the same things, and what is rarely wanted.
        *(
            "NAMESPACE",
            "NAMESPACES",
            "TEMP",
            "GLOBAL",
            "ALL",
            "CACHED",
            "COLLATIONS",
            "CURRENT",
            "PROCEDURES",
            "SYSTEM",
        ),
        *("USER", "VARIABLE", "VARIABLES", "CODEGEN", "COST"),
    }
)
_TYPES = frozenset({"ARRAY", "INTERVAL", "MAP", "STRUCT"})
"""Where all of these are acceptable, a type is: most types are names to the grammar."""
_LIKELIEST = (
    *("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "DESCRIBE", "SHOW", "EXPLAIN"),
    *("TABLE", "TABLES", "VIEW", "VIEWS", "SCHEMA", "SCHEMAS", "COLUMN", "COLUMNS", "AS", "USING", "PARTITIONED"),
    *("CLUSTER", "COMMENT", "LOCATION", "TBLPROPERTIES", "CATALOG", "FUNCTION", "FUNCTIONS", "EXTERNAL", "TEMPORARY"),
)
_MANY = frozenset({"TABLE", "TABLES", "MERGE", "PARTITIONED"})
"""Where one of these is acceptable, so many others are that the likeliest come first."""
_BESIDE_PARTITION = frozenset({"COLUMNS", "RENAME"})
"""Where one of these is acceptable, PARTITION begins a statement that is refused."""
_BEHIND = {
    ";": "One call runs one statement; several are run one by one, or between BEGIN and END.",
    "EXCEPT": "Write the columns in parentheses: EXCEPT (a, b).",
}
_MOST_EXPECTED = 10
_MOST_QUOTED = 100


def syntax_error(text: str, stuck: ParseStop) -> errors.ParseSyntaxError:
    """The error for a text that got stuck: the text found, the texts expected, and the keyword probably meant."""
    if stuck.position == len(text) and "RPAR" in stuck.expected:
        unclosed = _unclosed(text)
        if unclosed:
            return unclosed
    expected = readable(stuck.expected)
    keywords = [*_keywords(stuck.expected), *(sorted(QUERY_WORDS) if "QUERY_RUN" in stuck.expected else ())]
    misspelt = _misspelt(text, stuck, keywords)
    start, end = misspelt[:2] if misspelt else (stuck.position, _token_end(text, stuck.position))
    token_text = text[start:end]
    reason = f"Found {_quoted(token_text)}, but expected {_list(expected)}."
    if stuck.previous is None:
        reason = f"No statement starts with {_quoted(token_text)}."
    meant = f"Did you mean {misspelt[2]}?" if misspelt else _advice(token_text.upper(), stuck, text)
    hint = meant or advice(text, stuck.position)
    return errors.ParseSyntaxError(f"{reason} {hint}".strip(), token_text, expected).at(Caret(text, start, end))  # type: ignore[return-value]


def _unclosed(text: str) -> errors.ParseSyntaxError | None:
    """The error for a parenthesis that is still open at the end."""
    try:
        balanced_end(text, 0)
    except errors.ParseSyntaxError as error:
        return error
    return None


def readable(terminals: frozenset[str]) -> tuple[str, ...]:
    """Terminals in words: kinds such as `a name` first, then keywords, then punctuation."""
    things = [_READABLE[name] for name in _READABLE if name in terminals and name != END]
    words = set(_keywords(terminals))
    if words >= _TYPES:
        things, words = ["a type", *(thing for thing in things if thing != "a name")], words - _TYPES
    shown = terminals - _UNTOLD
    symbols = [f"'{char}'" for char, name in grammar_tables().symbols.items() if name in shown]
    last = [_READABLE[END]] if END in terminals else []
    return (*things, *_listed_keywords(words), *symbols, *last) or _only_rest(terminals)


def _only_rest(terminals: frozenset[str]) -> tuple[str, ...]:
    return ("the rest of the statement",) if "REST_RUN" in terminals else ()


def _listed_keywords(words: set[str]) -> list[str]:
    """The keywords to list in a message, in their order there."""
    # Where nothing else could stand, it is told all the same.
    words = words - _UNTOLD_KEYWORDS or words
    words = words - {"FILEFORMAT"} if "LOCATION" in words else words
    words = words - {"PARTITION", "IF"} if words & _BESIDE_PARTITION else words
    return sorted(words, key=_likelihood if words & _MANY else None)


def _likelihood(word: str) -> tuple[int, str]:
    return _LIKELIEST.index(word) if word in _LIKELIEST else len(_LIKELIEST), word


def _keywords(terminals: frozenset[str]) -> list[str]:
    return [word for word, name in grammar_tables().keywords.items() if name in terminals]


def _token_end(text: str, start: int) -> int:
    match = _TOKEN.match(text, start)
    return match.end() if match else start


def _quoted(text: str) -> str:
    if not text:
        return "the end of the statement"
    if len(text) > _MOST_QUOTED:
        text = f"{text[:_MOST_QUOTED]}…"
    return f"'{text}'" if "'" not in text else text


def _list(expected: tuple[str, ...]) -> str:
    shown = list(expected[:_MOST_EXPECTED])
    if len(expected) > _MOST_EXPECTED:
        return ", ".join(shown) + ", …"
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else "nothing more"


def _misspelt(text: str, stuck: ParseStop, keywords: list[str]) -> tuple[int, int, str] | None:
    """(start, end, keyword) of a word that resembles a keyword: the one at the error, or a name just before it."""
    misspelt = WORD.match(text, _inside(text, stuck.position))
    words = [misspelt] if misspelt else []
    words += _words_before(text, stuck.previous)
    for word in words:
        if word[0].upper() in grammar_tables().keywords:
            continue
        for keyword in keywords:
            if resembles(word[0].upper(), keyword):
                return word.start(), word.end(), keyword
    return None


def _inside(text: str, position: int) -> int:
    """The offset of the first thing in the parentheses that open at `position`, or `position`."""
    while text.startswith("(", position):
        position = skip_blanks(text, position + 1)
    return position


def _words_before(text: str, previous: GrammarToken | None) -> list[re.Match[str]]:
    if previous is None or previous.name not in {"IDENTIFIER", "EXPRESSION_RUN"}:
        return []
    return list(WORD.finditer(text, previous.start, previous.end))


def _advice(token_text: str, stuck: ParseStop, text: str) -> str:
    """Advice for the most frequent mistakes, as a sentence."""
    keywords = frozenset(_keywords(stuck.expected))
    if token_text == "INSERT" and keywords == {"DELETE", "UPDATE"}:
        return "INSERT belongs to WHEN NOT MATCHED."
    if token_text in {"UPDATE", "DELETE"} and keywords == {"INSERT"}:
        return f"{token_text} belongs to WHEN MATCHED or WHEN NOT MATCHED BY SOURCE."
    before = "" if stuck.previous is None else text[stuck.previous.start : stuck.previous.end].upper()
    if before in _BEHIND:
        return _BEHIND[before]
    if before == "," and token_text in {")", "", "WHERE", "WHEN"}:
        return "Remove the comma before it."
    is_place_of_name = "IDENTIFIER" in stuck.expected and (not keywords or before in {",", "("})
    return _quoting(token_text) if is_place_of_name else ""


def _quoting(text: str) -> str:
    """Advice to quote a reserved word that is meant as a name; "" for other texts."""
    return f"To use it as a name, write `{text.lower()}`." if WORD.match(text) and not text.isdigit() else ""


class Expected(frozenset[str]):
    """The keywords that may come next.

    With `name` a name of the user's own, or an expression, may come too; with `expression` an expression, or the rest
    of a query.
    """

    name: bool = False
    expression: bool = False


def expected_keywords(sql_prefix: str) -> Expected:
    """The keywords after `sql_prefix`, whose last word counts as finished. Empty after a syntax error."""
    automaton = Automaton(sql_prefix)
    try:
        automaton.parse()
    except NoParseError:
        pass
    except DeltaSqlError:
        return _expected(frozenset(), name=True, expression=True)
    stuck = automaton.furthest
    if stuck.position < len(sql_prefix):
        return _expected(frozenset(), name=False)
    keywords = frozenset(word for word, name in grammar_tables().keywords.items() if name in stuck.expected)
    if "QUERY_RUN" in stuck.expected:
        keywords |= QUERY_WORDS
    # A run that ends here may as well go on.
    in_run = stuck.previous is not None and stuck.previous.name in RUNS
    expression = in_run or "EXPRESSION_RUN" in stuck.expected
    return _expected(keywords, name=expression or "IDENTIFIER" in stuck.expected, expression=expression)


def _expected(keywords: frozenset[str], *, name: bool, expression: bool = False) -> Expected:
    expected = Expected(keywords)
    expected.name, expected.expression = name, expression
    return expected
