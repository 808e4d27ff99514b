"""The cases, by the name that `--only` takes; each gives its figures."""

from collections.abc import Callable, Sequence

from benchmarks.bench import Bench
from benchmarks.cases import (
    at_size,
    big_tables,
    clone,
    convert,
    copy_into,
    executors,
    fetch,
    long_logs,
    many_files,
    metadata_only,
    object_store,
    parsing,
    plain_inputs,
    planning,
    profile,
    sail,
    scale,
    small_tables,
    start_up,
    tpch,
    vacuum,
    vectors,
    writers,
)
from benchmarks.figures import Figure

CASES: dict[str, Callable[[Bench], Sequence[Figure]]] = {
    "parsing": parsing.figures,
    "start-up": start_up.figures,
    "many-files": many_files.figures,
    "planning": planning.figures,
    "scale": scale.figures,
    "long-logs": long_logs.figures,
    "metadata-only": metadata_only.figures,
    "small-tables": small_tables.figures,
    "profile": profile.figures,
    "sail": sail.figures,
    "big-tables": big_tables.figures,
    "at-size": at_size.figures,
    "executors": executors.figures,
    "plain-inputs": plain_inputs.figures,
    "tpch": tpch.figures,
    "fetch": fetch.figures,
    "vectors": vectors.figures,
    "vacuum": vacuum.figures,
    "copy-into": copy_into.figures,
    "convert": convert.figures,
    "clone": clone.figures,
    "object-store": object_store.figures,
    "writers": writers.figures,
}
