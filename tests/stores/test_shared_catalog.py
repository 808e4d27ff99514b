"""Names of a warehouse on a server that speaks S3, which several processes see and change."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import deltasql
from deltasql.catalog import Catalog
from tests.stores.conftest import Store

PROCESSES = 8


def side_by_side(code: str, *arguments: str) -> list[list[str]]:
    """What so many processes print as JSON, which begin their work together; each has its number behind `arguments`."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + code, *arguments, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    printed = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    return [json.loads(text) for text in printed]


PREAMBLE = """
import json, random, sys
from contextlib import suppress
from deltasql.catalog import Catalog
from deltasql.base.errors import TableAlreadyExistsError, TableNotFoundError

*arguments, number = sys.argv[1:]
catalog = Catalog(arguments[0])
choose = random.Random(int(number))
print("ready", flush=True)
sys.stdin.readline()
"""

CREATE = """
won = []
for name in choose.sample(["a", "b", "c", "d"], 4):
    if catalog.create_schema(name, comment=number, if_not_exists=True):
        won.append(name)
    with suppress(TableAlreadyExistsError):
        catalog.register((name, "t"), f"s3://elsewhere/{number}", managed=False)
        won.append(name + ".t")
    catalog.register((name, f"own_{number}"), "s3://elsewhere/own", managed=False)
print(json.dumps(won))
"""

RENAME = """
for _ in range(12):
    old, new = choose.choice("ab"), choose.choice("ab")
    with suppress(TableNotFoundError, TableAlreadyExistsError):
        catalog.rename((old, choose.choice("tu")), (new, choose.choice("tu")))
print("[]")
"""


def test_processes_that_create_the_same_names(s3: Store) -> None:
    won = side_by_side(CREATE, s3.url("wh"))
    schemas = ["a", "b", "c", "d"]
    assert sorted(name for names in won for name in names) == sorted([*schemas, *(f"{name}.t" for name in schemas)])
    catalog = Catalog(s3.url("wh"))
    for number, names in enumerate(won):
        for name in names:
            if name.endswith(".t"):
                assert catalog.require(tuple(name.split("."))).location == f"s3://elsewhere/{number}"
            else:
                assert catalog.schema(name).comment == str(number)
    for name in schemas:
        assert len(catalog.tables(name)) == PROCESSES + 1


def test_processes_that_rename_the_same_tables(s3: Store) -> None:
    catalog = Catalog(s3.url("wh"))
    for schema in "ab":
        catalog.create_schema(schema)
        catalog.register((schema, "t"), f"s3://elsewhere/{schema}", managed=True)
    side_by_side(RENAME, s3.url("wh"))
    left = [entry.location for schema in "ab" for entry in Catalog(s3.url("wh")).tables(schema)]
    assert sorted(left) == ["s3://elsewhere/a", "s3://elsewhere/b"]


def test_a_session_finds_the_names_of_another_machine(
    s3: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of them is kept where the user's own files are."""
    with deltasql.connect(s3.url("wh")) as session:
        session.sql("CREATE SCHEMA sales COMMENT 'of the year'")
        session.sql("CREATE TABLE sales.orders (id INT)")
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with deltasql.connect(s3.url("wh") + "/") as session:
        assert session.sql("SHOW TABLES IN sales").collect() == [("sales", "orders", False)]
        assert session.sql("DESCRIBE TABLE sales.orders").collect()[0][:2] == ("id", "int")
        session.sql("ALTER TABLE sales.orders RENAME TO default.kept")
        session.sql("DROP SCHEMA sales")
        assert session.sql("SHOW TABLES").collect() == [("default", "kept", False)]
    assert list(tmp_path.iterdir()) == []


def test_a_bucket_that_is_not_there(s3: Store) -> None:
    catalog = Catalog(s3.root + "-missing/wh")
    assert catalog.tables() == []
    with pytest.raises(deltasql.DeltaSqlError, match=r"NoSuchBucket|not found"):
        catalog.create_schema("s")
