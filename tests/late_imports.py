"""Modules and packages that functions import, with the reason; all others are imported at the top of a module."""

from __future__ import annotations

START = "start"
"""`deltasql --version`, `--help` and wrong usage answer without the module; a session would have loaded it.

So does every pytest of an environment that has no tests for the plugin."""
STARTERS = ("deltasql.clients.cli", "deltasql.clients.pytest_plugin")
"""Modules whose functions import the modules marked START, so that a command which needs none of them loads none."""

ENGINE = "engines"
"""The rooms of engines and data files, which a statement on metadata never enters: a fifth of the time that a session
loads. Nor does a session of Spark enter that of Sail."""

LATE = {
    "deltasql.files.foreign.tables": ENGINE,
    "deltasql.files.footers": ENGINE,
    "deltasql.files.reading.file_reader": ENGINE,
    "deltasql.files.statistics.of_footers": ENGINE,
    "deltasql.engines.engine": ENGINE,
    "deltasql.engines.sail.failures": ENGINE,
    "deltasql.engines.sail.beside": ENGINE,
    "deltasql.engines.sail.frames": ENGINE,
    "deltasql.engines.spark.added.addresses": "pyarrow",
    "deltasql.engines.spark.added.cell_shapes": "h3",
    "deltasql.engines.spark.added.cells": "h3",
    "deltasql.engines.spark.added.derived_shapes": "shapely",
    "deltasql.engines.spark.added.measures": "shapely",
    "deltasql.engines.spark.added.shape_values": "shapely",
    "deltasql.engines.spark.added.shapes": "shapely",
    "deltasql.engines.spark.added.values": "pyarrow",
    "deltasql.engines.spark.reading.stream_source": "pyspark",
    "deltasql.session.execution.vacuum": "pyarrow",
    "deltasql.log.actions.file_tables": "pyarrow",
    "deltasql.log.actions.cloned_files": "pyarrow",
    "deltasql.log.commit.add_table_rules": "pyarrow",
    "deltasql.log.iceberg.convert": "pyiceberg",
    "deltasql.log.old_files": "pyarrow",
    "deltasql.log.replay.live_files": "pyarrow",
    "deltasql.log.replay.stats_struct": "pyarrow",
    "deltasql.log.replay.columnar_totals": "pyarrow",
    "deltasql.schema.arrow_values": "pyarrow",
    "deltasql.log.upkeep.checkpoint_writer": "pyarrow",
    "deltasql.log.upkeep.manifests": "pyarrow",
    "deltasql.schema.result_arrow": "pyarrow",
    "deltasql.clients.checking": START,
    "deltasql.base.errors": START,
    "deltasql.base.errors.base": START,
    "deltasql.clients.golden": START,
    "deltasql.clients.language_server": START,
    "deltasql.session.frames.memory": "pyarrow",
    "deltasql.clients.golden.parallel": START,
    "deltasql.clients.golden.suite": START,
    "deltasql.clients.golden.record": START,
    "deltasql.clients.notebooks": START,
    "deltasql.clients.pipelines.report": START,
    "deltasql.files.rendering.values": START,
    "deltasql.clients.repl": START,
    "deltasql.clients.server.flight": START,
    "deltasql.clients.warehouse.service": START,
    "deltasql.session.opening": START,
    "deltasql.base.engine_names": START,
}
"""Modules that functions import, and what that keeps out of a metadata statement: a package, or START (see there).

Every other module of deltasql is imported at the top: an import inside a function hides an arrow of the graph, and a
module that each session loads anyway costs nothing there.
"""

LATE_PACKAGES = {
    "importlib": "importlib.metadata takes 14 ms, with email and zipfile; only functions with an ENVIRONMENT need it",
    "numpy": "0.1 s",
    "polars": "an extra that need not be there",
    "pyarrow": "0.1 s, with numpy; metadata is JSON",
    "pyiceberg": "0.4 s, with its models; an extra that need not be there",
    "pyproj": "an extra that need not be there",
    "pyroaring": "for deletion vectors only",
    "pyspark": "0.1 s, and more with a session; metadata needs no Spark",
    "pysail": "an extra that need not be there",
    "rich": "for a terminal only",
    "sqlglot": "0.1 s; only queries are read with it",
    "lark": "only for a grammar that has changed: its tables are kept",
    "yaml": "for metric views only",
    "resource": "absent on Windows",
    "tomli": "only for a file of settings, in Python 3.10",
    "tomllib": "only for a file of settings, from Python 3.11 on",
}
"""Packages that functions import, with the reason."""
