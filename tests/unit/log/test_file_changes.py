"""What a commit did to files, told apart by what became of their rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deltasql.log.actions.actions import Action, AddFile, DeletionVector
from deltasql.log.actions.commit_file import CommitFile, FileChanges, encode_actions, parse_commit

A = AddFile("a", {"p": "1"}, 1, 1)
SPACED = AddFile("a%20b", {}, 1, 1)
MARKED = replace(A, deletion_vector=DeletionVector("i", "x", None, 1, 1))
MOVED = replace(A, data_change=False)


def commit(*actions: Action) -> CommitFile:
    return parse_commit(encode_actions(actions), 1, "_delta_log/1.json", "t")


@pytest.mark.parametrize(
    ("actions", "kinds", "changes_rows"),
    [
        ([A], {"new"}, True),
        ([A.remove(1)], {"removed"}, True),
        ([A.remove(1), MARKED], {"restated"}, True),
        ([MARKED.remove(1, data_change=False), MOVED], {"restated"}, True),
        ([A.remove(1, data_change=False)], {"moved"}, False),
        ([MOVED], {"outputs"}, False),
        ([A.remove(1, data_change=False), replace(SPACED, data_change=False)], {"moved", "outputs"}, False),
        ([], set(), False),
    ],
)
def test_kinds(actions: list[Action], kinds: set[str], changes_rows: bool) -> None:
    found = FileChanges.of(commit(*actions), "t", "/t")
    all_kinds = ("restated", "removed", "new", "moved", "outputs")
    assert {kind for kind in all_kinds if getattr(found, kind)} == kinds
    assert found.changes_rows is changes_rows


def test_paths_are_canonical_and_pairs_say_before_and_after() -> None:
    absolute = replace(A, path="file:///t/a")
    found = FileChanges.of(commit(absolute.remove(1), MARKED, SPACED), "t", "/t")
    ((path, (before, after)),) = found.restated.items()
    assert (path, before["path"], after["deletionVector"]["cardinality"]) == ("a", "file:///t/a", 1)
    assert list(found.new) == ["a b"]
