"""Parts of the tests: which `python -m pytest` runs, which `.ci/run` runs besides, and which `.ci/nightly`."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

PARTS = ("default", "rest", "nightly")


class Place(NamedTuple):
    """The part of the tests below a path, or of those of them that have a mark, and the reason."""

    path: str
    part: str
    reason: str
    mark: str = ""


PLACES = (
    Place("tests/", "default", "one process, without a JVM"),
    Place("tests/", "rest", "Spark computes rows: 12 minutes", mark="spark"),
    Place("tests/", "rest", "a process with Sail for each file", mark="sail"),
    Place("tests/test_packaging.py::test_the_types_are_there_for_users", "rest", "a type checker over the package"),
    Place("tests/unit/golden/test_parallel.py", "rest", "golden files in several processes: half a minute"),
    Place("tests/unit/golden/test_pytest_plugin.py", "rest", "golden files as tests of pytest, in processes"),
    Place("tests/unit/parser/test_bounds.py", "rest", "texts of megabytes: 1 minute"),
    Place("tests/unit/parser/test_tables.py", "rest", "parse tables that are made anew: half a minute"),
    Place("tests/unit/sql/test_worst_texts.py", "rest", "the texts that each reader takes longest for: half a minute"),
    Place("tests/unit/log/test_replay_property.py", "rest", "random logs: half a minute"),
    Place("tests/unit/skipping/test_pruning_at_random.py", "rest", "random tables and predicates: half a minute"),
    Place("tests/unit/skipping/test_monotonic_terms_at_random.py", "rest", "random terms"),
    Place("tests/session/test_rows.py", "default", "each statement of rows, on Spark"),
    Place("tests/sail/", "rest", "all functions and operators on Sail, and tests of other folders there: 2 minutes"),
    Place("tests/sail/test_statements.py", "default", "each statement of rows, on Sail"),
    Place("tests/stores/", "rest", "object stores with several writers, lost answers and connectors"),
    Place("tests/stores/test_requests.py", "default", "statements in a bucket of a local server"),
    Place("tests/stores/test_unsafe_stores.py", "default", "buckets without conditional writes"),
    Place("tests/unity/test_answers.py", "rest", "answers that are waited for a second at most"),
    Place("tests/unity/test_credentials.py", "rest", "keys that expire"),
    Place("tests/unity/test_executors.py", "rest", "connectors of Spark"),
    Place("tests/unity/test_faults.py", "rest", "requests that are lost, or arrive twice: 1 minute"),
    Place("tests/clusters/", "rest", "servers of Spark: 3 minutes"),
    Place("tests/faults/", "rest", "processes that are killed, and damaged files: 4 minutes"),
    Place("tests/interop/", "rest", "delta-spark, delta-rs and DuckDB"),
    Place("tests/metastores/", "rest", "a Hive metastore and Glue, with Spark"),
    Place("tests/oracle/test_scenarios.py", "rest", "each scenario, compared with the stored answer of delta-spark"),
    Place("tests/suites/", "nightly", "public suites for drivers, which rarely find anything"),
    Place("tests/ways/", "rest", "the same statement, computed in several places: 8 minutes"),
    Place("tests/ways/differential/test_against_plain_spark.py", "nightly", "random scripts"),
    Place("tests/ways/test_refreshed_views.py", "nightly", "random tables under materialized views: 1 minute"),
    Place("tests/faults/test_histories.py", "nightly", "random histories"),
    Place("tests/faults/test_group_histories.py", "nightly", "random histories of several tables"),
    Place("tests/faults/test_killed_refreshes.py", "nightly", "each kill starts Spark: 2 minutes"),
)
"""The longest path that a test begins with counts; of two, the one with a mark of the test."""


def part(test: str, marks: frozenset[str] = frozenset()) -> str:
    """The part of a test, by its node id and marks."""
    fitting = [place for place in PLACES if test.startswith(place.path) and (not place.mark or place.mark in marks)]
    return max(fitting, key=lambda place: (len(place.path), place.mark != "")).part


@cache
def parts(file: str) -> frozenset[str]:
    """The parts that tests of a file may belong to."""
    longest = max(len(place.path) for place in PLACES if not place.mark and file.startswith(place.path))
    return frozenset(
        place.part
        for place in PLACES
        if place.path.startswith(file) or (file.startswith(place.path) and len(place.path) >= longest)
    )
