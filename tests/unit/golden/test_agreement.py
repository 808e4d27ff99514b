"""What became of the statements of a golden file on another engine."""

from __future__ import annotations

from deltasql.clients.golden.compare import Verdict, summary, verdicts

_KEPT = """\
-- statement
SELECT 1
1

-- statement: told
SELECT 2
-- error A.B 22003
Some words.

-- statement
SELECT 3
3
"""


def _found(actual: str) -> list[Verdict]:
    return [verdict for _, verdict in verdicts(_KEPT, actual)]


def test_the_same() -> None:
    assert _found(_KEPT) == [Verdict.SAME] * 3
    assert summary([(_KEPT, _KEPT)]) == "3 of 3 statements the same to the last character"


def test_errors() -> None:
    assert _found(_KEPT.replace("Some", "Other"))[1] is Verdict.WORDED
    assert _found(_KEPT.replace("A.B", "A.C"))[1] is Verdict.WORDED
    assert _found(_KEPT.replace("A.B", "C"))[1] is Verdict.OTHER_ERROR
    assert _found(_KEPT.replace("-- error A.B 22003\nSome words.", "2")) == [Verdict.SAME, Verdict.PASSES, Verdict.SAME]


def test_what_follows() -> None:
    refused = _KEPT.replace("1\n1", "1\n-- error UNSUPPORTED_FEATURE.SAIL 0A000").replace("3\n3", "3\n4")
    assert _found(refused) == [Verdict.REFUSED, Verdict.SAME, Verdict.FOLLOWS]
    assert _found(_KEPT.replace("3\n3", "3\n4"))[2] is Verdict.DIFFERS
    assert summary([(_KEPT, refused)]) == (
        "1 of 3 statements the same to the last character; 1 refused by name, "
        "1 behind one of the file that failed otherwise"
    )
