"""Structure of the package: which files belong to a statement, and how large functions, records and files may grow.

Which folder may import which is in test_layers.py, names and docstrings are in test_words.py.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

import deltasql.statements  # noqa: F401 - registers the rules
from deltasql.base.errors.base import DeltaSqlError
from deltasql.plan.base import LogicalPlan
from deltasql.planner.context import plan
from deltasql.sql.parser import parse, split
from deltasql.statements.refused import Refused
from tests.shared_goldens import SHARED_GOLDENS
from tests.source_trees import PACKAGE, ROOT, refuse, trees

GOLDENS = ROOT / "tests" / "golden"

MOST_COMPLEX = 12
"""Branches of a function, counted as `complexity` does."""

PLAIN = {
    "engines/spark/reading/frames.py::Frames._build": "one case per operator",
    "session/execution/run.py::Run._done": "one case per plan",
    "statements/explain.py::describe": "one case per operator",
    "statements/explain.py::physical_lines": "one case per plan",
    "log/skipping/predicates.py::_Reader.condition": "one case per node",
    "schema/text.py::sql_literal": "one case per class of values",
}
"""Functions that are one `match` over a closed set: long, and as easy to read as a table."""

MOST_FIELDS = 10
NOT_YET_SMALL = {
    "planner/context.py::Context": 11,
    "log/actions/actions.py::AddFile": 11,
    "log/actions/actions.py::RemoveFile": 11,
    "statements/table.py::ColumnDefinition": 12,
    "statements/table.py::CreateTable": 15,
    "log/actions/commit_file.py::CommitFile": 12,
}
"""Records with more fields than a reader can hold: those of the protocol, or of the clauses of a statement."""

MOST_LINES = 800

SMALL = 60
MOST_OF_THE_WHOLE = {
    "entries at the top of the package": 23,
    "modules": 426,
    f"modules under {SMALL} lines": 24,
    "names imported from another room": 1317,
    "imports between modules": 2340,
    "classes of errors": 11,
    "files that tokenize": 42,
    "methods of the store of a catalog": 8,
    "lines": 128_170,
}
"""Ratchets of the whole package, which may only fall. A family of statements is read in one file of 300 to 800 lines,
and a module of fewer than `SMALL` lines, `__init__` apart, needs a reason. A room is a folder or a file at the top."""

MOST_TEST_LINES = 420
TABLES = {"ways/test_moved_statements.py": 437, "ways/differential/scripts.py": 436}
"""Files of tests that are one table of statements."""

MOST_GOLDEN_LINES = 400
NOT_YET_READABLE = {
    "columns/identity.out": 533,
    "merge/truth_table_columns.out": 800,
    "optimize/upgrade_uniform.out": 458,
    "table/create_table_like.out": 579,
}
"""Golden files that nobody reads to the end."""


class Statement(NamedTuple):
    """A node of the logical plan. `family` is its module, `name` its rule in the grammar."""

    node: type[LogicalPlan]
    family: str
    name: str

    @property
    def syntax(self) -> str:
        """The first line of its docstring."""
        return (self.node.__doc__ or "").strip().partition("\n")[0]

    @property
    def is_sql(self) -> bool:
        """False for what methods of DataFrames make: their syntax is Python."""
        return not self.syntax.startswith("df.")

    @property
    def golden(self) -> Path:
        name, _ = SHARED_GOLDENS.get(self.node.__name__, (f"{self.family}/{self.name}", ""))
        return GOLDENS / f"{name}.sql"


@cache
def statements() -> tuple[Statement, ...]:
    return tuple(_statements())


def _statements() -> Iterator[Statement]:
    for path in [*sorted((PACKAGE / "statements").glob("[!_]*.py"))]:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, LogicalPlan) and value.__module__ == module.__name__:
                name = re.sub(r"(?<!^)(?=[A-Z])", "_", value.__name__).lower()
                if value is not LogicalPlan:
                    yield Statement(value, path.stem, name)


def test_each_statement_has_a_grammar_rule() -> None:
    refuse(
        [
            f"grammar/{item.family}.lark has no rule {item.name}, for {item.node.__name__}"
            for item in statements()
            if item.is_sql and not _has_rule(ROOT / "grammar" / f"{item.family}.lark", item.name)
        ]
    )


def _has_rule(grammar: Path, name: str) -> bool:
    text = grammar.read_text(encoding="utf-8") if grammar.exists() else ""
    return re.search(rf"^!?{name}(\.\d+)?:", text, re.MULTILINE) is not None


def test_each_statement_has_a_planner_rule() -> None:
    refuse(
        [
            f"deltasql/statements/rules/*/{item.family}.py has no function @plan.register for {item.node.__name__}"
            for item in statements()
            if item.node not in plan.registry
        ]
    )


def test_each_statement_has_a_golden_file() -> None:
    wrong = []
    for item in statements():
        if item.is_sql:
            missing = [path for path in (item.golden, item.golden.with_suffix(".out")) if not path.exists()]
            wrong += [f"{path.relative_to(ROOT)} is missing, for {item.node.__name__}" for path in missing]
            if item.node is not Refused and not missing and not _has_statement(item.golden, item.node):
                wrong.append(f"{item.golden.relative_to(ROOT)} has no statement that is a {item.node.__name__}")
    refuse(wrong)


def _has_statement(golden: Path, node: type[LogicalPlan]) -> bool:
    for statement in split(golden.read_text(encoding="utf-8")):
        with suppress(DeltaSqlError):
            if isinstance(parse(statement.text), node):
                return True
    return False


def test_shared_golden_files_are_needed() -> None:
    own = [
        f"{item.node.__name__} has tests/golden/{item.family}/{item.name}.sql: take it out of SHARED_GOLDENS"
        for item in statements()
        if item.node.__name__ in SHARED_GOLDENS and (GOLDENS / item.family / f"{item.name}.sql").exists()
    ]
    gone = SHARED_GOLDENS.keys() - {item.node.__name__ for item in statements()}
    refuse([*own, *(f"there is no statement {name}: take it out of SHARED_GOLDENS" for name in sorted(gone))])


def test_each_statement_is_documented() -> None:
    text = (ROOT / "docs" / "statements.md").read_text(encoding="utf-8")
    lines = [re.findall(r"[A-Z]{2,}", line) for line in text.splitlines()]
    refuse(
        [
            f"docs/statements.md has no line with {' '.join(variants[0])} …, for {item.node.__name__}"
            for item in statements()
            for variants in [_keywords(item.syntax)]
            if item.is_sql and not any(_in_order(words, line) for words in variants for line in lines)
        ]
    )


def _keywords(syntax: str) -> list[list[str]]:
    """What must be written, in each choice of {A | B}: `{USE | SET} CATALOG name` gives USE CATALOG and SET CATALOG."""
    needed = re.split("[,;]", syntax)[0]
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", needed)) != needed:
        needed = shorter
    parts = re.split(r"\{([^{}]*)\}", needed)
    choices = [part.split("|") if number % 2 else [part] for number, part in enumerate(parts)]
    return [re.findall(r"[A-Z]{2,}", " ".join(choice)) for choice in product(*choices)]


def _in_order(words: list[str], line: list[str]) -> bool:
    rest = iter(line)
    return all(word in rest for word in words)


class Function(NamedTuple):
    """`name` is file::Class.function. `_(Node)` is the planner rule of a node."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef


@cache
def functions() -> tuple[Function, ...]:
    return tuple(item for file, tree in trees().items() for item in _functions(tree, f"{file}::"))


def _functions(node: ast.AST, prefix: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = f"{prefix}{child.name}"
            if child.name == "_" and child.args.args and child.args.args[0].annotation is not None:
                name += f"({ast.unparse(child.args.args[0].annotation)})"
            yield Function(name, child)
            yield from _functions(child, f"{name}.")
        elif isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _functions(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)


def complexity(function: ast.AST) -> int:
    """1 and what branches: also operands of `and` and `or`, comprehensions with their conditions, cases."""
    return 1 + sum(_branches(node) for node in _inside(function))


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """All below a node but for functions and classes in it, which are counted by themselves."""
    waiting = [*ast.iter_child_nodes(node)]
    while waiting:
        child = waiting.pop()
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child
            waiting += ast.iter_child_nodes(child)


def _branches(node: ast.AST) -> int:
    match node:
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.comprehension(ifs=conditions):
            return 1 + len(conditions)
        case ast.If() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler() | ast.IfExp() | ast.match_case():
            return 1
        case _:
            return 0


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("assert a", 1),
        ("if a and b or c:\n    pass\nelif d:\n    pass", 5),
        ("x = [a for a in b if a if c] if d else e", 5),
        ("match a:\n    case 1 if b:\n        pass\n    case _:\n        pass", 3),
        ("try:\n    pass\nexcept A:\n    pass\nfinally:\n    pass", 2),
        ("def g():\n    if a:\n        pass", 1),
        ("while a:\n    for b in lambda: c or d:\n        pass", 4),
    ],
)
def test_complexity_of(code: str, expected: int) -> None:
    assert complexity(ast.parse(code)) == expected


def _grown(found: Mapping[str, int], most: int, allowed: Mapping[str, int], table: str, unit: str) -> list[str]:
    """What is above `most` and more than its line in `table` allows, and lines of the table that can go."""
    larger = {name: number for name, number in found.items() if number > most}
    worse = [
        f"{name} has {number} {unit}, more than {allowed.get(name, most)}"
        for name, number in larger.items()
        if number > allowed.get(name, most)
    ]
    return worse + [f"{name} needs no line in {table} any more: take it out" for name in allowed.keys() - larger.keys()]


def test_functions_are_simple() -> None:
    found: dict[str, int] = {}
    for item in functions():
        if item.name not in PLAIN:
            found[item.name] = max(found.get(item.name, 0), complexity(item.node))
    refuse(_grown(found, MOST_COMPLEX, {}, "", "branches"))


def test_plain_functions_are_one_match() -> None:
    by_name = {item.name: item.node for item in functions()}
    refuse(
        [
            f"{name} is not one match of more than {MOST_COMPLEX} branches: take it out of PLAIN"
            for name in PLAIN
            if name not in by_name or not _is_one_match(by_name[name]) or complexity(by_name[name]) <= MOST_COMPLEX
        ]
    )


def _is_one_match(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = [node for node in function.body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    return isinstance(body[-1], ast.Match) and len(body) - (ast.get_docstring(function) is not None) == 1


def test_records_are_small() -> None:
    found = {
        f"{file}::{node.name}": sum(
            isinstance(item, ast.AnnAssign) and "ClassVar" not in ast.unparse(item) for item in node.body
        )
        for file, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and re.search(
            r"dataclass|NamedTuple|TypedDict", " ".join(map(ast.unparse, [*node.decorator_list, *node.bases]))
        )
    }
    refuse(_grown(found, MOST_FIELDS, NOT_YET_SMALL, "NOT_YET_SMALL", "fields"))


def _is_field(item: ast.stmt) -> bool:
    return isinstance(item, ast.AnnAssign) and "ClassVar" not in ast.unparse(item.annotation)


def test_modules_are_short() -> None:
    found = {file: len((PACKAGE / file).read_text(encoding="utf-8").splitlines()) for file in trees()}
    refuse(_grown(found, MOST_LINES, {}, "", "lines"))


def test_the_whole_is_small() -> None:
    found = _measures()
    assert found.keys() == MOST_OF_THE_WHOLE.keys()
    grown = {name: number for name, number in found.items() if number > MOST_OF_THE_WHOLE[name]}
    refuse([f"there are {number} {name}, more than {MOST_OF_THE_WHOLE[name]}" for name, number in grown.items()])


def test_the_ratchets_of_the_whole_are_tight() -> None:
    found = _measures()
    loose = {name: most for name, most in MOST_OF_THE_WHOLE.items() if most > found[name] * 1.02 + 1}
    refuse([f"there are {found[name]} {name} now: lower the ratchet from {most}" for name, most in loose.items()])


@cache
def _measures() -> dict[str, int]:
    return dict(_measured())


def _measured() -> Iterator[tuple[str, int]]:
    lines = {file: len((PACKAGE / file).read_text(encoding="utf-8").splitlines()) for file in trees()}
    arrows, names = set[tuple[str, str]](), set[tuple[str, str]]()
    for file, target, name in _imports():
        arrows.add((file, target))
        if file.split("/")[0] != target.split("/")[0]:
            names.add((target, name))
    nodes = [(file, node) for file, tree in trees().items() for node in ast.walk(tree)]
    yield "entries at the top of the package", len({file.split("/")[0] for file in lines})
    yield "modules", len(lines)
    small = sum(Path(file).name != "__init__.py" and number < SMALL for file, number in lines.items())
    yield f"modules under {SMALL} lines", small
    yield "names imported from another room", len(names)
    yield "imports between modules", len(arrows)
    classes = [node for _, node in nodes if isinstance(node, ast.ClassDef)]
    yield (
        "classes of errors",
        sum(any("condition(" in ast.unparse(one) for one in node.decorator_list) for node in classes),
    )
    calls = [(file, node.func) for file, node in nodes if isinstance(node, ast.Call)]
    tokenizing = {
        file for file, called in calls if "tokenize" in (getattr(called, "id", ""), getattr(called, "attr", ""))
    }
    yield "files that tokenize", len(tokenizing)
    store = next(node for node in classes if node.name == "CatalogStore")
    yield "methods of the store of a catalog", sum(isinstance(item, ast.FunctionDef) for item in store.body)
    yield "lines", sum(lines.values())


def _imports() -> Iterator[tuple[str, str, str]]:
    """The names that a module imports from another one: (module, other module, name), modules by their paths."""
    for file, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deltasql"):
                for item in node.names:
                    above = "/".join(str(node.module).split(".")[1:])
                    paths = (f"{above}/{item.name}.py".lstrip("/"), f"{above}.py", f"{above}/__init__.py".lstrip("/"))
                    target = next((path for path in paths if path in trees()), None)
                    if target is not None:
                        yield file, target, item.name


def test_golden_files_can_be_read() -> None:
    found = {
        path.relative_to(GOLDENS).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in GOLDENS.rglob("*.out")
    }
    refuse(_grown(found, MOST_GOLDEN_LINES, NOT_YET_READABLE, "NOT_YET_READABLE", "lines"))


def test_files_of_tests_can_be_read() -> None:
    tests = ROOT / "tests"
    found = {
        path.relative_to(tests).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in tests.rglob("*.py")
    }
    refuse(_grown(found, MOST_TEST_LINES, TABLES, "TABLES", "lines"))
