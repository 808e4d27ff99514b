"""Files that lie elsewhere, as shallow clones have them: named by absolute addresses of every spelling."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltasql.log import operations
from deltasql.log.actions.actions import AddFile
from deltasql.log.commit.transaction import Transaction
from deltasql.log.upkeep.checkpoint_writer import write_checkpoint
from deltasql.session.session import Session

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("checkpoint", [False, True])
def test_files_at_absolute_addresses(session: Session, tmp_path: Path, checkpoint: bool) -> None:
    session.sql(
        "CREATE TABLE elsewhere (a INT, p STRING) USING delta PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')"
    )
    place = tmp_path / "else where%41"
    place.mkdir()
    adds = []
    for number, name in enumerate(["f \u00fc+.parquet", "g.parquet", "h%20.parquet"]):
        file = place / name
        pq.write_table(pa.table({"a": pa.array([number], pa.int32())}), file)
        # file:/a, file:///a and /a are one place.
        spelled = (file.as_uri(), file.as_uri().replace("file://", "file:"), file.as_uri().removeprefix("file://"))
        adds.append(AddFile(spelled[number], {"p": f"p{number}"}, file.stat().st_size, 1, True, '{"numRecords":1}'))
    log = session.log("elsewhere")
    Transaction(log, log.snapshot()).commit(operations.WRITE, {}, adds)
    if checkpoint:
        write_checkpoint(log.store, log.snapshot())

    def rows() -> list[tuple[int, str]]:
        return sorted((row.a, row.p) for row in session.sql("SELECT * FROM elsewhere").collect())

    assert rows() == [(0, "p0"), (1, "p1"), (2, "p2")]
    session.sql("UPDATE elsewhere SET a = 10 WHERE a = 0")
    session.sql("DELETE FROM elsewhere WHERE a = 2")
    assert rows() == [(1, "p1"), (10, "p0")]
    # Their files are another's.
    assert len(list(place.iterdir())) == 3
    session.sql("DROP TABLE elsewhere")
