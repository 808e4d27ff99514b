"""`deltasql warehouse` through Databricks' SQL connector: small statements, a large result, and memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any

import deltasql
from benchmarks.bench import Bench, note
from benchmarks.cases.sessions import MOST_GROWTH, WARM, resident
from benchmarks.figures import GIB, Figure

ROWS, FEW_ROWS = 1_000_000, 10_000
STATEMENTS, FEW_STATEMENTS = 10_000, 100
MOST_SECONDS = 0.005
IN_PROCESS = "in process"

_SERVER = """
import sys
from deltasql.warehouse import running
with running(sys.argv[1]) as server:
    print(server.port, server.token, server.http_path, server.certificate, flush=True)
    sys.stdin.read()
"""


def figures(bench: Bench) -> list[Figure]:
    """Medians. The large result is read as Arrow, through the server and in this process."""
    rows, statements = bench.sizes.some(ROWS, FEW_ROWS), bench.sizes.some(STATEMENTS, FEW_STATEMENTS)
    folder = str(bench.folder("warehouse"))
    numbers = ", ".join(f"id * {number} AS n{number}" for number in range(1, 8))
    with deltasql.connect(folder) as session:
        session.sql(
            f"CREATE TABLE wide AS SELECT id, {numbers}, concat('name ', id) AS name, id * 1.5D AS x FROM range({rows})"
        )
        local = _typical(partial(_read_wide, session), bench.sizes.even(6))
    note(f"{rows:,} rows, {statements:,} statements")
    with _served(folder) as (process, connect), connect() as connection:
        cursor = connection.cursor()

        def one() -> None:
            cursor.execute("SELECT 1")
            cursor.fetchall()

        def wide() -> None:
            cursor.execute("SELECT * FROM wide")
            cursor.fetchall_arrow()

        one()
        seconds = _typical(one, bench.sizes.some(200, 20))
        through = _typical(wide, bench.sizes.even(6))
        memory = []
        for number in range(statements):
            if number == int(statements * WARM):
                memory.append(resident(process))
            one()
        memory.append(resident(process))
    growth = (memory[-1] - memory[0]) / 2**30
    return [
        Figure("SELECT 1, with the connector", "s", seconds, at_most=MOST_SECONDS),
        Figure(f"{rows:,} rows × 10 columns, with the connector", "s", through, local, IN_PROCESS, ratio_at_most=2.0),
        Figure(f"the server: growth over {statements:,} statements", GIB, growth, at_most=MOST_GROWTH),
    ]


def _read_wide(session: deltasql.Session) -> None:
    session.sql("SELECT * FROM wide").to_arrow()


def _typical(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


@contextmanager
def _served(folder: str) -> Iterator[tuple[int, Callable[[], Any]]]:
    """A server in a new process: its number, and what connects to it."""
    from databricks import sql

    command = [sys.executable, "-c", _SERVER, folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            port, token, path, certificate = process.stdout.readline().split()

            def connect() -> Any:
                return sql.connect(
                    server_hostname="127.0.0.1",
                    http_path=path,
                    access_token=token,
                    _port=int(port),
                    _tls_trusted_ca_file=certificate,
                    enable_telemetry=False,
                )

            yield process.pid, connect
        finally:
            process.stdin.close()
