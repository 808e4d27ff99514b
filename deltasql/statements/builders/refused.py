"""Statements of Hive tables."""

from __future__ import annotations

from typing import Any

from deltasql.plan.base import TableName
from deltasql.sql.parser.automaton import Tree
from deltasql.sql.parser.build import builds
from deltasql.statements.nodes.refused import Refused

_ROWS = "A partition comes with its first row and goes with its last: use INSERT and DELETE FROM … WHERE."
_FORMAT = "Delta tables keep Parquet files; their options are table properties: SET TBLPROPERTIES."
_LOG = "The log knows the table's files. To take files out that are gone, run FSCK REPAIR TABLE."
_REFUSED = {
    "add_partition": ("ALTER TABLE ADD PARTITION", _ROWS),
    "drop_partition": ("ALTER TABLE DROP PARTITION", _ROWS),
    "alter_partition": ("ALTER TABLE PARTITION", _ROWS),
    "recover_partitions": ("ALTER TABLE RECOVER PARTITIONS", _LOG),
    "set_serde": ("ALTER TABLE SET SERDE", _FORMAT),
    "set_file_format": ("ALTER TABLE SET FILEFORMAT", _FORMAT),
    "truncate_partition": ("TRUNCATE TABLE PARTITION", "Write DELETE FROM … WHERE with the partition's values."),
    "repair_table": ("MSCK REPAIR TABLE", _LOG),
    "load_data": ("LOAD DATA", "Write INSERT INTO … SELECT * FROM parquet.`/path`."),
}


@builds(*_REFUSED)
def _refused(children: list[Any], tree: Tree, text: str) -> Refused:
    operation, advice = _REFUSED[tree.name]
    (table,) = (child for child in children if isinstance(child, TableName))
    return Refused(operation, table, advice)
