"""Tests of other folders, which open sessions of their own, with these on Sail: a few of each.

All of them: DELTASQL_ENGINE=sail python -m pytest -m "" tests/session/concurrency tests/session/test_lost_races.py
tests/session/test_serialisability.py tests/interop. With DELTASQL_NO_ORACLE=1 those that need delta-spark are skipped.
"""

from __future__ import annotations

from tests.sail.process import SailProcess

MATRIX = "tests/session/concurrency/test_conflict_matrix"
READ = "tests/interop/test_read"


def test_conflicts(sail: SailProcess) -> None:
    cases = (
        "rows.py::test_rows_told_apart[M1-60-R-Serializable]",
        "rows.py::test_rows_told_apart[M1-67-Rr-Serializable]",
        "rows.py::test_rows_told_apart[M1-73-merge-Rc-Serializable]",
        "rows.py::test_a_circle_of_three_writers",
        "partitions.py::test_rewritten_partitions[M2-61-P-WriteSerializable]",
        "files.py::test_neither_rows_nor_moves_are_told_apart[M3-93-delete-R-WriteSerializable]",
    )
    failures = sail.tests(*(f"{MATRIX}_{case}" for case in cases))
    assert not failures, failures


def test_others_read_it_and_are_read(sail: SailProcess) -> None:
    failures = sail.tests(
        f"{READ}_theirs.py::test_tables_of_delta_rs[partitions1]",
        f"{READ}_theirs.py::test_a_checkpoint_of_ours_in_a_table_of_delta_rs",
    )
    assert not failures, failures


def test_rows_whose_keys_the_source_lacks(sail: SailProcess) -> None:
    failures = sail.tests("tests/ways/test_source_keys.py")
    assert not failures, failures
