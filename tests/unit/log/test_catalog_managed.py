"""A table that a catalog manages: its published versions can be read by their numbers, nothing else can be done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql import DeltaSqlError, Session, connect
from deltasql.base.errors import CatalogManagedError, UnsupportedWriteFeaturesError, VersionNotFoundError
from deltasql.log.configuration.properties import check_readable
from deltasql.log.protocol import Protocol
from deltasql.log.replay.snapshot import DeltaLog

FEATURES = ("catalogManaged", "catalogOwned-preview")


@pytest.fixture(params=FEATURES)
def session(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session over a table with versions 0 and 1 published, and a version 2 that only the catalog knows."""
    log = tmp_path / "warehouse" / "t" / "_delta_log"
    (log / "_staged_commits").mkdir(parents=True)
    features = [request.param, "inCommitTimestamp", "vacuumProtocolCheck"]
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": [request.param, "vacuumProtocolCheck"],
        "writerFeatures": features,
    }
    schema = {"type": "struct", "fields": [{"name": "id", "type": "integer", "nullable": True, "metadata": {}}]}
    metadata = {
        "id": "0",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(schema),
        "partitionColumns": [],
        "configuration": {"delta.enableInCommitTimestamps": "true"},
    }
    for version in range(2):
        info = {"inCommitTimestamp": 1_700_000_000_000 + version, "operation": "WRITE", "operationParameters": {}}
        actions: list[dict[str, object]] = [{"commitInfo": info}]
        actions += [] if version else [{"protocol": protocol}, {"metaData": metadata}]
        text = "".join(json.dumps(action) + "\n" for action in actions)
        (log / f"{version:020}.json").write_text(text)
    (log / "_staged_commits" / f"{2:020}.aaaa.json").write_text("never read\n")
    with connect(str(tmp_path / "warehouse")) as opened:
        yield opened


def log_of(tmp_path: Path) -> DeltaLog:
    return DeltaLog(str(tmp_path / "warehouse" / "t"))


def test_a_version_by_its_number_can_be_read(session: Session, tmp_path: Path) -> None:
    log = log_of(tmp_path)
    for version in (0, 1, 0):
        log.snapshot(version).check_readable()
    with pytest.raises(CatalogManagedError, match="VERSION AS OF"):
        log.snapshot().check_readable()
    # The newest version that is there, by its number.
    log.snapshot(1).check_readable()


def test_what_only_the_catalog_knows_is_not_there(session: Session, tmp_path: Path) -> None:
    log = log_of(tmp_path)
    assert log.snapshot().version == 1
    with pytest.raises(VersionNotFoundError):
        log.snapshot(2)


def test_nothing_is_written(session: Session, tmp_path: Path) -> None:
    log = log_of(tmp_path)
    for snapshot in (log.snapshot(), log.snapshot(1)):
        with pytest.raises(UnsupportedWriteFeaturesError):
            snapshot.check_writable()


def test_statements(session: Session, tmp_path: Path) -> None:
    table = f"delta.`{tmp_path}/warehouse/t`"
    # Metadata tells what is published.
    assert session.sql(f"DESCRIBE {table}").collect()[0][0] == "id"
    for text in (
        f"CREATE TABLE c LIKE {table}",
        f"ALTER TABLE {table} SET TBLPROPERTIES ('a' = 'b')",
        f"VACUUM {table}",
    ):
        with pytest.raises(DeltaSqlError) as caught:
            session.sql(text)
        assert caught.value.condition.startswith("DELTA_UNSUPPORTED_FEATURES_FOR_")


def test_other_features_are_refused_all_the_same() -> None:
    features = frozenset({"catalogManaged", "notInventedYet"})
    protocol = Protocol(3, 7, features, features)
    for by_version in (True, False):
        with pytest.raises(DeltaSqlError, match="notInventedYet"):
            check_readable(protocol, "t", by_version=by_version)
