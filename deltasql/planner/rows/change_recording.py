"""How the rewrite of a table records its changes, by the table's properties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deltasql.log.properties.property_registry import CHANGE_DATA_FEED, DELETION_VECTORS
from deltasql.log.properties.table_properties import TableProperties
from deltasql.plan.operators import Recording, Rewrite, RowEffect, SqlFunction
from deltasql.sql.references import has_subquery, is_stable


def recorded(operator: Rewrite, properties: TableProperties, *, vectors: bool = True) -> Rewrite:
    """`operator` with the way in which a table with these properties records its changes.

    Without `vectors` none are written, even if the table has them.

    The change feed needs files of its own where it cannot be derived: what a deletion vector newly marks was deleted,
    and what a new file holds was inserted.
    """
    effects = {action.effect for action in operator.actions}
    vectors = vectors and properties[DELETION_VECTORS]
    derived = effects <= ({RowEffect.DELETE, RowEffect.INSERT} if vectors else {RowEffect.INSERT})
    recording = Recording(vectors, properties[CHANGE_DATA_FEED] and not derived)
    volatile = any(has_subquery(text) or not is_stable(text) for text in _conditions(operator))
    volatile = volatile or any(isinstance(item, SqlFunction) for item in operator.relations.values())
    return replace(operator, recording=recording, volatile=volatile)


def _conditions(operator: Rewrite) -> Iterator[str]:
    if operator.join is not None:
        yield operator.join.on
    yield from (action.condition for action in operator.actions if action.condition is not None)
