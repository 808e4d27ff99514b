"""Names in objects: what others do between any two requests, what a crash leaves, answers that are lost."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count

import pytest
from obstore.store import MemoryStore

from deltasql.base.errors import SchemaNotFoundError, TableAlreadyExistsError, TableNotFoundError
from deltasql.base.errors.base import DeltaSqlError
from deltasql.catalog import Catalog, TableEntry
from deltasql.catalog.entries import FunctionEntry, ViewEntry
from tests.unit.catalog.object_stores import (
    URL,
    GoneError,
    Model,
    Operation,
    Unsure,
    new_function,
    new_view,
    opened,
)

pytestmark = pytest.mark.usefixtures("in_haste")


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
    assert plain(list(catalog._store.below(""))) == sorted(tables, key=str)
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
            catalog._store._embedded._records._database.rows("PRAGMA synchronous = OFF")  # type: ignore[attr-defined]
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
        left = opened(memory)[0]._store.below("")
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
