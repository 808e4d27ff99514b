"""Calls of functions that Databricks SQL has and Spark lacks, which become SQL of Spark or are refused.

`builtin_functions.json` is the one table. A function of ours that needs nothing but its arguments becomes the text
`before` in place of its name and bracket, and `after` in place of the closing one. Secrets are those of the process:
the environment variable `DELTASQL_SECRET_<SCOPE>_<KEY>`, or an entry of the JSON file that `DELTASQL_SECRETS` names.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from deltasql.base import DeltaSqlError, Token, __version__, closing, comma_separated, conceal, errors, tokenize
from deltasql.schema import quote_text
from deltasql.sql.added_calls import added_functions, marker, with_calls
from deltasql.sql.constants import unquote
from deltasql.sql.statement_texts import Replacement, first_of_call, is_whole_column, splice

_FILE = Path(__file__).with_name("builtin_functions.json")
_PREFIX = "DELTASQL_SECRET_"
_SECRETS_FILE = "DELTASQL_SECRETS"
SECRET_FUNCTIONS = frozenset({"secret", "try_secret", "list_secrets"})


@cache
def builtin_table() -> dict[str, Any]:
    """The table: functions that are `ours` and `also_ours` by name, and groups that are `refused` with their advice."""
    table: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return table


@cache
def refused_functions() -> Mapping[str, str]:
    """Functions of Databricks that deltasql refuses, each with its advice."""
    return {name: group["advice"] for group in builtin_table()["refused"] for name in group["names"].split()}


@cache
def _pattern() -> re.Pattern[str]:
    names = "|".join([*builtin_table()["ours"], *refused_functions(), *added_functions()])
    return re.compile(rf"(?<![\w`.])`?(?:{names})`?\s*\(|\bbuiltin\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BuiltinCall:
    """A call of a function that Spark lacks: `name` in lower case, `parts` as it is called.

    The call is from `start` to `end`; its brackets are at `opens` and `closes`. `arguments` are texts. `is_column`: it
    is a whole column of a SELECT, whose name would be that of Spark's function, or the value of a secret.
    """

    name: str
    parts: tuple[str, ...]
    start: int
    opens: int
    closes: int
    arguments: tuple[str, ...]
    is_column: bool = False

    @property
    def alias(self) -> str:
        """The name of a whole column: the call as it is written; "" for a part of an expression."""
        shown = f"{self.name}({', '.join(self.arguments)})".replace("`", "")
        return f" AS `{shown}`" if self.is_column else ""

    @property
    def end(self) -> int:
        return self.closes + 1


def builtin_calls(sql: str) -> Iterator[BuiltinCall]:
    """The calls in a text, without those of functions of a schema."""
    if _pattern().search(sql) is None:
        return
    tokens = tokenize(sql)
    for index in range(len(tokens) - 1):
        call = _call(sql, tokens, index)
        if call is not None:
            yield call


def _call(sql: str, tokens: Sequence[Token], index: int) -> BuiltinCall | None:
    """The call whose name is the token at `index`; None where there is none."""
    name = tokens[index].name.lower() if tokens[index].is_name else ""
    if tokens[index + 1].key != "(" or not _is_known(name):
        return None
    first, end = first_of_call(tokens, index), closing(tokens, index + 1)
    if first is None or end >= len(tokens):
        return None
    inner = comma_separated(tokens[index + 2 : end])
    arguments = tuple(sql[item[0].start : item[-1].end] for item in inner if item)
    parts = tuple(item.name for item in tokens[first : index + 1] if item.key != ".")
    opens, closes = tokens[index + 1].start, tokens[end].start
    return BuiltinCall(name, parts, tokens[first].start, opens, closes, arguments, is_whole_column(tokens, first, end))


def _is_known(name: str) -> bool:
    return name in builtin_table()["ours"] or name in refused_functions() or name in added_functions()


def own_text(call: BuiltinCall, metastore: str = "") -> list[Replacement]:
    """The replacements that make SQL of Spark of a call, if it needs no more than its arguments; else none.

    Those of a geospatial function give a text for `with_calls`, and raise what `marker` raises.
    """
    if call.name in added_functions():
        return [(call.start, call.opens + 1, marker(call.name, len(call.arguments)))]
    entry = builtin_table()["ours"].get(call.name, {})
    if "before" not in entry:
        return []
    before = entry["before"].replace("{metastore}", metastore).replace("{version}", __version__)
    if "after" in entry:
        return [(call.start, call.opens + 1, before), (call.closes, call.end, entry["after"] + call.alias)]
    return [(call.start, call.end, before + call.alias)] if not call.arguments else []


def translated(sql: str) -> str:
    """An expression of a table with calls of Spark's functions in place of those that Spark lacks."""
    return with_calls(splice(sql, [edit for call in builtin_calls(sql) for edit in own_text(call)]).sql)


def secret_text(call: BuiltinCall) -> str:
    """The SQL of a call of `secret`, `try_secret` or `list_secrets`.

    Raises SecretArgumentError for arguments that are no texts, SecretNotFoundError.
    """
    arguments = [_text(call, argument) for argument in call.arguments]
    if call.name == "list_secrets":
        return _listed(arguments[0] if arguments else None)
    if len(arguments) != 2:
        raise errors.SecretArgumentError(call.name, ", ".join(call.arguments) or "no argument")
    value = _secrets().get((_folded(arguments[0]), _folded(arguments[1])))
    if value is not None:
        conceal(value)
        return quote_text(value) + call.alias
    if call.name == "try_secret":
        return f"CAST(NULL AS STRING){call.alias}"
    variable = f"{_PREFIX}{_folded(arguments[0])}_{_folded(arguments[1])}"
    raise errors.SecretNotFoundError(arguments[0], arguments[1], variable)


def _text(call: BuiltinCall, argument: str) -> str:
    """The value of an argument, which must be a text: its name may stand before it."""
    tokens = tokenize(argument)
    if len(tokens) == 3 and tokens[1].key == "=>":
        tokens = tokens[2:]
    if len(tokens) != 1 or tokens[0].kind != "string":
        raise errors.SecretArgumentError(call.name, argument)
    return unquote(tokens[0].text)


def _folded(name: str) -> str:
    """A scope or a key as a part of the name of an environment variable."""
    return re.sub(r"\W", "_", name).upper()


def _secrets() -> dict[tuple[str, str], str]:
    """The secrets by the folded names of scope and key; the file comes before single variables."""
    found = {(_folded(scope), _folded(key)): value for (scope, key), value in _of_file().items()}
    for variable, value in os.environ.items():
        if variable.startswith(_PREFIX):
            words = variable.removeprefix(_PREFIX).split("_")
            for length in range(1, len(words)):
                found.setdefault(("_".join(words[:length]), "_".join(words[length:])), value)
    return found


def _of_file() -> dict[tuple[str, str], str]:
    """The secrets of the file by scope and key. Raises SecretsFileError."""
    path = os.environ.get(_SECRETS_FILE)
    if not path:
        return {}
    try:
        scopes = json.loads(Path(path).read_text(encoding="utf-8"))
        return {(scope, key): str(value) for scope, keys in scopes.items() for key, value in keys.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise _file_error(error) from None


def _file_error(error: Exception) -> DeltaSqlError:
    reason = error.strerror or "" if isinstance(error, OSError) else 'it is no JSON like {"scope": {"key": "value"}}'
    return errors.SecretsFileError(_SECRETS_FILE, reason)


def _listed(scope: str | None) -> str:
    """The names of the secrets as a query."""
    names = set(_of_file())
    for variable in os.environ:
        if variable.startswith(_PREFIX):
            of, _, key = variable.removeprefix(_PREFIX).lower().partition("_")
            names.add((of, key))
    rows = [pair for pair in sorted(names) if scope is None or _folded(pair[0]) == _folded(scope)]
    listed = ", ".join(f"({quote_text(of)}, {quote_text(key)})" for of, key in rows)
    return (
        f"(SELECT * FROM VALUES {listed} AS list_secrets(scope, key))"
        if rows
        else "(SELECT '' AS scope, '' AS key WHERE FALSE)"
    )
