"""The error for a text that cannot be parsed, from the point where parsing got stuck.

Completion of statements: the keywords that may come next in an unfinished one.
"""

from __future__ import annotations

import re

from deltasql.base.errors.base import Caret, DeltaSqlError
from deltasql.base.errors.suggestion import resembles
from deltasql.base.errors.syntax import ParseSyntaxError
from deltasql.base.patterns import QUOTED_NAME, STRING
from deltasql.sql.extents import balanced_end, skip_blanks
from deltasql.sql.parser.advice import advice
from deltasql.sql.parser.automaton import Automaton, GrammarToken, NoParseError, ParseStop
from deltasql.sql.parser.runs import QUERY_WORDS, RUNS, WORD
from deltasql.sql.parser.tables import END, grammar_tables

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
    END: "the end of the statement",
}
# They come with another of the terminals, or could stand after any name, and would only blur the message.
_UNTOLD = frozenset(
    {
        "QUOTED_IDENTIFIER",
        "INSERT_ALIAS",
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
        *("MSCK", "REPAIR", "LOAD"),
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


def syntax_error(text: str, stuck: ParseStop) -> ParseSyntaxError:
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
    return ParseSyntaxError(f"{reason} {hint}".strip(), token_text, expected).at(Caret(text, start, end))  # type: ignore[return-value]


def _unclosed(text: str) -> ParseSyntaxError | None:
    """The error for a parenthesis that is still open at the end."""
    try:
        balanced_end(text, 0)
    except ParseSyntaxError as error:
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
