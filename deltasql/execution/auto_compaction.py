"""Auto compaction: the small files of a table are put together after a statement that wrote to it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

from deltasql.engines.door import StatementEngine
from deltasql.execution.layout_change import StagedLayout
from deltasql.log.actions.actions import AddFile
from deltasql.log.configuration.partition_keys import partition_keys
from deltasql.plan.notes import records_of_statement
from deltasql.planner.changes import LayoutChange, RowChange
from deltasql.planner.context import Context
from deltasql.planner.statements.files.auto_compaction import auto_compaction, compacts
from deltasql.settings.session_settings import SessionSettings

Surroundings: TypeAlias = "Callable[[], tuple[StatementEngine, Context]]"
"""Returns an engine and a planning context for one more statement."""
_LOGGER = logging.getLogger(__name__)


class WrittenTables:
    """The tables with auto compaction that a session has written to since their last compaction.

    They are compacted after the commit. No failure of it fails the statement, whose commit is there.
    """

    def __init__(self) -> None:
        self._partitions: dict[tuple[str, str], set[tuple[str | None, ...]]] = {}

    def note(self, change: RowChange, added: Sequence[AddFile], settings: SessionSettings) -> None:
        """Notes the partitions of the files that a change adds, if its table has auto compaction."""
        metadata = change.metadata
        if not added or not compacts(metadata.properties, settings):
            return
        keys = partition_keys(metadata)
        noted = self._partitions.setdefault((change.commit.log.location, change.commit.log.table), set())
        noted.update(tuple(add.partition_values.get(key) for key in keys) for add in added)

    def compact(self, surroundings: Surroundings) -> None:
        """Puts the small files of the noted tables together, where there are enough of them."""
        while self._partitions:
            (location, table), partitions = self._partitions.popitem()
            try:
                # How its rows are computed is nothing that the statement's result says.
                with records_of_statement():
                    engine, context = surroundings()
                    plan = auto_compaction(context.logs(location, table), partitions, context)
                    if isinstance(plan, LayoutChange):
                        StagedLayout(plan, engine, context.settings).commit()
            except Exception as error:
                _LOGGER.warning("no auto compaction of %s: %s", table, error)
