"""Blanks, comments and case between tokens change nothing but positions; every span is the user's own text."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltasql.base.errors.base import DeltaSqlError
from deltasql.plan.base import ColumnPath, SqlText, TableName
from deltasql.sql.parser import parse
from tests.samples import examples

STATEMENTS = [
    "create table if not exists a . b ( x int not null comment 'q''s' , y struct< a : int , b array< map<string,"
    " decimal( 3 , 2 )>>> default upper( 'x--y' ) not null ) using delta partitioned by ( x )"
    " tblproperties ( 'a' = 'b' , c . d 1 , e = true ) as select 1 , '/* no */' from t where a = `b;c`",
    "alter table t add columns ( date date first , a . b int comment 'x' after date )",
    "alter table t set tblproperties ( delta . x = 'y' )",
    "with a as ( select 1 ) insert with schema evolution overwrite table t partition ( p = 'x' , q )"
    " ( a , b ) select 1",
    "insert into t replace where a in ( select 1 ) and b not in ( 2 ) values ( 1 , 'a' )",
    "with a as ( select 1 ) update t as u set a = case when b then 1 else ( 2 ) end , c . d = default"
    " where e is not null",
    "delete from delta . `/p@v3` d where x [ 0 ] = :p and y = ?",
    "merge with schema evolution into t as target using ( select * from x ) s on target . key = s . key"
    " when matched and s . a > 1 then update set * except ( a , b . c ) when not matched by source then delete"
    " when not matched by target and s . b then insert ( a , b ) values ( s . a + 1 , default )"
    " when matched then update set t . a = s . b , c = 'when' when not matched then insert *",
    "merge into t using s version as of 3 as x on true when matched then delete",
    "describe history t limit 5",
    "show tables in a . b like 'x*'",
    "explain extended delete from t where a = 1",
    "create or replace temporary view v as select ( 1 )",
]
TOKEN = re.compile(r"'(?:[^']|'')*'|`[^`]*`|[:@]?\w+|\S")
GAPS = [" ", "  ", "\n", "\t", " -- a ' ; comment (\n", "/* x */", " /* a /* nested ' */ ` ( */ ", "/*+ hint */"]


def nodes(value: Any) -> Iterator[Any]:
    """All dataclass values in a node, itself first."""
    if dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from nodes(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from nodes(item)


def essence(value: Any) -> Any:
    """A node without positions; runs as their tokens."""
    if isinstance(value, SqlText):
        return plain(value.text)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        kept = [name for name in fields if name not in {"start", "end"}]
        return (type(value).__name__, *(essence(getattr(value, name)) for name in kept))
    if isinstance(value, tuple):
        return tuple(essence(item) for item in value)
    if isinstance(value, str) and not isinstance(value, Enum):
        return plain(value)
    return value


def plain(text: str) -> list[str]:
    for gap in GAPS:
        if gap.strip():
            text = text.replace(gap.strip(" "), " ")
    return [token.lower() for token in TOKEN.findall(text)]


def vary(sql: str, chance: random.Random) -> str:
    """The same statement with other gaps and another case."""
    parts = [chance.choice(["", *GAPS])]
    tokens = TOKEN.findall(sql)
    for token, following in zip(tokens, [*tokens[1:], ";"], strict=True):
        quoted = token[0] in "'`"
        parts.append(token if quoted else "".join(chance.choice([char.lower(), char.upper()]) for char in token))
        words = re.match(r"[\w'`:?]", token[-1]) and re.match(r"[\w'`:?]", following)
        parts.append(chance.choice(GAPS if words else ["", *GAPS]))
    return "".join(parts)


@pytest.mark.parametrize("sql", STATEMENTS)
@examples(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_gaps_and_case_change_nothing(sql: str, seed: int) -> None:
    varied = vary(sql, random.Random(seed))
    node = parse(varied)
    assert essence(node) == essence(parse(sql))
    for part in nodes(node):
        if isinstance(part, SqlText):
            assert varied[part.start : part.end] == part.text
            assert part.text == part.text.strip()
        if isinstance(part, (ColumnPath, TableName)):
            written = varied[part.start : part.end]
            assert written[0] not in " \n\t"
            assert plain(written)[0].strip("`") == part.parts[0].lower()


@examples(max_examples=300)
@given(
    st.text(alphabet="aAwWhHeEnN '\"`()[];,.*/-=1\n@:", max_size=60), st.sampled_from(STATEMENTS), st.integers(0, 200)
)
def test_any_text_is_read_or_refused(noise: str, sql: str, at: int) -> None:
    text = sql[:at] + noise + sql[at:]
    try:
        parse(text)
    except DeltaSqlError as error:
        refused = error
    else:
        return
    assert str(refused)
    assert refused.caret is None or 0 <= refused.caret.start <= refused.caret.end <= len(text)
