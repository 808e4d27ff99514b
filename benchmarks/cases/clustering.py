"""OPTIMIZE along a curve of tens of millions of rows, the part of them that a query on two columns then reads, and auto
compaction.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.bench import DELTA_RS, DELTA_SPARK, OURS, Bench, Kept, note, typical, typical_peak
from benchmarks.figures import GIB, Figure
from benchmarks.lineitem import lineitem
from benchmarks.workers import Timing, Worker

SCALE = 5.0
"""Of a full run without `--scale`: 30,000,000 rows of 16 columns."""
FILE_SIZE = 32 << 20
LAYOUTS = {
    "ZORDER BY": ("write_lineitem", "zorder_lineitem"),
    "of a table with CLUSTER BY": ("write_clustered_lineitem", "optimize_lineitem"),
}
"""The statements that write the rows, and that order them; a table with CLUSTER BY is ordered along a Hilbert curve."""
COMPACTION = "auto compaction of 64 files"
FILES = 64
PARTS = 200_000
"""Values of `l_partkey` at scale 1."""


def figures(bench: Bench) -> list[Figure]:
    """One run per engine; the files that hold a row of two ranges by their statistics, before and after."""
    sizes = bench.sizes
    scale = sizes.scale_or(SCALE)
    note(f"lineitem at scale {scale:g}, ordered by two columns")
    try:
        rows = str(lineitem(bench.cache, scale))
    except FileNotFoundError as error:
        print(f"without {error}", file=sys.stderr)
        return []
    kept: Kept = {}
    shares: dict[tuple[str, str], tuple[float, float]] = {}
    for engine in (OURS, *(() if sizes.sample else (DELTA_SPARK, DELTA_RS))):
        with bench.new_workers(engine) as workers:
            for worker in workers.values():
                _compacted(worker, rows, scale, kept.setdefault(engine, {}))
                for layout in LAYOUTS if engine != DELTA_RS else ("ZORDER BY",):
                    timings = kept.setdefault(engine, {})
                    shares[engine, layout] = _ordered(worker, bench, rows, scale, layout, timings)
    label = f"{6_000_000 * scale:,.0f} rows: OPTIMIZE"
    found: list[Figure] = []
    for layout in LAYOUTS:
        for peer in (DELTA_RS, DELTA_SPARK) if layout == "ZORDER BY" else (DELTA_SPARK,):
            found += _compared(f"{label} {layout}", kept, layout, peer)
    for peer in (DELTA_RS, DELTA_SPARK):
        found += _compared(f"{6_000_000 * scale:,.0f} rows: {COMPACTION}", kept, COMPACTION, peer)
    for (engine, layout), (_, after) in shares.items():
        if engine == OURS:
            theirs = {
                peer: 100 * shares[peer, layout][1] for peer in (DELTA_RS, DELTA_SPARK) if (peer, layout) in shares
            }
            case = f"{label} {layout}: bytes read for 2 % × 5 %"
            found += [Figure(case, "%", 100 * after, theirs.get(peer), peer) for peer in theirs or (DELTA_SPARK,)]
    found.append(Figure(f"{label}: bytes read for 2 % × 5 %, before", "%", 100 * shares[OURS, "ZORDER BY"][0]))
    return found


def _compared(label: str, kept: Kept, layout: str, peer: str) -> Iterator[Figure]:
    """Time and memory beside those of a peer."""
    seconds, memory = typical(kept, OURS, layout), typical_peak(kept, OURS, layout)
    assert seconds is not None
    assert memory is not None
    theirs = typical_peak(kept, peer, layout)
    yield Figure(label, "s", seconds, typical(kept, peer, layout), peer)
    yield Figure(f"{label}, memory", GIB, memory / (1 << 30), None if theirs is None else theirs / (1 << 30), peer)


def _ordered(
    worker: Worker, bench: Bench, rows: str, scale: float, layout: str, kept: dict[str, list[Timing]]
) -> tuple[float, float]:
    """The shares of bytes that the query reads before and after."""
    write, order = LAYOUTS[layout]
    values = {"table": "ordered_lineitem", "rows": rows, "vectors": "false", "size": str(FILE_SIZE)}
    worker.run("small_files", **values)
    worker.run(write, **values)
    (log,) = bench.scratch.glob(f"worker-{worker.engine}/**/ordered_lineitem/_delta_log")
    before = _share(log.parent, scale)
    kept[layout] = [worker.run(order, **values)]
    after = _share(log.parent, scale)
    worker.run("drop", **values)
    return before, after


def _compacted(worker: Worker, rows: str, scale: float, kept: dict[str, list[Timing]]) -> None:
    """An INSERT of one row, which puts the small files of its table together; delta-rs only does the latter."""
    values = {"table": "small_lineitem", "rows": rows, "files": str(FILES), "small": str(int(scale * (4 << 20)))}
    worker.run("write_small_lineitem", **values)
    worker.run("auto_compaction", compacts="true", **values)
    kept[COMPACTION] = [worker.run("append_and_compact", **values)]
    worker.run("auto_compaction", compacts="false", **values)
    worker.run("drop", **values)


def _share(table: Path, scale: float) -> float:
    """The share of a table's bytes in files whose statistics allow rows of both ranges."""
    import pyarrow as pa
    from deltalake import DeltaTable

    files = pa.table(DeltaTable(str(table)).get_add_actions(flatten=True)).to_pydict()
    parts = (0.4 * PARTS * scale, 0.42 * PARTS * scale)
    days = (date(1994, 1, 1), date(1994, 1, 1) + timedelta(days=128))
    read = [
        size
        for size, *bounds in zip(
            files["size_bytes"],
            files["min.l_partkey"],
            files["max.l_partkey"],
            files["min.l_shipdate"],
            files["max.l_shipdate"],
            strict=True,
        )
        if bounds[0] <= parts[1] and bounds[1] >= parts[0] and bounds[2] <= days[1] and bounds[3] >= days[0]
    ]
    return float(sum(read) / sum(files["size_bytes"]))
