"""Names in objects: what others do between any two requests, what a crash leaves, answers that are lost."""

from __future__ import annotations

import json
import random
import secrets
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest
from obstore import exceptions
from obstore.store import LocalStore, MemoryStore

from deltasql.catalog import Catalog, TableEntry, shared_objects
from deltasql.catalog.definitions import FunctionDefinition, ViewDefinition
from deltasql.catalog.entries import Entry, FunctionEntry, ViewEntry
from deltasql.errors.base import DeltaSqlError
from deltasql.errors.catalog import (
    CatalogFileError,
    SchemaNotFoundError,
    TableAlreadyExistsError,
    TableNotFoundError,
)
from deltasql.errors.log import AmbiguousWriteError, ConditionalPutError, StorageError
from deltasql.errors.statements.view import CatalogNameTakenError
from deltasql.log.storage.local_store import LocalLogStore
from deltasql.log.storage.log_store import LogStore, Tag
from deltasql.schema.types import StructType

URL = "memory:///wh"
T = TypeVar("T")
Operation: TypeAlias = Callable[[Catalog], object]
Model: TypeAlias = Callable[..., tuple[list[object], object]]


class GoneError(Exception):
    """The process has died."""


class Watched(LogStore):
    """Keeps its requests, and calls what `before` has for the number of one, from 0, when it comes."""

    def __init__(self, memory: Any) -> None:
        super().__init__(URL, memory, "wh")
        self.requests: list[str] = []
        self.before: dict[int, Callable[[], object]] = {}

    def _open(self, create: bool = False) -> Any:
        number = len(self.requests)
        self.requests.append("write" if create else "read")
        self.before.get(number, lambda: None)()
        return super()._open(create)


def opened(memory: MemoryStore) -> tuple[Catalog, Watched]:
    store = Watched(memory)
    return Catalog(URL, lambda _: store), store


@pytest.fixture
def memory() -> MemoryStore:
    return MemoryStore()


@pytest.fixture(autouse=True)
def in_haste(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Nobody waits long; where there are no threads, nobody waits."""
    if "threads" not in request.node.name:
        monkeypatch.setattr(shared_objects, "_pause", lambda attempt: None)
        monkeypatch.setattr(shared_objects, "PATIENCE", 0.3)


# How many requests


def test_a_table_is_found_by_one_request(memory: MemoryStore) -> None:
    writer, _ = opened(memory)
    writer.create_schema("s")
    writer.register("t", "/t", managed=False)
    writer.register(("s", "t"), "/s/t", managed=False)
    catalog, store = opened(memory)
    for number, name in enumerate(("t", "missing", ("s", "t"), ("nowhere", "t"), "t"), 1):
        catalog.resolve(name)
        assert len(store.requests) == number


def test_how_many_requests_changes_take(memory: MemoryStore) -> None:
    catalog, store = opened(memory)
    catalog.register("first", "/first", managed=False)
    changes: tuple[tuple[int, Operation], ...] = (
        (2, lambda names: names.register("t", "/t", managed=False)),
        (2, lambda names: names.rename("t", "u")),
        (2, lambda names: names.set_location("u", "/u")),
        (2, lambda names: names.create_schema("s")),
        (3, lambda names: names.comment_on_schema("s", "c")),
        (3, lambda names: names.register(("s", "t"), "/s/t", managed=False)),
        (2, lambda names: names.unregister("u")),
        (1, lambda names: names.tables("s")),
        (1, lambda names: names.schemas()),
    )
    for most, change in changes:
        store.requests.clear()
        change(catalog)
        assert len(store.requests) <= most


# Others between any two requests


def started() -> MemoryStore:
    memory = MemoryStore()
    start(opened(memory)[0])
    return memory


def start(catalog: Catalog) -> None:
    """Two schemas with a table each, one without."""
    for schema in ("s", "d", "e"):
        catalog.create_schema(schema)
    catalog.register(("s", "t"), "/t", managed=True)
    catalog.register(("d", "other"), "/other", managed=False)


def new_view(found: Entry | None) -> ViewDefinition:
    if found is not None:
        raise CatalogNameTakenError(view=found.name, kind="name")
    return ViewDefinition("SELECT 1 AS a", ("spark_catalog", "s"), {"k": "v"}, ("a",), StructType())


def new_function(found: FunctionEntry | None) -> FunctionDefinition:
    return FunctionDefinition(found.definition.text + "+" if found else "() RETURN 1", ("spark_catalog", "s"), {})


OPERATIONS: dict[str, Operation] = {
    "rename to d.u": lambda names: names.rename(("s", "t"), ("d", "u")),
    "rename to e.t": lambda names: names.rename(("s", "t"), ("e", "t")),
    "rename to s.u": lambda names: names.rename(("s", "t"), ("s", "u")),
    "rename d.u back": lambda names: names.rename(("d", "u"), ("s", "t")),
    "rename d.other to d.u": lambda names: names.rename(("d", "other"), ("d", "u")),
    "rename d.other to s.t": lambda names: names.rename(("d", "other"), ("s", "t")),
    "create s.t": lambda names: names.register(("s", "t"), "/s/t", managed=False),
    "create d.u": lambda names: names.register(("d", "u"), "/d/u", managed=False),
    "create s.more": lambda names: names.register(("s", "more"), "/s/more", managed=False),
    "drop s.t": lambda names: names.unregister(("s", "t")),
    "drop d.u": lambda names: names.unregister(("d", "u")),
    "move s.t": lambda names: names.set_location(("s", "t"), "/moved"),
    "move d.u": lambda names: names.set_location(("d", "u"), "/moved"),
    "drop schema s": lambda names: names.drop_schema("s"),
    "drop s cascade": lambda names: names.drop_schema("s", cascade=True),
    "drop d cascade": lambda names: names.drop_schema("d", cascade=True),
    "drop e": lambda names: names.drop_schema("e"),
    "create schema s": lambda names: names.create_schema("s", "again"),
    "comment on s": lambda names: names.comment_on_schema("s", "c"),
    "create view s.t": lambda names: names.change_view(("s", "t"), new_view),
    "create view d.u": lambda names: names.change_view(("d", "u"), new_view),
    "drop view d.u": lambda names: names.drop_view(("d", "u")),
    "create function s.f": lambda names: names.change_function(("s", "f"), new_function),
    "resolve s.t": lambda names: names.resolve(("s", "t")),
    "resolve d.u": lambda names: names.resolve(("d", "u")),
    "show d": lambda names: names.tables("d"),
    "show s": lambda names: names.tables("s"),
}


ABOUT_D_U = [
    *("rename to d.u", "rename d.u back", "rename d.other to d.u", "create d.u", "create s.t", "drop s.t", "drop d.u"),
    *("move d.u", "drop s cascade", "drop d cascade", "resolve d.u", "show d"),
]


def plain(value: object) -> object:
    """A result without what is told from the clock."""
    if isinstance(value, TableEntry):
        return (value.parts, value.location, value.managed)
    if isinstance(value, (ViewEntry, FunctionEntry)):
        return (value.parts, str(value.definition))
    return sorted(map(plain, value), key=str) if isinstance(value, list) else value


def outcome(operation: Operation, catalog: Catalog) -> object:
    try:
        return plain(operation(catalog))
    except DeltaSqlError as error:
        return error.condition


def state(catalog: Catalog) -> object:
    """All that there is, read in each of the ways."""
    found: list[tuple[str, str | None, list[object]]] = []
    tables: list[object] = []
    for schema in catalog.schemas():
        entries = catalog.entries(schema.name)
        assert all(catalog.find(entry.parts) == entry for entry in entries)
        functions = catalog.functions(schema.name)
        assert all(catalog.function(entry.parts) == entry for entry in functions)
        tables += [plain(entry) for entry in entries if isinstance(entry, TableEntry)]
        found.append((schema.name, schema.comment, [plain(entry) for entry in (*entries, *functions)]))
    assert plain(list(catalog._store.tables_below(""))) == sorted(tables, key=str)
    return found


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """What operations, one after another, come to in SQLite: their outcomes, and all that there is in the end."""
    known: dict[tuple[str, ...], tuple[list[object], object]] = {}
    first = tmp_path_factory.mktemp("model") / "wh"
    made = Catalog(str(first))
    start(made)
    made.close()

    def run(*names: str) -> tuple[list[object], object]:
        if names not in known:
            catalog = Catalog(str(shutil.copytree(first, first.parent / str(len(known)))))
            # To outlive a crash of the machine would cost most of the time.
            catalog._store._database.rows("PRAGMA synchronous = OFF")  # type: ignore[attr-defined]
            known[names] = [outcome(OPERATIONS[name], catalog) for name in names], state(catalog)
            catalog.close()
        return known[names]

    return run


@pytest.mark.parametrize("name", OPERATIONS)
def test_another_statement_between_any_two_requests(name: str, model: Model) -> None:
    """Whenever it comes, both end as if one had come after the other."""
    check_side_by_side(name, OPERATIONS, started, [], model)


@pytest.mark.parametrize(("died_at", "is_done"), [(3, False), (5, True), (7, True)])
@pytest.mark.parametrize("name", ABOUT_D_U)
def test_two_statements_after_a_rename_that_died(name: str, died_at: int, is_done: bool, model: Model) -> None:
    """It died once the arrival was announced, the table had departed, or it had arrived."""

    def begun() -> MemoryStore:
        memory = started()
        catalog, store = opened(memory)
        store.before[died_at] = die
        with pytest.raises(GoneError):
            OPERATIONS["rename to d.u"](catalog)
        return memory

    check_side_by_side(name, ABOUT_D_U, begun, ["rename to d.u"] if is_done else [], model)


def check_side_by_side(
    name: str, others: Iterable[str], begun: Callable[[], MemoryStore], done: list[str], model: Model
) -> None:
    """Runs each of `others` in front of each request of an operation, on what is there when all of `done` is done."""
    for other in others:
        for at in count():
            memory = begun()
            catalog, store = opened(memory)
            beside: list[object] = []
            store.before[at] = partial(run_beside, OPERATIONS[other], memory, beside)
            own = outcome(OPERATIONS[name], catalog)
            if not beside:
                break
            after, before = model(*done, name, other), model(*done, other, name)
            serial = [(after[0][-2:], after[1]), (before[0][:-3:-1], before[1])]
            found = ([own, *beside], state(opened(memory)[0]))
            assert found in serial, f"{other} before request {at} of {name}: {found} is none of {serial}"


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_crash_at_any_request(name: str, model: Model) -> None:
    """It has changed all or nothing, and what comes later finds no trace of it."""
    for later, statement in OPERATIONS.items():
        for at in count():
            memory = started()
            catalog, store = opened(memory)
            store.before[at] = die
            try:
                outcome(OPERATIONS[name], catalog)
                break
            except GoneError:
                done = outcome(statement, opened(memory)[0])
            fresh = opened(memory)[0]
            for schema in fresh.schemas():
                if not is_whole(fresh, schema.name):
                    assert fresh.drop_schema(schema.name, if_exists=True) == []
            nothing, everything = model(later), model(name, later)
            serial = [nothing, (everything[0][1:], everything[1])]
            found = ([done], state(fresh))
            assert found in serial, f"{later} after a crash at request {at} of {name}: {found} is none of {serial}"


def run_beside(statement: Operation, memory: MemoryStore, outcomes: list[object]) -> None:
    outcomes.append(outcome(statement, opened(memory)[0]))


def is_whole(catalog: Catalog, schema: str) -> bool:
    """False for what a DROP SCHEMA has left that died half-way."""
    try:
        catalog.tables(schema)
    except SchemaNotFoundError:
        return False
    return True


def die() -> None:
    raise GoneError


def test_a_rename_that_died_is_over_for_the_next_one(memory: MemoryStore) -> None:
    """Dead announcements do not hold up whoever wants the name, or the schema."""
    for later in ("create d.u", "rename to d.u", "drop d cascade", "drop s cascade", "rename d.other to d.u"):
        memory = started()
        catalog, store = opened(memory)
        for at in range(3, 5):
            store.requests.clear()
            store.before = {at: die}
            with suppress(GoneError):
                catalog.rename(("s", "t"), ("d", "u"))
        OPERATIONS[later](opened(memory)[0])
        left = opened(memory)[0]._store.tables_below("")
        assert len({entry.location for entry in left}) == len(left)


# Many at once


@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_many_threads_that_want_the_same_names(memory: MemoryStore, lost: float) -> None:
    """`lost`: the share of writes whose answer does not come, of which one half is not stored either."""
    wanted = [("s", f"t{number}") for number in range(6)]
    opened(memory)[0].create_schema("s")

    def work(worker: int) -> list[tuple[str, ...]]:
        catalog = Catalog(URL, lambda _: Unsure(memory, lost))
        won: list[tuple[str, ...]] = []
        for name in random.Random(worker).sample(wanted, len(wanted)):
            with suppress(TableAlreadyExistsError):
                catalog.register(name, f"/{worker}", managed=False)
                won.append(name)
            if catalog.create_schema(name[1], comment=str(worker), if_not_exists=True):
                won.append((name[1],))
            catalog.register(("s", f"own_{worker}_{name[1]}"), f"/{worker}", managed=False)
        return won

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(work, range(8)))
    catalog, _ = opened(memory)
    assert sorted(name for names in won for name in names) == sorted([*wanted, *((name,) for _, name in wanted)])
    for worker, names in enumerate(won):
        for name in names:
            kept = catalog.require(name).location if len(name) == 2 else f"/{catalog.schema(name).comment}"
            assert kept == f"/{worker}"
    assert len(catalog.tables("s")) == len(wanted) * 9


def test_tables_that_many_threads_send_to_and_fro(memory: MemoryStore) -> None:
    schemas = ("a", "b", "c")
    first, _ = opened(memory)
    for schema in schemas:
        first.create_schema(schema)
    for number in range(3):
        first.register(("a", f"t{number}"), f"/{number}", managed=True)

    def work(worker: int) -> None:
        catalog = Catalog(URL, lambda _: Unsure(memory, 0.05))
        choose = random.Random(worker)
        for _ in range(25):
            old, new = choose.choice(schemas), choose.choice(schemas)
            name, other = f"t{choose.randrange(3)}", f"t{choose.randrange(3)}"
            with suppress(TableNotFoundError, TableAlreadyExistsError):
                catalog.rename((old, name), (new, other))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    found = [entry for schema in schemas for entry in opened(memory)[0].tables(schema)]
    assert sorted(entry.location for entry in found) == ["/0", "/1", "/2"]


class Unsure(LogStore):
    """Loses the answers to a share of its writes, and of these a share is not stored either."""

    def __init__(self, memory: MemoryStore, lost: float, unsent: float = 0.5) -> None:
        super().__init__(URL, memory, "wh")
        self._lost, self._unsent = lost, unsent
        self._random = random.Random(secrets.randbits(32))

    def put_if_absent(self, path: str, data: bytes) -> bool:
        return self._answered(path, lambda: super(Unsure, self).put_if_absent(path, data))

    def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
        return self._answered(path, lambda: super(Unsure, self).put_if_same(path, data, tag))

    def _answered(self, path: str, put: Callable[[], T]) -> T:
        if path.endswith(".probe") or self._random.random() > self._lost:
            return put()
        if self._random.random() > self._unsent:
            put()
        raise AmbiguousWriteError(self.url(path), "timed out")


# Storage that fails


def test_a_put_that_was_repeated_by_the_client(memory: MemoryStore) -> None:
    """A server that fails after it has stored: the client asks again, and is told that another one was first."""

    class Repeating(LogStore):
        def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
            super().put_if_same(path, data, tag)
            return super().put_if_same(path, data, tag)

    catalog = Catalog(URL, lambda _: Repeating(URL, memory, "wh"))
    assert catalog.create_schema("s")
    assert catalog.create_schema("d")
    catalog.register("t", "/t", managed=False)
    catalog.register("u", "/u", managed=False)
    assert catalog.rename("u", ("s", "u")).schema == "s"
    assert [entry.name for entry in catalog.drop_schema("s", cascade=True)] == ["u"]


def test_a_storage_that_never_answers(memory: MemoryStore) -> None:
    opened(memory)[0].create_schema("s")
    catalog = Catalog(URL, lambda _: Unsure(memory, lost=1.0, unsent=1.0))
    with pytest.raises(CatalogFileError, match=r"did not answer .* SHOW TABLES and SHOW SCHEMAS") as caught:
        catalog.create_schema("d")
    assert caught.value.path == f"{URL}/_catalog.d/schemas.json"


def test_a_storage_on_which_others_are_always_first(memory: MemoryStore) -> None:
    class Late(LogStore):
        def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
            return None

    opened(memory)[0].create_schema("s")
    with pytest.raises(CatalogFileError, match=r"others changed it first.*run the statement again"):
        Catalog(URL, lambda _: Late(URL, memory, "wh")).create_schema("d")


def test_a_storage_that_goes_away(memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog, _ = opened(memory)
    catalog.register("t", "/t", managed=False)

    def gone(*_: object, **__: object) -> None:
        raise exceptions.GenericError("connection refused")

    for name in ("get", "put", "list"):
        monkeypatch.setattr(f"obstore.{name}", gone)
    for use in (
        lambda: catalog.resolve("t"),
        lambda: catalog.register("u", "/u", managed=False),
        lambda: catalog.managed_location("v"),
        catalog.schemas,
        lambda: catalog.create_schema("s"),
        lambda: catalog.drop_schema("s"),
        lambda: catalog.rename("t", "u"),
    ):
        with pytest.raises(StorageError, match="connection refused") as caught:
            use()
        assert f"{URL}/_catalog.d" in str(caught.value)


def test_a_storage_that_goes_away_before_it_answers(memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    class Going(LogStore):
        def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
            monkeypatch.setattr("obstore.get", gone)
            raise AmbiguousWriteError(self.url(path), "timed out")

    def gone(*_: object, **__: object) -> None:
        raise exceptions.GenericError("connection refused")

    opened(memory)[0].create_schema("s")
    with pytest.raises(CatalogFileError, match="did not answer"):
        Catalog(URL, lambda _: Going(URL, memory, "wh")).create_schema("d")


class Overwriting(LogStore):
    """Ignores a condition, as servers do that do not know its header."""

    def put_if_absent(self, path: str, data: bytes) -> bool:
        self.overwrite(path, data)
        return True


class Swapping(LogStore):
    """Ignores the other condition."""

    def put_if_same(self, path: str, data: bytes, tag: Tag) -> Tag | None:
        self.overwrite(path, data)
        return Tag("?", None)


@pytest.mark.parametrize(("store", "header"), [(Overwriting, "If-None-Match"), (Swapping, "If-Match")])
def test_a_storage_that_ignores_conditions_is_refused(store: type[LogStore], header: str, memory: MemoryStore) -> None:
    catalog = Catalog(URL, lambda _: store(URL, memory, "wh"))
    for write in (lambda: catalog.register("t", "/t", False), lambda: catalog.create_schema("s")):
        with pytest.raises(ConditionalPutError, match=rf"memory:///wh .*\({header}\)"):
            write()
    assert catalog.tables() == []
    assert LogStore(URL, memory, "wh").list_below("") == []


def test_a_storage_without_conditions_is_refused(tmp_path: Path) -> None:
    catalog = Catalog(URL, lambda _: LogStore(URL, LocalStore(str(tmp_path))))
    with pytest.raises(ConditionalPutError, match="not yet implemented"):
        catalog.register("t", "/t", managed=False)
    assert list(tmp_path.rglob("*.json")) == []
    local = LocalLogStore(str(tmp_path))
    local.put_if_absent("x", b"1")
    with pytest.raises(ConditionalPutError):
        local.put_if_same("x", b"2", Tag("1", None))
    with pytest.raises(ConditionalPutError):
        LogStore(URL, MemoryStore()).put_if_same("x", b"2", Tag(None, None))


# Objects that are not what they should be


@pytest.mark.parametrize("path", ["schemas.json", "tables/spark_catalog/default.json"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-3],
        lambda data: b"[]",
        lambda data: b"{}",
        lambda data: b"\xff" + data,
        lambda data: data.replace(b"{}", b"[]").replace(b'"location":"/t"', b'"location":5'),
        lambda data: b"[" * 100_000,
    ],
)
def test_a_damaged_object_is_explained(path: str, damage: Callable[[bytes], bytes], memory: MemoryStore) -> None:
    catalog, store = opened(memory)
    catalog.register("t", "/t", managed=False)
    store.overwrite(f"_catalog.d/{path}", damage(store.read(f"_catalog.d/{path}")))
    with pytest.raises(CatalogFileError, match=r"damaged.*CREATE TABLE … USING delta LOCATION") as caught:
        _ = catalog.tables(), catalog.schemas()
    assert caught.value.path == f"{URL}/_catalog.d/{path}"


@pytest.mark.parametrize("path", ["schemas.json", "tables/spark_catalog/default.json"])
def test_an_object_of_a_later_release_is_left_alone(path: str, memory: MemoryStore) -> None:
    catalog, store = opened(memory)
    catalog.register("t", "/t", managed=False)
    later = json.dumps({"layout": 99, "who": "knows"}).encode()
    store.overwrite(f"_catalog.d/{path}", later)
    for use in (
        lambda: (catalog.resolve("t"), catalog.schemas()),
        lambda: (catalog.register("u", "/u", managed=False), catalog.create_schema("s")),
    ):
        with pytest.raises(CatalogFileError, match="Upgrade deltasql"):
            use()
    assert store.read(f"_catalog.d/{path}") == later


def test_views_and_functions_raise_the_layout_of_their_object_alone(memory: MemoryStore) -> None:
    """Releases that know neither go on with the other schemas."""
    catalog, store = opened(memory)
    catalog.create_schema("s")
    catalog.register("t", "/t", managed=False)
    catalog.change_view(("s", "v"), new_view)
    catalog.change_function(("s", "f"), new_function)
    layouts = [
        json.loads(store.read(f"_catalog.d/{path}"))["layout"]
        for path in ("schemas.json", "tables/spark_catalog/default.json", "tables/spark_catalog/s.json")
    ]
    assert layouts == [1, 1, 2]
    assert catalog.drop_view(("s", "v"))
    catalog.change_function(("s", "f"), lambda _: None)
    assert json.loads(store.read("_catalog.d/tables/spark_catalog/s.json"))["layout"] == 1


def test_names_with_characters_that_urls_have(memory: MemoryStore) -> None:
    catalog, _ = opened(memory)
    for name in ("a%20b", "ä#?", "*", "[x]", "_catalog"):
        catalog.create_schema(name)
        catalog.register((name, name), f"/{name}", managed=False)
    again, _ = opened(memory)
    for name in ("a%20b", "ä#?", "*", "[x]", "_catalog"):
        assert again.require((name, name.upper())).location == f"/{name}"
    assert len(again._store.tables_below("")) == 5
