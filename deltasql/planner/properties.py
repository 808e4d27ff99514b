"""SET and UNSET TBLPROPERTIES, COMMENT ON TABLE."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType

from deltasql.log.properties import check_configuration, parse_properties, protocol_for, unset_properties
from deltasql.plan.properties import CommentOnTable, SetTableProperties, UnsetTableProperties
from deltasql.planner.changes import Plan, TableChange
from deltasql.planner.context import Context
from deltasql.planner.metadata import check_mapping_change, mapped_metadata, maps_columns, metadata_actions
from deltasql.planner.rule import plan
from deltasql.planner.settings import ARBITRARY_PROPERTIES, STRICT_UNSET


@plan.register
def _(statement: SetTableProperties, context: Context) -> Plan:
    """Known `delta.` keys are checked; those that stand for protocol become protocol and are not stored."""
    log, snapshot = context.writable(statement.table)
    arbitrary = context.is_on(ARBITRARY_PROPERTIES)
    parsed = parse_properties(statement.properties, allow_arbitrary=arbitrary, on_create=False)
    configuration = {**snapshot.configuration, **parsed.configuration}
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(configuration))
    if parsed.comment is not None:
        metadata = replace(metadata, description=parsed.comment)
    check_configuration(configuration, table=snapshot.table)
    check_mapping_change(snapshot.configuration, configuration, snapshot.table)
    if maps_columns(configuration):
        metadata = mapped_metadata(metadata, keep_names=True)
        configuration = dict(metadata.configuration)
    protocol = protocol_for(
        metadata.schema, configuration, parsed=parsed, current=snapshot.protocol, table=snapshot.table
    )
    changed = () if protocol == snapshot.protocol else (protocol,)
    parameters = {"properties": json.dumps(dict(statement.properties), separators=(",", ":"))}
    return TableChange(log, snapshot, "SET TBLPROPERTIES", parameters, (*changed, metadata))


@plan.register
def _(statement: UnsetTableProperties, context: Context) -> Plan:
    """A key that is not set is passed over, as Delta does, unless the session asks for strictness."""
    log, snapshot = context.writable(statement.table)
    lenient = statement.if_exists or not context.is_on(STRICT_UNSET)
    keys = [key for key in statement.keys if key.lower() != "comment"]
    configuration = unset_properties(snapshot.configuration, keys, if_exists=lenient, table=snapshot.table)
    check_mapping_change(snapshot.configuration, configuration, snapshot.table)
    metadata = replace(snapshot.metadata, configuration=MappingProxyType(configuration))
    if len(keys) < len(statement.keys):
        metadata = replace(metadata, description=None)
    parameters = {"properties": json.dumps(list(statement.keys), separators=(",", ":")), "ifExists": True}
    return TableChange(log, snapshot, "UNSET TBLPROPERTIES", parameters, (metadata,))


@plan.register
def _(statement: CommentOnTable, context: Context) -> Plan:
    log, snapshot = context.writable(statement.table)
    metadata = replace(snapshot.metadata, description=statement.comment)
    parameters = {"properties": json.dumps({"comment": statement.comment}, separators=(",", ":"))}
    return TableChange(log, snapshot, "SET TBLPROPERTIES", parameters, metadata_actions(snapshot, metadata))
