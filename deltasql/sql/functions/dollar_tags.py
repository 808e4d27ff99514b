"""Bodies of functions between tags, `$py$ … $py$`: as all readers of SQL take them, between `$$`."""

from __future__ import annotations

import re

from deltasql.sql.tokens import TOKEN

_NAMED = re.compile(r"\w\$")
_TAG = re.compile(r"\$[A-Za-z_]\w*\$")


def without_tags(sql: str) -> str:
    """`sql` with `$$` in place of the tags around a body, at the same offsets.

    Unclosed tags stay, and so do those around a text that holds `$$`.
    """
    if _TAG.search(sql) is None:
        return sql
    pieces, at, kept = list[str](), 0, 0
    while at < len(sql):
        token, tag = TOKEN.match(sql, at), _TAG.match(sql, at)
        assert token is not None
        end = (
            -1 if tag is None or (at and (sql[at - 1].isalnum() or sql[at - 1] == "_")) else sql.find(tag[0], tag.end())
        )
        if tag is None or end < 0 or "$$" in sql[tag.end() : end]:
            at = token.end()
            continue
        blanks = " " * (len(tag[0]) - 2)
        pieces += [sql[kept:at], blanks, "$$", sql[tag.end() : end], "$$", blanks]
        at = kept = end + len(tag[0])
    return "".join([*pieces, sql[kept:]])
