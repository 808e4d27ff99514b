"""What the history says of a statement whose rows were put on top of another one's: what was committed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltasql import Session
from deltasql.log.storage.listing import commit_path

pytestmark = pytest.mark.spark


def test_vectors_that_were_united(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    session.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(4)")
    with Session(session.catalog.warehouse) as other:
        first, second = session.begin("DELETE FROM t WHERE a < 2"), other.begin("DELETE FROM t WHERE a >= 2")
        first.commit()
        result = second.commit()
    # The file had no vector when the second began, and no row when it was done: it went as a whole.
    log = Path(session.log("t").location)
    lines = [json.loads(line) for line in (log / commit_path(3)).read_text().splitlines()]
    told = lines[0]["commitInfo"]["operationMetrics"]
    assert sum("remove" in line for line in lines) == 1
    assert not any("add" in line for line in lines)
    assert told["numRemovedFiles"] == "1"
    assert told["numDeletionVectorsAdded"] == "0"
    assert told["numDeletionVectorsRemoved"] == "1"
    assert told["numDeletedRows"] == "2"
    assert result.metrics["numRemovedFiles"] == 1
