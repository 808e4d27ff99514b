"""Two writers of which one changes the table itself: its metadata, protocol, domains, or what an application wrote."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deltasql.base.errors import AmbiguousWriteError
from deltasql.log import operations
from deltasql.log.committers import FileSystemCommitter
from tests.unit.concurrency.writers import (
    OK,
    Begin,
    Lab,
    append,
    at_once,
    creates_with_a_file,
    file,
    nothing,
    outcomes,
    raises_identity,
    rewrite,
    statement,
)

MC, PC, CW, CT = (
    f"DELTA_{name}" for name in ("METADATA_CHANGED", "PROTOCOL_CHANGED", "CONCURRENT_WRITE", "CONCURRENT_TRANSACTION")
)
CA_ALL = "DELTA_CONCURRENT_APPEND.WHOLE_TABLE_READ"

LEVELS = ("WriteSerializable", "Serializable")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmp_path)
    yield made
    made.close()


SET_A = statement("ALTER TABLE {t} SET TBLPROPERTIES ('a' = 'b')")
SET_C = statement("ALTER TABLE {t} SET TBLPROPERTIES ('c' = 'd')")
ADD_COLUMN = statement("ALTER TABLE {t} ADD COLUMNS (b INT)")
VECTORS = statement("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
SERIALIZABLE = statement("ALTER TABLE {t} SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')")
RESTORE = statement("RESTORE {t} TO VERSION AS OF 1")
REPLACE = statement("CREATE OR REPLACE TABLE {t} (id INT)")
UPDATE, OPTIMIZE = rewrite("f0", "n"), rewrite("f0", "n", "OPTIMIZE")
WRITES: dict[str, Begin] = {"append": append("n"), "update": UPDATE, "optimize": OPTIMIZE}

# Of a table of two files without features.
PLAIN: dict[str, tuple[Begin, Begin, str]] = {
    **{f"X-01 {name}": (SET_A, write, MC) for name, write in WRITES.items()},
    **{f"X-02 {name}": (write, SET_A, OK) for name, write in WRITES.items()},
    "X-03": (ADD_COLUMN, append("n"), MC),
    "X-03 changed about": (append("n"), ADD_COLUMN, OK),
    "X-04": (SET_A, SET_C, MC),
    **{f"X-05 {name}": (VECTORS, write, PC) for name, write in WRITES.items()},
    "X-11": (REPLACE, REPLACE, MC),
    "X-12": (REPLACE, append("n"), MC),
    "X-13": (append("n", txn=("app1", 1)), append("m", txn=("app1", 1)), CT),
    "X-14": (append("n", txn=("app1", 1)), append("m", txn=("app2", 1)), OK),
    "X-15": (append("n", txn=("app1", 1)), append("m", reads="app1"), CT),
    "X-15 another": (append("n", txn=("app1", 1)), append("m", reads="app2"), OK),
    "X-28": (RESTORE, append("n"), OK),
    **{f"X-28 {name} first": (write, RESTORE, CW) for name, write in WRITES.items()},
    "X-30": (SERIALIZABLE, append("n"), MC),
    "X-32": (UPDATE, nothing, OK),
    "X-33": (OPTIMIZE, append("m"), OK),
    "X-33 changed about": (append("m"), OPTIMIZE, OK),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("first", "last", "ends"), PLAIN.values(), ids=PLAIN)
def test_a_plain_table(lab: Lab, first: Begin, last: Begin, ends: str, level: str) -> None:
    lab.create(f"delta.isolationLevel={level}")
    check(lab, first, last, ends)


def check(lab: Lab, first: Begin, last: Begin, ends: str) -> None:
    """The first one commits, the last one ends like this, and the log has a version for each that did."""
    before = lab.log().snapshot().version
    assert outcomes(lab, first, last) == [OK, ends]
    log = lab.log()
    assert log.snapshot().version == before + 1 + (ends == OK)
    paths = log.snapshot().files(["path"])["path"].to_pylist()
    assert len(paths) == len(set(paths))


DOMAINS: dict[str, tuple[Begin, Begin, str]] = {
    "X-16": (append("n", domain="d1"), append("m", domain="d1"), CT),
    "X-17": (append("n", domain="d1"), append("m", domain="d2"), OK),
}


@pytest.mark.parametrize(("first", "last", "ends"), DOMAINS.values(), ids=DOMAINS)
def test_domains(lab: Lab, first: Begin, last: Begin, ends: str) -> None:
    lab.create("delta.feature.domainMetadata=supported")
    check(lab, first, last, ends)


CLUSTER_BY_B = statement("ALTER TABLE {t} CLUSTER BY (b)")
CLUSTERED: dict[str, tuple[Begin, Begin, str]] = {
    # The columns are a matter of the domain; there is no new metadata.
    "X-18": (CLUSTER_BY_B, append("n"), OK),
    "X-18 update": (CLUSTER_BY_B, UPDATE, OK),
    "X-19": (CLUSTER_BY_B, CLUSTER_BY_B, CT),
}


@pytest.mark.parametrize(("first", "last", "ends"), CLUSTERED.values(), ids=CLUSTERED)
def test_clustering_columns(lab: Lab, first: Begin, last: Begin, ends: str) -> None:
    lab.create(columns="id INT, b INT", more="CLUSTER BY (id)")
    check(lab, first, last, ends)


def test_a_feature_is_dropped(lab: Lab) -> None:
    """X-07"""
    lab.create("delta.feature.deletionVectors=supported")
    drop = at_once("ALTER TABLE {t} DROP FEATURE deletionVectors")
    assert outcomes(lab, drop, append("n")) == [OK, PC]
    assert "deletionVectors" not in lab.log().snapshot().protocol.features


def test_a_table_becomes_uniform(lab: Lab) -> None:
    """X-08"""
    lab.create("delta.columnMapping.mode=name", files=0)
    upgrade = at_once("REORG TABLE {t} APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))")
    assert outcomes(lab, upgrade, append("n")) == [OK, PC]


def test_two_create_a_table(lab: Lab) -> None:
    """X-09"""
    create = statement("CREATE TABLE {t} (id INT)")
    assert outcomes(lab, create, create) == [OK, PC]
    assert lab.log().snapshot().version == 0


def test_two_append_to_an_empty_place(lab: Lab) -> None:
    """X-10: the error says what to do."""
    first, last = (creates_with_a_file(name)(lab) for name in "ab")
    first()
    with pytest.raises(Exception, match="empty folder: create the table before") as caught:
        last()
    assert getattr(caught.value, "condition", "") == PC


def numbered(lab: Lab) -> list[tuple[str, Any, Any]]:
    files = lab.log().snapshot().live_adds(("path", "baseRowId", "defaultRowCommitVersion")).to_pylist()
    return sorted((file["path"], file["baseRowId"], file["defaultRowCommitVersion"]) for file in files)


def mark(lab: Lab) -> int:
    """The highest row id that was given out."""
    domain = json.loads(lab.log().snapshot().domains["delta.rowTracking"])
    return int(domain["rowIdHighWaterMark"])


@pytest.mark.parametrize("writers", [2, 5], ids=["X-20", "X-21"])
def test_row_ids_of_appends(lab: Lab, writers: int) -> None:
    lab.create("delta.enableRowTracking=true", files=1)
    marks: list[int] = []

    def noting(commit: Any) -> Any:
        def committed() -> Any:
            done = commit()
            marks.append(mark(lab))
            return done

        return committed

    appends = [append(f"n{number}") for number in range(writers)]
    noted = [lambda lab, begin=begin: noting(begin(lab)) for begin in appends]
    assert outcomes(lab, *noted) == [OK] * writers
    expected = [("f0", 0, 1), *((f"n{number}", 3 * (number + 1), number + 2) for number in range(writers))]
    assert numbered(lab) == expected
    assert marks == [3 * (number + 2) - 1 for number in range(writers)]


def test_row_ids_are_given_to_old_files(lab: Lab) -> None:
    """X-22: the writer, who knew of no ids, says those of the backfill of the file that it removes."""
    lab.create("delta.feature.rowTracking=supported", "delta.feature.domainMetadata=supported", files=0)
    lab.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.rowTrackingSuspended' = 'true')")
    append("f0", "f1")(lab)()
    assert numbered(lab) == [("f0", None, None), ("f1", None, None)]
    lab.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.rowTrackingSuspended' = 'false')")
    enable = at_once("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    before = lab.log().snapshot().version
    assert outcomes(lab, enable, UPDATE) == [OK, OK]
    # A backfill, the metadata, and the update.
    assert lab.log().snapshot().version == before + 3
    (kept, new) = numbered(lab)
    assert (kept[0], new[0]) == ("f1", "n")
    assert new[1:] == (6, before + 3)
    assert kept[1] in {0, 3}
    (removed,) = [line["remove"] for line in lines(lab, before + 3) if "remove" in line]
    assert {removed["baseRowId"], kept[1]} == {0, 3}


def lines(lab: Lab, version: int) -> list[dict[str, Any]]:
    text = (lab.path / "_delta_log" / f"{version:020d}.json").read_text()
    return [json.loads(line) for line in text.splitlines()]


IDENTITY: dict[str, tuple[Begin, Begin, str]] = {
    "X-23": (raises_identity(1), raises_identity(2), MC),
    "X-24": (raises_identity(1), append("m"), OK),
    "X-24 update": (raises_identity(1), UPDATE, OK),
}


@pytest.mark.parametrize(("first", "last", "ends"), IDENTITY.values(), ids=IDENTITY)
def test_identity_columns(lab: Lab, first: Begin, last: Begin, ends: str) -> None:
    lab.create(columns="id BIGINT GENERATED ALWAYS AS IDENTITY")
    check(lab, first, last, ends)


def stamps(lab: Lab) -> list[int]:
    infos = [entry.info for entry in reversed(lab.log().history())]
    return [info["inCommitTimestamp"] for info in infos if "inCommitTimestamp" in info]


def test_a_clock_behind_the_others(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """X-25: the later commit is the later one, whatever the clock of its writer says."""
    lab.create("delta.enableInCommitTimestamps=true")
    first, last = append("n")(lab), append("m")(lab)
    first()
    own = time.time()
    monkeypatch.setattr(time, "time", lambda: own - 3600)
    last()
    assert stamps(lab)[-1] == stamps(lab)[-2] + 1


TIMESTAMPS = statement("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")


def test_timestamps_are_enabled_first(lab: Lab) -> None:
    """X-26: of a table that has the feature already, which else is a matter of the protocol."""
    lab.create("delta.feature.inCommitTimestamp=supported")
    check(lab, TIMESTAMPS, append("n"), MC)


def test_timestamps_are_enabled_first_with_the_feature(lab: Lab) -> None:
    lab.create()
    check(lab, TIMESTAMPS, append("n"), PC)


def test_timestamps_are_enabled_last(lab: Lab) -> None:
    """X-27: the version that enables them is the one that it became."""
    lab.create()
    check(lab, append("n"), TIMESTAMPS, OK)
    version, properties = lab.log().snapshot().version, lab.log().snapshot().configuration
    (stamp,) = stamps(lab)
    assert properties["delta.inCommitTimestampEnablementVersion"] == str(version)
    assert properties["delta.inCommitTimestampEnablementTimestamp"] == str(stamp)
    before = lab.path / "_delta_log" / f"{version - 1:020d}.json"
    assert stamp > before.stat().st_mtime * 1000 - 1


@pytest.mark.parametrize("level", ["SnapshotIsolation", "foo"])
def test_levels_that_no_table_has(lab: Lab, level: str) -> None:
    """X-29"""
    lab.create()
    alter = statement(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('delta.isolationLevel' = '{level}')")
    assert outcomes(lab, alter) == ["DELTA_INVALID_ISOLATION_LEVEL"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_constraint_after_an_append(lab: Lab, level: str) -> None:
    """X-31: whoever says something of all rows has to look at all of them, at either level."""
    lab.create(f"delta.isolationLevel={level}", files=0)
    check(lab, append("n"), statement("ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id > 0)"), CA_ALL)


@pytest.mark.parametrize(
    ("change", "ends"), [("SET NOT NULL", CA_ALL), ("SYNC IDENTITY", CA_ALL), ("COMMENT 'of a row'", OK)]
)
def test_a_column_changes_after_an_append(lab: Lab, change: str, ends: str) -> None:
    """Like X-31, where the change says something of all rows, and like X-03 where it does not."""
    lab.create(columns=f"id BIGINT{' GENERATED BY DEFAULT AS IDENTITY' if 'SYNC' in change else ''}", files=0)
    check(lab, append("n"), statement(f"ALTER TABLE {{t}} ALTER COLUMN id {change}"), ends)


def test_rows_of_an_append_only_table(lab: Lab) -> None:
    """X-33"""
    lab.create("delta.appendOnly=true")
    check(lab, OPTIMIZE, append("m"), OK)
    assert outcomes(lab, statement("DELETE FROM {t}")) == ["DELTA_CANNOT_MODIFY_APPEND_ONLY"]


def test_an_answer_that_does_not_come(lab: Lab) -> None:
    """X-34"""
    lab.create()
    log = lab.log()
    before = log.snapshot().version

    class Lossy(FileSystemCommitter):
        def commit(self, version: int, data: bytes) -> bool:
            log.store.put_if_absent(f"_delta_log/{version:020d}.json", data)
            raise AmbiguousWriteError("t", "no answer")

    from deltasql.log.commit.transaction import Transaction

    done = Transaction(log, log.snapshot(), Lossy(log.store)).commit(operations.WRITE, {}, [file("n")])
    assert (done.version, lab.log().snapshot().version) == (before + 1, before + 1)


def test_three_races_are_lost(lab: Lab) -> None:
    """X-35: in front of each of its first three tries another writer commits."""
    lab.create("delta.enableInCommitTimestamps=true")
    log = lab.log()
    before = log.snapshot().version

    class Beaten(FileSystemCommitter):
        tries = 0

        def commit(self, version: int, data: bytes) -> bool:
            self.tries += 1
            if self.tries <= 3:
                append(f"n{self.tries}")(lab)()
            return log.store.put_if_absent(f"_delta_log/{version:020d}.json", data)

    from deltasql.log.commit.transaction import Transaction

    done = Transaction(log, log.snapshot(), Beaten(log.store)).commit(operations.WRITE, {}, [file("m")])
    assert (done.version, done.attempts) == (before + 4, 4)
    times = stamps(lab)
    assert len(times) == before + 5
    assert times == sorted(set(times))
