"""No statement that runs in a golden file is found wrong by a check; a share of the files.

DELTASQL_TESTS_CHECKED=all takes all of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltasql.clients.checking import Checker
from tests.samples import draws

GOLDEN = Path(__file__).parents[2] / "golden"
_BLOCK = re.compile(r"^-- statement[^\n]*\n(.*?)\n-- (schema|error)", re.MULTILINE | re.DOTALL)
_WITH_OTHER_NAMES = frozenset(
    {
        *("copy_into/copy_into.out", "merge/errors.out", "optimize/upgrade_uniform.out", "query/log_answers.out"),
        *("routine/values.out", "script/plain.out", "view/chains.out", "view/meaning.out"),
    }
)
"""Files with names and columns that come from rows of files, other views or properties, which a check does not have."""
_SHARES = 1 if os.environ.get("DELTASQL_TESTS_CHECKED") == "all" else 12


def statements(path: Path) -> Iterator[tuple[str, bool]]:
    """The statements of a file, each with whether it failed."""
    for match in _BLOCK.finditer(path.read_text(encoding="utf-8").replace("${WAREHOUSE}", "/not/here")):
        yield match[1], match[2] == "error"


def chosen() -> list[Path]:
    # Schedules run several sessions at a time, whose order the output does not tell.
    files = [path for path in sorted(GOLDEN.rglob("*.out")) if "schedule" not in path.read_text(encoding="utf-8")]
    files = [path for path in files if path.relative_to(GOLDEN).as_posix() not in _WITH_OTHER_NAMES]
    return [path for path in files if draws(path.name, _SHARES)]


@pytest.mark.parametrize("path", chosen(), ids=lambda path: str(path.relative_to(GOLDEN)))
def test_what_runs_is_not_found_wrong(path: Path) -> None:
    wrong: list[str] = []
    with Checker() as checker:
        for sql, failed in statements(path):
            # What failed for its rows alone would change the tables here.
            found = [] if failed else list(checker.check(sql))
            if found:
                wrong.append(f"{sql}\n    {found[0].text('')}")
    assert not wrong, "\n".join(wrong)
