"""Properties in which deltasql stores keys and tags, for which the protocol has no action.

They are part of the table's configuration, which every engine carries from one metaData action to the next, and need no
table feature. Users do not set them by hand, and no statement shows them among the table's properties.
"""

from __future__ import annotations

from collections.abc import Mapping

KEYS = "deltasql.keys"
"""PRIMARY KEY and FOREIGN KEY, as JSON."""
TAGS = "deltasql.tags"
"""Tags of the table, a JSON object."""
COLUMN_TAGS = "deltasql.columnTags"
"""Tags of its columns, as JSON."""
REFRESH = "deltasql.refresh"
"""The last refresh of a materialized view or streaming table, as JSON: its definition, and the versions it has read."""

UNITY_TABLE_ID = "io.unitycatalog.tableId"
"""The number of a table in its Unity Catalog, which no other table may have."""

DELTASQL_PROPERTIES = frozenset({KEYS, TAGS, COLUMN_TAGS, REFRESH})


def without_deltasql_properties(configuration: Mapping[str, str]) -> dict[str, str]:
    """The properties that users see."""
    return {key: value for key, value in configuration.items() if key not in DELTASQL_PROPERTIES}
