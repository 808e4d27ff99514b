"""Lets sessions run transactions over several tables at once, and looks for a serial order that explains them.

python -m tests.faults.group_histories --histories 500 --processes

Each transaction has a tag, which its commits carry as user metadata, so that the log says in which order transactions
have written each table. Rows are `(kind, key, n, tag)`: counters `c`, which every transaction raises by one, and
elements `l`. What a transaction reads puts it after the writers of what it has seen, and before the next ones.

Serializable tables must have one order of all transactions, in which none comes before one that had ended. Of others
each table must have an order of the transactions that write it. In both cases a transaction sees another one in all
tables or in none.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from itertools import pairwise, product
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path

import deltasql
from deltasql.base.errors import ConcurrentModificationError

Row = tuple[str, int, int, str]
KEYS, WORKERS = 2, 4
USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"


@dataclass
class Work:
    """A transaction: the counters that it raises, the tables to which it appends, and the rows that it has read."""

    tag: str
    begin: float = 0.0
    end: float | None = None
    raises: list[tuple[str, int]] = field(default_factory=list)
    appends: list[str] = field(default_factory=list)
    reads: dict[str, list[Row]] = field(default_factory=dict)
    failed: bool = False

    @property
    def writes(self) -> set[str]:
        return {table for table, _ in self.raises} | set(self.appends)


def prepared(session: deltasql.Session, chance: random.Random, tables: int, level: str) -> None:
    """Makes tables that the catalog manages, and a plain one."""
    managed = [f"m{number}" for number in range(tables)]
    for name in (*managed, "plain"):
        vectors = chance.choice(("true", "false"))
        feature = "" if name == "plain" else ", 'delta.feature.catalogManaged' = 'supported'"
        session.sql(
            f"CREATE TABLE {name} (kind STRING, key INT, n BIGINT, tag STRING) TBLPROPERTIES ("
            f"'delta.isolationLevel' = '{level}', 'delta.enableDeletionVectors' = '{vectors}'{feature})"
        )
        counters = ", ".join(f"('c', {key}, 0, '')" for key in range(KEYS))
        session.sql(f"INSERT INTO {name} VALUES {counters}")


def planned(tag: str, chance: random.Random, managed: Sequence[str], plain: Sequence[str]) -> tuple[Work, list[str]]:
    """A transaction, and its statements; a query is the name of a table."""
    if chance.random() < 0.15:
        tables = [chance.choice(plain)]
    else:
        tables = chance.sample(managed, chance.randint(1, len(managed)))
    work, texts = Work(tag), []
    for table in tables:
        steps = chance.choices(("read", "raise", "append", "merge", "none"), (5, 5, 3, 2, 1), k=chance.randint(1, 2))
        for step in steps:
            key = chance.randrange(KEYS)
            if step == "read":
                texts.append(table)
            elif step == "raise" and (table, key) not in work.raises:
                texts.append(f"UPDATE {table} SET n = n + 1, tag = '{tag}' WHERE kind = 'c' AND key = {key}")
                work.raises.append((table, key))
            elif step == "append" and table not in work.appends:
                texts.append(f"INSERT INTO {table} VALUES ('l', {key}, 0, '{tag}')")
                work.appends.append(table)
            elif step == "merge" and table in managed and (table, key) not in work.raises:
                source = chance.choice([name for name in managed if name != table])
                # The transaction sees the rows of the source twice.
                texts.append(source)
                texts.append(
                    f"MERGE INTO {table} AS t USING {source} AS s ON t.kind = 'c' AND s.kind = 'c' AND t.key = s.key"
                    f" AND t.key = {key} WHEN MATCHED THEN UPDATE SET n = t.n + 1, tag = '{tag}'"
                )
                work.raises.append((table, key))
    chance.shuffle(texts)
    return work, texts


def done(session: deltasql.Session, work: Work, texts: Sequence[str], *, block: bool) -> Work:
    """The transaction, with what it has read. It is written down as failed if it lost its race."""
    session.sql(f"SET {USER_METADATA} = {work.tag}")
    work.begin = time.monotonic()
    try:
        if block and not any(" " not in text for text in texts) and texts:
            session.sql(f"BEGIN ATOMIC {'; '.join(texts)}; END")
        else:
            session.sql("BEGIN TRANSACTION")
            for text in texts:
                if " " in text:
                    session.sql(text)
                elif text not in work.reads:
                    rows = session.sql(f"SELECT kind, key, n, tag FROM {text}").collect()
                    work.reads[text] = [(row[0], row[1], row[2], row[3]) for row in rows]
            session.sql("COMMIT")
    except ConcurrentModificationError:
        work.failed = True
        if session.in_transaction:
            session.sql("ROLLBACK")
    work.end = time.monotonic()
    return work


def worker(warehouse: str, lines: Path, name: str, seed: int, count: int, tables: int) -> None:
    """Runs transactions, and writes each down when it has ended."""
    chance = random.Random(f"{seed}-{name}")
    managed = [f"m{number}" for number in range(tables)]
    with deltasql.connect(warehouse) as session, lines.open("w", buffering=1) as file:
        session.sql("SET deltasql.commit.fsync = false")
        for number in range(count):
            work, texts = planned(f"{name}-{number}", chance, managed, ["plain"])
            file.write(json.dumps(asdict(done(session, work, texts, block=chance.random() < 0.5))) + "\n")


def log_order(session: deltasql.Session, table: str) -> list[str]:
    """The tags of the transactions that have written a table, oldest first."""
    entries = session.log(table).history()
    found = [entry.info.get("userMetadata") for entry in sorted(entries, key=lambda entry: entry.version)]
    return [tag for tag in found if tag]


def faults(
    works: Sequence[Work], order: Mapping[str, Sequence[str]], final: Mapping[str, Sequence[Row]], *, strict: bool
) -> Iterator[str]:
    """Reads and commits without a serial order: of all transactions if `strict`, else of those that write a table."""
    known = {work.tag: work for work in works}
    yield from _wrong_logs(works, order, known)
    committed = [work for work in works if not work.failed]
    chains = {
        (table, key): [tag for tag in order[table] if (table, key) in known[tag].raises]
        for table in order
        for key in range(KEYS)
    }
    graphs: dict[str, dict[str, set[str]]] = {table: defaultdict(set) for table in order}
    for (table, _), chain in chains.items():
        for first, second in pairwise(chain):
            graphs[table][first].add(second)
    for work in committed:
        for table, seen in work.reads.items():
            yield from _read(work, table, seen, chains, order[table], known, graphs[table])
        yield from _torn(work, chains, order, known)
    for table, rows in final.items():
        yield from _read(Work("final"), table, rows, chains, order[table], known, defaultdict(set))
        for key in range(KEYS):
            if [row[2] for row in rows if row[:2] == ("c", key)] != [len(chains[table, key])]:
                yield f"{table} has lost a change of {key}: {rows}, {chains[table, key]}"
    if not strict:
        circles = (_circle(graphs[table], set(order[table])) for table in order)
        yield from (f"no order explains {circle}" for circle in circles if circle)
        return
    edges = {work.tag: set[str]().union(*(graph[work.tag] for graph in graphs.values())) for work in committed}
    for one, other in product(committed, committed):
        if one.end is not None and one.end < other.begin:
            edges[one.tag].add(other.tag)
    circle = _circle(edges, {work.tag for work in committed})
    if circle:
        yield f"no order explains {circle}"


def _torn(
    work: Work,
    chains: Mapping[tuple[str, int], Sequence[str]],
    order: Mapping[str, Sequence[str]],
    known: Mapping[str, Work],
) -> Iterator[str]:
    """The transactions that `work` sees in one table and not in another."""
    for tag in {tag for table in work.reads for tag in order[table]} - {work.tag}:
        seen = {
            table: _sees(rows, table, known[tag], chains)
            for table, rows in work.reads.items()
            if table in known[tag].writes
        }
        if len(set(seen.values())) > 1:
            yield f"{work.tag} sees {tag} in some tables only: {seen}"


def _sees(rows: Sequence[Row], table: str, other: Work, chains: Mapping[tuple[str, int], Sequence[str]]) -> bool:
    if table in other.appends:
        return any(row[3] == other.tag for row in rows if row[0] == "l")
    key = next(key for place, key in other.raises if place == table)
    return any(row[2] > chains[table, key].index(other.tag) for row in rows if row[:2] == ("c", key))


def _wrong_logs(works: Sequence[Work], order: Mapping[str, Sequence[str]], known: Mapping[str, Work]) -> Iterator[str]:
    """Each transaction is in the logs of all its tables, once, or has failed and is in none."""
    for table, tags in order.items():
        if len(set(tags)) != len(tags):
            yield f"{table} has a transaction twice: {tags}"
        yield from (f"{table} has {tag}, which has failed" for tag in tags if known[tag].failed)
    for work in works:
        missing = [] if work.failed else [table for table in work.writes if work.tag not in order[table]]
        if missing:
            yield f"{work.tag} is not in {missing}"


def _read(
    work: Work,
    table: str,
    rows: Sequence[Row],
    chains: Mapping[tuple[str, int], Sequence[str]],
    order: Sequence[str],
    known: Mapping[str, Work],
    edges: dict[str, set[str]],
) -> Iterator[str]:
    """Puts a transaction after the writers of the rows that it has read, and before the next ones."""
    for kind, key, n, tag in rows:
        if kind != "c":
            continue
        chain = chains[table, key]
        if n and (n > len(chain) or chain[n - 1] != tag):
            yield f"{work.tag} has read {(key, n, tag)} of {table}, of which {chain} is the order"
            continue
        if tag and tag != work.tag:
            edges[tag].add(work.tag)
        following = chain[n] if n < len(chain) else work.tag
        if following != work.tag:
            edges[work.tag].add(following)
    seen = {row[3] for row in rows if row[0] == "l"}
    for tag in order:
        if table in known[tag].appends and tag != work.tag:
            first, second = (tag, work.tag) if tag in seen else (work.tag, tag)
            edges[first].add(second)


def _circle(edges: Mapping[str, set[str]], among: set[str]) -> list[str]:
    """A circle of the graph, empty if there is none."""
    state: dict[str, int] = {}
    path: list[str] = []

    def visit(tag: str) -> list[str]:
        state[tag] = 1
        path.append(tag)
        for following in sorted(edges.get(tag, set()) & among):
            if state.get(following) == 1:
                return [*path[path.index(following) :], following]
            if following not in state and (found := visit(following)):
                return found
        state[tag] = 2
        path.pop()
        return []

    for tag in sorted(among):
        if tag not in state and (found := visit(tag)):
            return found
    return []


def groups_are_whole(session: deltasql.Session, tables: Sequence[str]) -> Iterator[str]:
    """The logs of all tables hold every commit of each group, with the same transaction id."""
    ids = {session.log(table).snapshot().metadata.id: table for table in tables}
    for table in tables:
        log = session.log(table)
        for version in range(log.snapshot().version + 1):
            actions = [json.loads(line) for line in log.reader.data(version).splitlines()]
            for group in (action["transactionGroup"] for action in actions if "transactionGroup" in action):
                for item in group["participants"]:
                    other = session.log(ids[item["tableId"]]).reader.commit(item["version"])
                    if other.info is None or other.info.transaction_id != group["txnId"]:
                        yield f"{table}@v{version}: {item} is of another transaction"


def history(root: Path, seed: int, pool: Pool | None) -> tuple[int, list[str]]:
    """Runs one history, in the processes of `pool` or in threads.

    Returns how many transactions were committed, and what is wrong with them.
    """
    chance = random.Random(seed)
    warehouse, tables, workers = f"{root}/w{seed}", chance.randint(2, 4), chance.randint(2, WORKERS)
    level = "Serializable" if seed % 2 else "WriteSerializable"
    files = [root / f"{seed}-{number}.lines" for number in range(workers)]
    with deltasql.connect(warehouse) as session:
        session.sql("SET deltasql.commit.fsync = false")
        prepared(session, chance, tables, level)
    jobs = [(warehouse, file, f"p{number}", seed, 6, tables) for number, file in enumerate(files)]
    if pool is not None:
        pool.starmap(worker, jobs, chunksize=1)
    else:
        with ThreadPoolExecutor(workers) as threads:
            list(threads.map(lambda job: worker(*job), jobs))
    committed, wrong = verdict(warehouse, files, tables, level)
    return committed, [f"history {seed} ({level}): {fault}" for fault in wrong]


def verdict(warehouse: str, files: Sequence[Path], tables: int, level: str) -> tuple[int, list[str]]:
    """How many transactions were committed, and what is wrong with them."""
    works = [_work(line) for file in files for line in file.read_text().splitlines()]
    managed = [f"m{number}" for number in range(tables)]
    with deltasql.connect(warehouse) as session:
        names = [*managed, "plain"]
        order = {table: log_order(session, table) for table in names}
        final = {
            table: [(r[0], r[1], r[2], r[3]) for r in session.sql(f"SELECT kind, key, n, tag FROM {table}").collect()]
            for table in names
        }
        wrong = [*faults(works, order, final, strict=level == "Serializable"), *groups_are_whole(session, managed)]
    return sum(not work.failed for work in works), wrong


def _work(line: str) -> Work:
    work = Work(**json.loads(line))
    work.raises = [(table, key) for table, key in work.raises]
    work.reads = {table: [(r[0], r[1], r[2], r[3]) for r in rows] for table, rows in work.reads.items()}
    return work


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", action="store_true", help="every other history is one of processes")
    given = parser.parse_args()
    committed, wrong = 0, list[str]()
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with get_context("spawn").Pool(WORKERS) if given.processes else nullcontext() as pool:
        for seed in range(given.seed, given.seed + given.histories):
            with tempfile.TemporaryDirectory(dir=place) as folder:
                count, found = history(Path(folder), seed, pool if seed % 4 >= 2 else None)
            committed += count
            wrong += found
            if found:
                print("\n".join(found), flush=True)
    print(f"{given.histories} histories, {committed} transactions committed, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
