"""Properties and tags of a schema or a catalog, as DESCRIBE … EXTENDED shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deltasql.errors.secrets import shown_value
from deltasql.log.configuration.tags import read_tags
from deltasql.log.properties.deltasql_properties import TAGS, without_deltasql_properties


def property_rows(properties: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A row with the properties, and one with the tags if there are any."""
    yield "Properties", _pairs(without_deltasql_properties(properties))
    tags = read_tags(properties.get(TAGS))
    if tags:
        yield "Tags", _pairs(tags)


def _pairs(values: Mapping[str, str]) -> str:
    shown = ", ".join(f"({key},{shown_value(key, value)})" for key, value in sorted(values.items()))
    return f"({shown})" if shown else ""
