"""What golden files may give otherwise on a cluster, and what needs a server that sees our disk: with reasons.

Nothing else may differ. Whoever adds a line here says why deltasql cannot give the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

WRITTEN_BY_SPARK = "Spark itself writes the files that the script loads, to the disk that it sees"

NEEDS_OUR_DISK: Mapping[str, str] = {
    "convert/convert": WRITTEN_BY_SPARK,
    "copy_into/by_position": WRITTEN_BY_SPARK,
    "copy_into/copy_into": WRITTEN_BY_SPARK,
    "copy_into/races": WRITTEN_BY_SPARK,
    "vacuum/purge": "the script looks into the files of a table by their paths, with Spark's own reader",
    "settings/io_mode": "the script has executors move the files, too",
}
"""Golden files that a server with a disk of its own cannot run, by their paths without `.sql`."""

_LITERALS = "a server may have settings that change what literals mean, so that its Spark reads them"

NOT_FOR_CLUSTERS: Mapping[str, str] = {}
"""Golden files that cannot run on a cluster at all."""


class Otherwise(NamedTuple):
    """What `pattern` finds in the text of a statement of a golden file is not compared, because of `reason`."""

    file: str
    pattern: str
    reason: str


OTHERWISE: tuple[Otherwise, ...] = (
    Otherwise(
        "insert/store_assignment",
        r"TINYINT: 30[01]L",
        "of several values that do not fit, another task's is met first",
    ),
    Otherwise(
        "merge/null_structs",
        r"\{(?:j -> \{8, NULL, 7\}, k -> NULL|k -> NULL, j -> \{8, NULL, 7\})\}",
        "the entries of a map have no order, and Spark Connect brings them in another one",
    ),
    Otherwise(
        "inspect/explain_rows",
        r"(?<=partitioned by \(day\)\\n)  (?:Literals \[id, name, day\] rows: 1|Project.*)\\n(?=== Actions)|"
        r"\\n== (?:Expressions|Spark's Plan) ==.*",
        _LITERALS,
    ),
)
NUMBER_OF_FILES = "the driver writes one file, and Spark one for each task"

_REFUSALS = ("DELTASQL_NO_WAY_TO_FILES", "DELTASQL_FILES_NOT_SHARED", "DELTASQL_STAGED_ROWS_MISSING")


def alike(name: str, before: str, after: str) -> str:
    """Why two texts of a statement of a golden file are the same for a cluster; "" where they are not."""
    if not before or not after:
        return ""
    if without_number_of_files(before) == without_number_of_files(after):
        return NUMBER_OF_FILES
    for rule in OTHERWISE:
        if rule.file == name and re.sub(rule.pattern, "", before) == re.sub(rule.pattern, "", after):
            return rule.reason
    return ""


def refusal(after: str) -> str:
    """The condition by which a statement was refused because of where it runs; "" for any other outcome."""
    found = re.search(r"^-- error (\S+)", after, re.MULTILINE)
    return found[1] if found is not None and found[1] in _REFUSALS else ""


ROW_TESTS = ("tests/session", "tests/ways")
"""The folders of tests whose marked ones (spark) run on servers."""

_READ_BY_TASKS = "tasks of Python's read the files of a stream"
_VARIANTS = "executors alone move VARIANT columns"
_OWN_JVM = "the test looks into the JVM of its own process"
_ALONE = "the test is about a Spark of this process that nobody else is in"

TESTS_THAT_NEED_OUR_DISK: Mapping[str, str] = {
    **dict.fromkeys(
        ("ways/test_foreign_files.py", "ways/test_moved_statements.py", "ways/test_random_tables.py"),
        "the test has executors move the files, too",
    ),
    "session/test_copy_into.py": WRITTEN_BY_SPARK,
    "session/test_flight_server.py::test_queries": _VARIANTS,
    "session/test_install.py::test_streams": _READ_BY_TASKS,
    "session/test_install.py::test_what_is_no_delta_table_stays_sparks": WRITTEN_BY_SPARK,
    "session/test_stream_reads.py": _READ_BY_TASKS,
    "session/test_stream_writes.py": _READ_BY_TASKS,
    "session/test_variants.py": _VARIANTS,
}
"""Files below tests, or names of tests in them after `::`, that a server with a disk of its own cannot run."""

NOT_FOR_TESTS: Mapping[str, str] = {
    "session/test_notebook.py": "Jupyter starts a process of its own, with a Spark of its own",
    "session/test_cancelled_statements.py": _OWN_JVM,
    "session/test_sizes.py": _ALONE,
    "ways/test_small_tables.py": _ALONE,
}
"""Those that are for no server."""

NOT_OVER_CONNECT: Mapping[str, str] = {
    "session/test_install.py::test_streams": "a stream of Spark Connect is refused by name",
    "session/test_flight_server.py::test_a_query_that_is_cancelled_stops": _OWN_JVM,
    "session/test_layouts.py::test_many_bins_are_one_job": _OWN_JVM,
    "ways/test_literals_both_ways.py": _LITERALS,
    "session/test_stream_reads.py": "a batch of a stream runs in a process of the server's",
    "session/test_stream_writes.py": "a stream of Spark Connect is refused by name",
}
"""Those that are for a standalone cluster alone."""


def not_here(test: str, *, remote: bool) -> str:
    """Why a test of pytest, by its node id, is not for a server; `remote`: of Spark Connect. "" for those that are."""
    return _listed(test, NOT_FOR_TESTS) or (_listed(test, NOT_OVER_CONNECT) if remote else "")


def needs_our_disk(test: str) -> bool:
    """Whether a test of pytest is for servers that see our disk."""
    return bool(_listed(test, TESTS_THAT_NEED_OUR_DISK))


def may_need_our_disk(path: str) -> bool:
    """Whether there are such tests in a folder, or in a file of tests."""
    return not path.partition("::")[0].endswith(".py") or needs_our_disk(path)


def _listed(test: str, reasons: Mapping[str, str]) -> str:
    file, _, name = test.removeprefix("tests/").partition("::")
    keys = file, f"{file}::{name.partition('[')[0]}", f"{file}::{name}"
    return next((reasons[key] for key in keys if key in reasons), "")


# The driver writes one file where each task of Spark's writes one, and servers have other tasks than `local[2]`.
_ROWS = re.compile(r"^(?P<indent> *)(?P<what>add|remove) (?P<rows>\d+) records?(?: \(×(?P<times>\d+)\))?(?P<more>.*)$")
_FILES = re.compile(r"\b(?P<what>num\w*Files(?:=| -> ))\d+|\b(?P<told>files: )\d+(?= read)")


def without_number_of_files(text: str) -> str:
    """A golden text in which nothing tells into how many files rows were written: the sums of their rows stay."""
    return "\n".join(_summed(_FILES.sub(_any, text).splitlines()))


def _any(found: re.Match[str]) -> str:
    return f"{found['what'] or found['told']}…"


def _summed(lines: list[str]) -> Iterator[str]:
    """The lines, with one for all files of the same kind and partition that follow each other."""
    rows, kind = 0, ""
    for line in lines:
        found = _ROWS.match(line)
        now = "" if found is None else f"{found['indent']}{found['what']}{found['more']}"
        if kind and kind != now:
            yield f"{kind}: {rows} rows"
            rows = 0
        kind = now
        if found is None:
            yield line
            continue
        rows += int(found["rows"]) * int(found["times"] or 1)
    if kind:
        yield f"{kind}: {rows} rows"
