"""`event_log('pipeline id')` and `event_log(TABLE(t))`: the table with the events of a pipeline. Source: Databricks.

A table or view that a pipeline made has the names of both in the properties of its stored query. Without any, as after
a first update that has failed, the table has the pipeline's id in its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deltasql.base import DeltaSqlError, errors
from deltasql.catalog import EVENT_LOG, PIPELINE_ID, Entry, marks_of
from deltasql.planner.context import Context
from deltasql.sql import EVENT_LOG_FUNCTION, TableReference, table_name, unquote


def event_log(reference: TableReference, context: Context) -> TableReference:
    """The reference to the table of events in place of a call; any other reference as it is.

    Raises EventLogError, TableNotFoundError.
    """
    if reference.arguments is None or reference.parts[-1].lower() != EVENT_LOG_FUNCTION:
        return reference
    arguments = reference.arguments or ()
    tokens = arguments[0].tokens if len(arguments) == 1 else []
    if len(tokens) == 1 and tokens[0].kind == "string":
        name = _of_pipeline(unquote(tokens[0].text), context)
    elif len(tokens) > 1 and tokens[0].key == "TABLE":
        name = _of_table(arguments[0].text[tokens[0].end :].strip().strip("()"), context)
    else:
        subject = ", ".join(item.text for item in arguments) or "nothing"
        raise errors.EventLogError(subject, "Write event_log('id of a pipeline') or event_log(TABLE(table)).")
    return replace(reference, parts=table_name(name).parts, arguments=None)


def _of_table(text: str, context: Context) -> str:
    """The table of events of the pipeline that made a table."""
    name = table_name(text.strip())
    entry = context.catalog_view(name.parts) or context.catalog.require(name.parts)
    found = marks_of(entry).get(EVENT_LOG)
    if found is None:
        raise errors.EventLogError(str(name), "Only what deltasql pipeline run has made has one.")
    return found


def _of_pipeline(pipeline: str, context: Context) -> str:
    entries = list(_entries(context))
    for entry in entries:
        marks = marks_of(entry)
        if marks.get(PIPELINE_ID) == pipeline and EVENT_LOG in marks:
            return marks[EVENT_LOG]
    wanted = f"event_log_{pipeline.replace('-', '_')}".lower()
    for entry in entries:
        if entry.parts[-1].lower() == wanted:
            return ".".join(f"`{part}`" for part in entry.parts)
    known = dict.fromkeys(marks_of(entry).get(PIPELINE_ID) for entry in entries)
    listed = ", ".join(item for item in known if item is not None)
    advice = f"The warehouse has those of {listed}." if listed else "No pipeline has run in this warehouse."
    raise errors.EventLogError(f"pipeline {pipeline}", advice)


def _entries(context: Context) -> Iterator[Entry]:
    for catalog in context.catalog.used_catalogs():
        for schema in context.catalog.schemas(catalog=catalog):
            try:
                yield from context.catalog.entries((catalog, schema.name))
            except DeltaSqlError:
                # An external catalog that does not answer has no pipelines.
                continue
