"""The import rule of the house: which folder may import which, who imports what from outside, and no cycles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from deltasql.base import doors, lazy
from tests.late_imports import ENGINE, LATE, LATE_PACKAGES, START, STARTERS

PACKAGE = Path(__file__).parents[1] / "deltasql"

LAYERS = (
    {"base"},
    {"schema"},
    {"plan"},
    {"sql"},
    {"log.table_properties", "log.operations", "log.row_groups"},
    {"log.storage", "log.protocol"},
    {"log.committers"},
    {"log.actions"},
    {"log.configuration"},
    {"log.replay"},
    {"log.iceberg", "log.stream_source", "log.unused_files", "log.source_files"},
    {"log.upkeep"},
    {"log.commit"},
    {"log.pending"},
    {"log"},
    {"catalog", "files"},
    {"planner.door"},
    {"planner"},
    {"statements", "engines.choice", "engines.running"},
    {"engines.rewriting", "engines.curves"},
    {"engines.local", "engines.spark.loading"},
    {"engines.spark.failures", "engines.spark.added"},
    {"engines.spark.session"},
    {"engines.spark.reading"},
    {"engines.spark.writing"},
    {"engines.spark.rewrites"},
    {"engines.spark"},
    {"engines"},
    {"engines.sail"},
    {"session"},
    {"clients"},
    {"databricks", "dbapi", "tables", "golden", "checking", "errors", "server", "warehouse", "integrations"},
    {"__init__", "__main__"},
)
"""Rooms from the bottom up, some with an order of their own. Each imports only from below, and from itself."""

APART = (
    ("engines", "planner"),
    ("engines", "statements"),
    ("catalog", "files"),
    ("engines.local", "engines.spark"),
    ("engines.local", "engines.sail"),
)
"""Pairs of rooms that do not know each other, but for DOOR: another engine can stand beside Spark."""
DOOR = "planner.door"

OWNERS = {
    "lark": {"sql"},
    "sqlglot": {"sql", "engines.sail"},
    "pyspark": {"engines.spark", "engines.sail", "clients"},
    "dbt": {"clients"},
    "pysail": {"engines.sail"},
    "py4j": set(),
    "obstore": {"log"},
    "rich": {"files"},
    "prompt_toolkit": {"clients"},
    "pygments": {"clients"},
    "pandas": set(),
    "numpy": {"schema", "log", "files", "planner.door", "engines"},
    "pyiceberg": {"log"},
    "thrift": {"catalog", "clients"},
    "hive_metastore": {"catalog"},
    "boto3": {"catalog"},
    "botocore": {"catalog"},
    "google": {"clients"},
    "sqlalchemy": {"clients"},
    "pygls": {"clients"},
    "lsprotocol": {"clients"},
    "pytest": {"clients"},
    "IPython": {"clients"},
    "h3": {"engines.spark"},
    "shapely": {"engines.spark"},
    "pyproj": {"engines.spark"},
}
"""Who may import a package from outside when it runs. Imports for type checkers alone are free."""

FILES = {
    "base.errors": "the table of conditions",
    "base.stubs": "stubs for type checkers",
    "log.storage": "table files: the one room that knows where they are",
    "catalog.commit_stores": "the catalog's own file, which SQLite opens",
    "catalog.dropped": "folders of dropped tables, which get another name on a local disk",
    "catalog.temporary": "the folder of the temporary tables of a session",
    "catalog.catalog": "whether /Volumes is a folder of this machine",
    "engines.local.arranging": "a temporary folder for rows that do not fit into memory",
    "engines.spark.session": "Spark's configuration, jars and place for scratch files",
    "session.frames.writer": "a relative path is one of the working directory",
    "clients.golden": "scripts and their outputs",
    "clients.pytest_plugin": "scripts and their outputs",
    "clients.repl": "the history of the shell, scripts that it runs, the user's editor and pager",
    "clients.cli": "scripts",
    "clients.pipelines": "the files of a pipeline, and pictures of it",
    "clients.dbt": "the folder of its macros",
    "clients.checking": "the scratch warehouse",
    "clients.warehouse": "results that wait, files on their way to volumes, the certificate of the server",
    "clients.command": "the file of settings, scripts",
    "sql.parser.automaton": "the tables of the grammar, kept from process to process",
    "sql.added_calls": "the table of geospatial functions",
    "sql.missing_functions": "the table of functions, and the file of secrets",
    "files.stage": "the limits of this process's cgroup",
    "engines.sail.guards.guards": "the table of calls that run on Sail",
    "files.rendering.progress": "the width of the terminal",
    "files.rendering.values": "the width of the terminal",
    "files.render.values": "the width of the terminal",
    "clients.server.flight": "the token, and the certificate of TLS",
    "base.timezone": "the zone of this machine",
    "clients.command.settings_page": "the page of settings",
    "clients.dbutils": "files of the user",
    "clients.notebooks": "scripts",
}
"""Who may touch a file system: nobody else opens, lists, moves or removes a file."""

FILE_MODULES = {"pathlib", "shutil", "tempfile", "glob", "os.path"}
FILE_CALLS = {
    "open",
    "exists",
    "listdir",
    "scandir",
    "remove",
    "unlink",
    "rename",
    "replace",
    "makedirs",
    "mkdir",
    "stat",
}
"""Of `os`, and `open` itself."""


class Import(NamedTuple):
    """`runs`: False for an import under TYPE_CHECKING, which only type checkers see. `late`: inside a function."""

    module: str
    target: str
    line: int
    runs: bool = True
    late: bool = False


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


for _room in doors.ROOMS:
    import_module(f"deltasql.{_room}")


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def imports() -> tuple[Import, ...]:
    """Every import, also those inside functions and under TYPE_CHECKING."""
    return tuple(item for name, path in modules().items() for item in _of_body(name, _parsed(path).body))


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _of_body(module: str, body: list[ast.stmt], runs: bool = True, late: bool = False) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (Import(module, alias.name, node.lineno, runs, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: a relative import"
            if node.module in {"deltasql.base", "deltasql.base.lazy"}:
                yield from (Import(module, package, node.lineno, runs, late=True) for package in _lazy(node))
            yield from (Import(module, target, node.lineno, runs, late) for target in _from(node))
        else:
            typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            inside = late or isinstance(node, ast.FunctionDef)
            yield from _of_body(module, getattr(node, "body", []), runs and not typing, inside)
            for field in ("orelse", "finalbody"):
                yield from _of_body(module, getattr(node, field, []), runs, inside)
            for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
                yield from _of_body(module, part.body, runs, inside)


def _lazy(node: ast.ImportFrom) -> Iterator[str]:
    """The packages behind names of deltasql.base.lazy, which are imported when they are first used."""
    for found in (vars(lazy).get(alias.name) for alias in node.names):
        if isinstance(found, lazy.LazyModule):
            yield found.module


def _from(node: ast.ImportFrom) -> Iterator[str]:
    """`from deltasql.a import b`: the module deltasql.a.b, or that of b behind the door of a room, else deltasql.a."""
    assert node.module is not None
    for alias in node.names:
        name = f"{node.module}.{alias.name}"
        yield name if name in modules() else doors.homes.get(node.module, {}).get(alias.name, node.module)


@cache
def room_of(module: str) -> str:
    """The room of the table that a module of deltasql is in."""
    path = module.removeprefix("deltasql").lstrip(".") or "__init__"
    if modules()[module].name == "__init__.py" and f"{path}.__init__" in _rooms():
        return f"{path}.__init__"
    while path not in _rooms() and "." in path:
        path = path.rpartition(".")[0]
    return path


@cache
def _rooms() -> dict[str, int]:
    return {room: number for number, layer in enumerate(LAYERS) for room in layer}


def test_every_module_has_a_room() -> None:
    folders = {"log"}
    assert {room_of(name) for name in modules()} - folders <= set(_rooms())


def test_imports_go_up_the_table_only() -> None:
    wrong = [
        f"{item.module}:{item.line} imports {item.target}"
        for item in imports()
        if item.target in modules() and not _allowed(room_of(item.module), room_of(item.target))
    ]
    assert not wrong, "\n".join(wrong)


def _top(name: str) -> str:
    return name.partition(".")[0]


def _allowed(room: str, target: str) -> bool:
    if room == target:
        return True
    if target != DOOR and any(_are_of(room, target, *pair) or _are_of(target, room, *pair) for pair in APART):
        return False
    return target in _rooms() and _rooms()[target] < _rooms()[room]


def _are_of(room: str, target: str, one: str, other: str) -> bool:
    return _is_within(room, one) and _is_within(target, other)


def _is_within(room: str, outer: str) -> bool:
    return room == outer or room.startswith(f"{outer}.")


def test_the_door_stays_small() -> None:
    """Each of its protocols has at most 15 questions, inherited ones not counted."""
    tree = _parsed(modules()[f"deltasql.{DOOR}"])
    protocols = [node for node in tree.body if isinstance(node, ast.ClassDef) and "Protocol" in ast.unparse(node)]
    sizes = {node.name: sum(isinstance(item, ast.FunctionDef) for item in node.body) for node in protocols}
    assert {"EngineNames", "Analyst", "Runtime"} <= sizes.keys()
    assert max(sizes.values()) <= 15, sizes


def test_outside_packages_have_one_owner_each() -> None:
    wrong = [
        f"{item.module}:{item.line} imports {item.target}"
        for item in imports()
        if item.runs and not _owns(room_of(item.module), _top(item.target))
    ]
    assert not wrong, "\n".join(wrong)


def _owns(room: str, package: str) -> bool:
    return package not in OWNERS or any(_is_within(room, owner) for owner in OWNERS[package])


def test_no_module_imports_itself_in_a_circle() -> None:
    """A circle through a function, or through types alone, is a circle."""
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


def test_functions_import_only_what_must_come_late() -> None:
    wrong = [
        f"{item.module}:{item.line} imports {item.target} inside a function: lift it to the top, or say in LATE why not"
        for item in imports()
        if item.late and not (item.target in LATE if item.target in modules() else _top(item.target) in LATE_PACKAGES)
    ]
    assert not wrong, "\n".join(wrong)


def test_what_comes_late_has_its_reason() -> None:
    late = {item.target for item in imports() if item.late and item.runs}
    wrong = [f"{name} is imported by no function: take it out of LATE" for name in sorted(LATE.keys() - late)]
    wrong += [
        f"{name} does not load {package}: import it at the top, and take it out of LATE"
        for name, package in LATE.items()
        if package not in {START, ENGINE, *_loads(name)}
    ]
    wrong += [
        f"{item.module}:{item.line} imports {item.target}, which only {' and '.join(STARTERS)} may leave for later"
        for item in imports()
        if item.late and LATE.get(item.target) == START and item.module not in STARTERS
    ]
    assert not wrong, "\n".join(wrong)


def test_a_package_that_comes_late_is_still_used() -> None:
    late = {_top(item.target) for item in imports() if item.late and item.runs}
    assert sorted(LATE_PACKAGES.keys() - late) == []


def _loads(module: str) -> set[str]:
    """The packages from outside that come with `import module`, also by the modules that it imports at the top."""
    found: set[str] = set()
    waiting, seen = [module], set()
    while waiting:
        name = waiting.pop()
        if name in modules() and name not in seen:
            seen.add(name)
            waiting += [item.target for item in imports() if item.module == name and item.runs and not item.late]
        elif name not in modules():
            found.add(_top(name))
    return found


def _touches_files(tree: ast.Module) -> Iterator[int]:
    """The lines that import what reaches the file system, or call it."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) if any(item.name in FILE_MODULES for item in names):
                yield node.lineno
            case ast.ImportFrom(module="pathlib", names=names):
                # A path that is only taken apart is no place on a disk.
                if any(item.name != "PurePosixPath" for item in names):
                    yield node.lineno
            case ast.ImportFrom(module=str(module)) if module in FILE_MODULES:
                yield node.lineno
            case ast.Call(func=ast.Name(id="open")):
                yield node.lineno
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr=attr)) if attr in FILE_CALLS:
                yield node.lineno


def test_table_files_are_reached_through_their_storage_alone() -> None:
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if any(module == owner or module.startswith(f"{owner}.") for owner in FILES):
            continue
        wrong += [f"{module}:{line}" for line in _touches_files(ast.parse(path.read_text(encoding="utf-8")))]
    assert not wrong, f"only {', '.join(FILES)} may touch files: {', '.join(wrong)}"


def test_rooms_are_entered_by_their_doors() -> None:
    """From outside, names of a room are imported from its package, which lists them, or are modules right below it."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} imports {node.module}: add what it needs to the door of the room"
        for name, path in modules().items()
        for node in ast.walk(_parsed(path))
        if isinstance(node, ast.ImportFrom) and not _by_door(name, str(node.module))
    ]
    assert not wrong, "\n".join(wrong)


def _by_door(module: str, target: str) -> bool:
    room = ".".join(target.split(".")[:2])
    return (
        room.removeprefix("deltasql.") not in doors.ROOMS
        or module == room
        or module.startswith(f"{room}.")
        or target in {room, "deltasql.base.errors", "deltasql.base.doors"}
    )
