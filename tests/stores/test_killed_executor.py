"""Tasks of executors that write to S3: they fail, run twice, and lose their executor amid a MERGE."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clusters.servers import cluster, why_no_java
from tests.clusters.test_failing_tasks import ROWS, SUM
from tests.stores.conftest import Store

pytestmark = pytest.mark.cluster


def test_only_what_a_job_has_committed_is_there(s3: Store, tmp_path: Path) -> None:
    """Jars come from a Maven repository. A statement that fails leaves the table, and VACUUM what the table needs."""
    if reason := why_no_java():
        pytest.skip(reason)
    with cluster(tmp_path / "cluster", workers=2) as master:
        command = [sys.executable, "-m", "tests.stores.on_a_cluster", master, s3.url("wh"), str(tmp_path)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2], timeout=600
        )
    assert done.returncode == 0, done.stderr
    *_, _, inserted, failed, killed, gone, vacuumed = json.loads(done.stdout)
    assert inserted["outcome"] == [[ROWS, ROWS]]
    for count, told in enumerate((inserted, failed, killed)):
        assert told["rows"] == [ROWS, ROWS, SUM + count * ROWS]
        assert told["version"] == count + 1
        # Nothing of other attempts is left.
        assert told["there"] == told["named"]
    assert failed["outcome"] == killed["outcome"] == [[ROWS, ROWS, 0, 0]]
    # An executor that is killed with each attempt: the statement fails.
    assert isinstance(gone["outcome"], str)
    assert (gone["rows"], gone["version"]) == (killed["rows"], 3)
    assert set(gone["there"]) >= set(gone["live"])
    assert vacuumed["there"] == vacuumed["live"] == killed["live"]
