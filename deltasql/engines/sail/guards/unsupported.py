"""SQL that Sail accepts and interprets differently from Spark: such a statement must not run on it.

Each entry was tried on Sail 0.7.2. `docs/sail.md` lists them for users.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deltasql.base.lazy import exp
from deltasql.sql.references import parse_statement
from deltasql.sql.tokens import tokenize

_FORMATS = frozenset({"avro", "binaryfile", "csv", "json", "orc", "parquet", "text", "xml"})
_SUSPECT = re.compile(r"\b(?:in|using)\s*\(", re.IGNORECASE)
_COMMANDS = (
    (re.compile(r"\s*(?:create|drop)\s+(?:or\s+replace\s+)?(?:temporary\s+)?function\b", re.IGNORECASE), "functions"),
)


_UNREAD = (
    ("recursive", re.compile(r"\bwith\s+recursive\b", re.IGNORECASE), "WITH RECURSIVE"),
    ("qualify", re.compile(r"(?<![.,`])\bqualify\s+(?!as\b|from\b|then\b)[\w(]", re.IGNORECASE), "QUALIFY"),
    (
        "collate",
        re.compile(
            r"(?<![.,`])\bcollate\s+(?!(?:as|from|then|is|in|and|or|not|like|between|desc|asc)\b)\w", re.IGNORECASE
        ),
        "collations",
    ),
    ("pivot", re.compile(r"\b(?:un)?pivot\s*\(", re.IGNORECASE), "PIVOT and UNPIVOT"),
)


def _bare(sql: str) -> str:
    """The words of a text, without comments, strings and quoted names."""
    return " ".join(token.text for token in tokenize(sql) if token.kind not in {"string", "quoted"})


def unsupported_command(sql: str) -> str:
    """The kind of a command of Spark's that Sail executes differently, in words; "" for any other."""
    return next((name for pattern, name in _COMMANDS if pattern.match(sql)), "")


def unsupported_construct(sql: str) -> str:
    """The part of a query that Sail interprets differently, in words; "" for none known."""
    if _reads_files(sql):
        return "files that are read by their path, such as csv.`…`, which COPY INTO reads"
    if what := next(
        (what for word, pattern, what in _UNREAD if word in sql.lower() and pattern.search(_bare(sql))), ""
    ):
        return what
    if not _SUSPECT.search(sql):
        return ""
    tree = parse_statement(sql)
    return "" if tree is None else next(_unlike(tree), "")


def unsupported_condition(condition: str) -> str:
    """As `unsupported_construct`, for a condition."""
    return unsupported_construct(f"SELECT * FROM t WHERE {condition}") if _SUSPECT.search(condition) else ""


def _reads_files(sql: str) -> bool:
    tokens = tokenize(sql)
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return any(
        first.is_name and first.name.lower() in _FORMATS and dot.key == "." and "/" in last.name
        for first, dot, last in triples
        if last.is_name
    )


def _unlike(tree: exp.Expression) -> Iterator[str]:
    for node in tree.find_all(exp.In):
        if node.args.get("query") is not None and not _is_plain(node):
            yield "IN (SELECT …) below OR NOT, CASE or a comparison, where NULL is no FALSE"
    for join in tree.find_all(exp.Join):
        select = join.parent_select
        if join.args.get("using") and select is not None and any(map(_is_qualified_star, select.expressions)):
            yield "alias.* beside JOIN … USING, whose columns it leaves out"


def _is_plain(node: exp.Expression) -> bool:
    """Whether FALSE in place of NULL makes no difference to the filter that contains an IN."""
    negated = isinstance(node.parent, exp.Not)
    at = node.parent.parent if negated and node.parent is not None else node.parent
    while isinstance(at, (exp.And, exp.Paren)) or (isinstance(at, exp.Or) and not negated):
        at = at.parent
    return isinstance(at, (exp.Where, exp.Having, exp.Join))


def _is_qualified_star(column: exp.Expression) -> bool:
    return isinstance(column, exp.Column) and isinstance(column.this, exp.Star)
