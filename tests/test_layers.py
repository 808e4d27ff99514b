"""The import rule of the house: which folder may import which, who imports what from outside, and no cycles."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "deltasql"

LAYERS = (
    {"version", "interrupts"},
    {"errors"},
    {"schema"},
    {"plan"},
    {"parser", "log"},
    {"result", "render", "catalog"},
    {"planner"},
    {"engine"},
    {"pending", "writer"},
    {"reader", "stream_writer", "stream_reader"},
    {"session"},
    {"repl", "golden", "dbapi"},
    {"cli"},
    {"__init__", "__main__"},
)
"""Folders and top modules from the bottom up: each imports only from below, and from itself."""

BESIDE = {("catalog", "log"), ("render", "result"), ("result", "render")}
"""Neighbours of one layer that may know each other."""

OWNERS = {
    "lark": {"parser"},
    "sqlglot": {"planner"},
    "pyspark": {"engine"},
    "py4j": set(),
    "obstore": {"log"},
    "rich": {"render"},
    "prompt_toolkit": {"repl"},
    "pygments": {"repl"},
    "pandas": set(),
    "numpy": {"log", "engine"},
    "pyiceberg": {"log"},
}
"""Who may import a package from outside when it runs. Imports for type checkers alone are free."""

HEAVY = {"pyspark", "py4j", "sqlglot", "pandas", "numpy", "pyarrow", "rich", "prompt_toolkit", "pygments", "pyiceberg"}


class Import(NamedTuple):
    """`lazy`: inside a function, so not part of importing the module."""

    module: str
    target: str
    line: int
    lazy: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def imports() -> tuple[Import, ...]:
    """Every import that may run; those under TYPE_CHECKING are left out."""
    return tuple(item for name, path in modules().items() for item in _of_body(name, _parsed(path).body, False))


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _of_body(module: str, body: list[ast.stmt], lazy: bool) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _of_body(module, node.orelse, lazy)
        elif isinstance(node, ast.Import):
            yield from (Import(module, alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: a relative import"
            yield from (Import(module, target, node.lineno, lazy) for target in _from(node))
        else:
            inner = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for field in ("body", "orelse", "finalbody"):
                yield from _of_body(module, getattr(node, field, []), inner)
            for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
                yield from _of_body(module, part.body, inner)


def _from(node: ast.ImportFrom) -> Iterator[str]:
    """`from deltasql.a import b`: the module deltasql.a.b where there is one, else deltasql.a."""
    assert node.module is not None
    for alias in node.names:
        name = f"{node.module}.{alias.name}"
        yield name if name in modules() else node.module


def part_of(module: str) -> str:
    """The folder or top module of deltasql that a module belongs to."""
    return [*module.split("."), "__init__"][1]


def layer_of(part: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if part in layer)


def test_every_module_has_a_layer() -> None:
    known = {part for layer in LAYERS for part in layer}
    assert {part_of(name) for name in modules()} <= known


def test_imports_go_up_the_table_only() -> None:
    wrong = [
        f"{item.module}:{item.line} imports {item.target}"
        for item in imports()
        if item.target.split(".")[0] == "deltasql" and not _allowed(part_of(item.module), part_of(item.target))
    ]
    assert not wrong, "\n".join(wrong)


def _allowed(part: str, target: str) -> bool:
    return part == target or (part, target) in BESIDE or layer_of(target) < layer_of(part)


def test_outside_packages_have_one_owner_each() -> None:
    wrong = [
        f"{item.module}:{item.line} imports {item.target}"
        for item in imports()
        if part_of(item.module) not in OWNERS.get(item.target.split(".")[0], {part_of(item.module)})
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_imports_itself_in_a_circle() -> None:
    """Lazy imports count as well: a circle through a function is a circle."""
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for item in imports():
        if item.target in graph and item.target != item.module:
            graph[item.module].add(item.target)
    circles = list(_circles(graph))
    assert not circles, "\n".join(" → ".join(circle) for circle in circles)


def _circles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """One circle per back edge of a depth-first walk."""
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> Iterator[list[str]]:
        if name in path:
            yield [*path[path.index(name) :], name]
        elif name not in done:
            for target in sorted(graph[name]):
                yield from walk(target, [*path, name])
            done.add(name)

    for name in sorted(graph):
        yield from walk(name, [])


METADATA_ONLY = """
import sys, deltasql, deltasql.cli
with deltasql.connect(sys.argv[1]) as session:
    session.sql("CREATE TABLE t (a INT, p DATE) PARTITIONED BY (p)")
    session.sql("ALTER TABLE t ADD COLUMNS (b STRUCT<c: INT> FIRST)")
    session.sql("ALTER TABLE t SET TBLPROPERTIES ('k' = 'v')")
    for text in ("DESCRIBE TABLE t", "SHOW TABLES", "SHOW CREATE TABLE t"):
        assert session.sql(text).collect()
print(*sys.modules)
"""


def test_statements_on_metadata_load_nothing_heavy(tmp_path: Path) -> None:
    """What every start of the command pays for: such a statement must be done in well under a second."""
    command = [sys.executable, "-c", METADATA_ONLY, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert sorted(loaded & HEAVY) == []


@pytest.fixture
def no_java(tmp_path: Path) -> dict[str, str]:
    """An environment in which no java can be found."""
    return {"PATH": str(tmp_path / "empty"), "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}


def run_sql(sql: str, environment: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deltasql", "-e", sql]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=cwd)


def test_metadata_needs_no_java(no_java: dict[str, str], tmp_path: Path) -> None:
    sql = "CREATE TABLE t (a INT); ALTER TABLE t ADD COLUMNS (b STRUCT<c: INT> AFTER a); DESCRIBE HISTORY t"
    done = run_sql(sql, no_java, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ADD COLUMNS" in done.stdout


def test_rows_of_literals_need_no_java(no_java: dict[str, str], tmp_path: Path) -> None:
    sql = "CREATE TABLE t (a INT, b STRING); INSERT INTO t VALUES (1, 'x'), (2, NULL); DESCRIBE HISTORY t"
    done = run_sql(sql, no_java, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "numOutputRows" in done.stdout


def test_rows_without_java_get_one_clear_sentence(no_java: dict[str, str], tmp_path: Path) -> None:
    done = run_sql("CREATE TABLE t (a INT); INSERT INTO t VALUES (1 + 1)", no_java, tmp_path)
    assert done.returncode == 1
    assert "needs Java 17 or newer, and no java was found" in done.stderr
    assert "Traceback" not in done.stderr
