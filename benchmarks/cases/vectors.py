"""Deletion vectors: DML that marks rows, and scans of a table where every file has a vector."""

from __future__ import annotations

from benchmarks.bench import DELTA_SPARK, OURS, Bench, note, turn_by_turn, typical
from benchmarks.big_rows import big_rows, changes
from benchmarks.figures import Figure
from benchmarks.workers import Timing, Worker

DML = {
    "delete_rows": ("DELETE 1 %, deletion vectors", 0.4),
    "update_rows": ("UPDATE 1 %, deletion vectors", 0.4),
    "merge_rows": ("MERGE, half of the changes match, deletion vectors", 0.4),
}
SCANS = 3


def figures(bench: Bench) -> list[Figure]:
    """Medians over tables, each a new one. A scan is the best of a few: it is short and reads the same each time."""
    sizes = bench.sizes
    note(f"1 + {sizes.big_rounds} tables of {sizes.rows} rows, rows marked")
    values = {"rows": str(big_rows(bench.cache, sizes.rows))}
    values["changes"] = str(changes(bench.cache, sizes.rows, sizes.changes))

    def play(worker: Worker, number: int) -> dict[str, Timing]:
        table = f"vectors_{number}"
        worker.run("write_marked_rows", table=table, **values)
        plain = _scan(worker, table, sizes.some(SCANS))
        timings = {"delete_rows": worker.run("delete_rows", table=table), "scan": plain}
        timings["marked scan"] = _scan(worker, table, sizes.some(SCANS))
        timings["update_rows"] = worker.run("update_rows", table=table)
        timings["merge_rows"] = worker.run("merge_rows", table=table, **values)
        worker.run("drop", table=table)
        return timings

    # The peer's statements are those of the table without vectors, which a sample has, too.
    peers = () if sizes.sample else (DELTA_SPARK,)
    with bench.warm_workers(OURS, *peers) as workers:
        kept = turn_by_turn(workers, play, sizes.some(1, 0), sizes.big_rounds)

    def seconds(engine: str, work: str) -> float:
        found = typical(kept, engine, work)
        assert found is not None
        return found

    label = f"{sizes.rows:,} rows: "
    found = [
        Figure(
            label + name, "s", seconds(OURS, work), typical(kept, DELTA_SPARK, work), DELTA_SPARK, ratio_at_most=most
        )
        for work, (name, most) in DML.items()
    ]
    marked, plain = seconds(OURS, "marked scan"), seconds(OURS, "scan")
    return [
        *found,
        Figure(label + "scan, a vector on every file", "s", marked, plain, "plain scan", ratio_at_most=1.5),
        Figure(
            label + "the same", "s", marked, typical(kept, DELTA_SPARK, "marked scan"), DELTA_SPARK, ratio_at_most=1.0
        ),
    ]


def _scan(worker: Worker, table: str, scans: int) -> Timing:
    return min((worker.run("scan_rows", table=table) for _ in range(scans)), key=lambda timing: timing.seconds)
