"""Owners, row filters and column masks in DESCRIBE and SHOW CREATE TABLE."""

from __future__ import annotations

from collections.abc import Iterator

from deltasql.catalog.entries import sql_name
from deltasql.catalog.governance import Governance, Policy
from deltasql.plan.base import quote


def filter_clause(governance: Governance) -> Iterator[str]:
    """The clause of CREATE TABLE for the row filter, if there is one."""
    policy = governance.row_filter
    if policy is not None:
        yield f"WITH ROW FILTER {_function(policy)} ON ({arguments_text(policy)})"


def mask_clause(governance: Governance, column: str) -> str:
    """The clause of a column for its mask, with a blank before it; "" without one."""
    policy = next((mask for name, mask in governance.masks.items() if name.lower() == column.lower()), None)
    if policy is None:
        return ""
    using = f" USING COLUMNS ({arguments_text(policy)})" if policy.arguments else ""
    return f" MASK {_function(policy)}{using}"


def policy_rows(governance: Governance) -> Iterator[tuple[str, str, str]]:
    """The rows that DESCRIBE EXTENDED has for a row filter and for masks."""
    policy = governance.row_filter
    if policy is not None:
        yield "", "", ""
        yield "# Row Filter", "", ""
        yield _function(policy), arguments_text(policy), ""
    if governance.masks:
        yield "", "", ""
        yield "# Column Masks", "", ""
        for column, mask in governance.masks.items():
            yield column, _function(mask), arguments_text(mask)


def owner_rows(governance: Governance) -> Iterator[tuple[str, str, str]]:
    """The row of the owner, if one is recorded."""
    if governance.owner is not None:
        yield "Owner", governance.owner, ""


def arguments_text(policy: Policy) -> str:
    """The arguments of a policy's function, as SQL has them."""
    return ", ".join(quote(item.text) if item.is_column else item.text for item in policy.arguments)


def _function(policy: Policy) -> str:
    return sql_name(policy.function)
