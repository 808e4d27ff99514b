"""What the suite on servers takes for the same, and that its lists speak of files that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltasql.clients.golden.suite import GoldenOutcome
from tests.clusters import expectations
from tests.clusters.expectations import NUMBER_OF_FILES, alike, refusal
from tests.clusters.suite import GOLDEN, Tally

TESTS = {**expectations.TESTS_THAT_NEED_OUR_DISK, **expectations.NOT_FOR_TESTS, **expectations.NOT_OVER_CONNECT}
BEFORE = """-- statement
INSERT INTO t SELECT id FROM range(5)
-- schema: num_affected_rows:bigint
5
-- log of t, version 1
  metrics: numFiles=2, numOutputRows=5
add 3 records
add 1 record (×2)
add p=x, 1 record
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("add 3 records\nadd 1 record (×2)", "add 5 records", NUMBER_OF_FILES),
        ("numFiles=2", "numFiles=1", NUMBER_OF_FILES),
        ("add 3 records", "add 4 records", ""),
        ("add p=x, 1 record", "add p=y, 1 record", ""),
        ("numOutputRows=5", "numOutputRows=6", ""),
        ("\n5\n", "\n6\n", ""),
    ],
)
def test_only_the_number_of_files_may_differ(old: str, new: str, reason: str) -> None:
    assert alike("insert/forms", BEFORE, BEFORE.replace(old, new)) == reason


def test_statements_are_counted_by_what_became_of_them() -> None:
    refused = "-- statement\nSELECT 1 FROM u\n-- error DELTASQL_NO_WAY_TO_FILES 0A000\nSpark cannot.\n"
    texts = [
        BEFORE,
        "-- statement\nSELECT 1 FROM u\n-- schema: 1:int\n1\n",
        "-- statement\nSELECT 2\n-- schema: 2:int\n2\n",
    ]
    found = [BEFORE.replace("numFiles=2", "numFiles=1"), refused, "-- statement\nSELECT 2\n-- schema: 2:int\n3\n"]
    tally = Tally()
    told = tally.add("insert/forms", GoldenOutcome(Path("f.sql"), "\n".join(texts), "\n".join(found), statements=3))
    assert told.startswith("@@ SELECT 2")
    assert tally.counts == {"ran": 3, "same": 0, "otherwise": 1, "refused": 1, "different": 1, "files": 1}
    assert refusal(refused) == "DELTASQL_NO_WAY_TO_FILES"


def test_the_lists_name_what_is_there() -> None:
    names = [*expectations.NEEDS_OUR_DISK, *(rule.file for rule in expectations.OTHERWISE)]
    missing = [name for name in names if not (GOLDEN / f"{name}.sql").is_file()]
    missing += [path for path in TESTS if not (GOLDEN.parent / path.partition("::")[0]).is_file()]
    assert not missing
