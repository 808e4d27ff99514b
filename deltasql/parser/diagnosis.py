"""From the place where parsing got stuck to an error that helps."""

from __future__ import annotations

import re

from deltasql.errors.base import Caret
from deltasql.errors.syntax import ParseSyntaxError
from deltasql.parser.automaton import Stuck, Token
from deltasql.parser.lexicon import STRING, balanced_end
from deltasql.parser.runs import QUERY_WORDS, WORD
from deltasql.parser.tables import END, grammar_tables

_FOUND = re.compile(rf"{STRING}|`(?:[^`]|``)*`|\w+(?:\.\d+)?|.", re.DOTALL)
_READABLE = {
    "IDENTIFIER": "a name",
    "STRING": "a string",
    "INTEGER": "a whole number",
    "NUMBER": "a number",
    "EXPRESSION_RUN": "an expression",
    "QUERY_RUN": "a query",
    "SUBQUERY_RUN": "text in parentheses",
    "SETTING_KEY": "a setting",
    "SETTING_VALUE": "a value",
    END: "the end of the statement",
}
# They come with another of the terminals, or could stand after any name, and would only blur the message.
_UNTOLD = frozenset({"QUOTED_IDENTIFIER", "CTES_RUN", "REST_RUN", "AT_VERSION", "AT_TIMESTAMP", "DOT", "SEMICOLON"})
_UNTOLD_KEYWORDS = frozenset(
    {
        *("FOR", "SYSTEM_TIME", "SYSTEM_VERSION"),
        # What these begin is understood, and refused.
        *("PRIMARY", "UNIQUE", "FOREIGN", "REFERENCES", "CLUSTERED", "COLLATE", "RECOVER", "SERDE", "SERDEPROPERTIES"),
        *("FILEFORMAT", "MSCK", "REPAIR", "LOAD"),
    }
)
_BESIDE_PARTITION = frozenset({"COLUMNS", "RENAME"})
"""Where one of these may stand, PARTITION begins a statement that is refused."""
_MOST_TOLD = 10


def syntax_error(text: str, stuck: Stuck) -> ParseSyntaxError:
    """The error for a text that got stuck: what stands there, what could, and a keyword that was probably meant."""
    if stuck.position == len(text) and "RPAR" in stuck.expected:
        unclosed = _unclosed(text)
        if unclosed:
            return unclosed
    expected = readable(stuck.expected)
    keywords = [*_keywords(stuck.expected), *(sorted(QUERY_WORDS) if "QUERY_RUN" in stuck.expected else ())]
    misspelt = _misspelt(text, stuck, keywords)
    start, end = misspelt[:2] if misspelt else (stuck.position, _found_end(text, stuck.position))
    found = text[start:end]
    reason = f"Found {_quoted(found)}, but expected {_list(expected)}."
    if stuck.previous is None:
        reason = f"No statement starts with {_quoted(found)}."
    advice = f"Did you mean {misspelt[2]}?" if misspelt else _advice(found.upper(), stuck, text)
    return ParseSyntaxError(f"{reason} {advice}".strip(), found, expected).at(Caret(text, start, end))  # type: ignore[return-value]


def _unclosed(text: str) -> ParseSyntaxError | None:
    """The error for a parenthesis that is still open at the end."""
    try:
        balanced_end(text, 0)
    except ParseSyntaxError as error:
        return error
    return None


def readable(terminals: frozenset[str]) -> tuple[str, ...]:
    """What terminals stand for, in words: things first, then keywords, then punctuation."""
    things = [_READABLE[name] for name in _READABLE if name in terminals and name != END]
    words = set(_keywords(terminals)) - _UNTOLD_KEYWORDS
    keywords = sorted(words - {"PARTITION", "IF"} if words & _BESIDE_PARTITION else words)
    told = terminals - _UNTOLD
    symbols = [f"'{char}'" for char, name in grammar_tables().symbols.items() if name in told]
    last = [_READABLE[END]] if END in terminals else []
    return (*things, *keywords, *symbols, *last)


def _keywords(terminals: frozenset[str]) -> list[str]:
    return [word for word, name in grammar_tables().keywords.items() if name in terminals]


def _found_end(text: str, start: int) -> int:
    found = _FOUND.match(text, start)
    return found.end() if found else start


def _quoted(found: str) -> str:
    if not found:
        return "the end of the statement"
    return f"'{found}'" if "'" not in found else found


def _list(expected: tuple[str, ...]) -> str:
    shown = list(expected[:_MOST_TOLD])
    if len(expected) > _MOST_TOLD:
        return ", ".join(shown) + ", …"
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else "nothing more"


def _misspelt(text: str, stuck: Stuck, keywords: list[str]) -> tuple[int, int, str] | None:
    """(start, end, keyword) of a word that resembles a keyword: the one here, or one just taken as a name before."""
    here = WORD.match(text, stuck.position)
    words = [here] if here else []
    words += _words_before(text, stuck.previous)
    for word in words:
        if word[0].upper() in grammar_tables().keywords:
            continue
        for keyword in keywords:
            if _resembles(word[0].upper(), keyword):
                return word.start(), word.end(), keyword
    return None


def _words_before(text: str, previous: Token | None) -> list[re.Match[str]]:
    if previous is None or previous.name not in {"IDENTIFIER", "EXPRESSION_RUN"}:
        return []
    return list(WORD.finditer(text, previous.start, previous.end))


def _resembles(word: str, keyword: str) -> bool:
    """True for one wrong, missing, added or swapped letter; two in words of seven letters or more."""
    allowed = 2 if len(keyword) > 6 else 1
    return len(keyword) > 2 and len(word) > 2 and _distance(word, keyword) <= allowed


def _distance(left: str, right: str) -> int:
    """Edits between two words, where swapping neighbours is one edit (optimal string alignment)."""
    if abs(len(left) - len(right)) > 2:
        return 3
    rows = [list(range(len(right) + 1))]
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def _advice(found: str, stuck: Stuck, text: str) -> str:
    """A sentence for the mistakes that are made most."""
    keywords = frozenset(_keywords(stuck.expected))
    if found == "INSERT" and keywords == {"DELETE", "UPDATE"}:
        return "INSERT belongs to WHEN NOT MATCHED."
    if found in {"UPDATE", "DELETE"} and keywords == {"INSERT"}:
        return f"{found} belongs to WHEN MATCHED or WHEN NOT MATCHED BY SOURCE."
    before = "" if stuck.previous is None else text[stuck.previous.start : stuck.previous.end].upper()
    if before == "EXCEPT":
        return "Write the columns in parentheses: EXCEPT (a, b)."
    if before == "," and found in {")", ""}:
        return "Remove the comma before it."
    is_place_of_name = "IDENTIFIER" in stuck.expected and (not keywords or before in {",", "("})
    if is_place_of_name and WORD.match(found):
        return f"To use it as a name, write `{found.lower()}`."
    return ""
