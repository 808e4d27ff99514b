"""Records of governance: owners, privileges, row filters, column masks, and securables without data. None is enforced
by the catalog.

Source: the statements of Unity Catalog that say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from deltasql.catalog.definitions import read_text
from deltasql.plan.base import quote

Json: TypeAlias = dict[str, Any]
Privileges: TypeAlias = Mapping[str, tuple[str, ...]]
"""Privileges, sorted, by principal."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a filter's or a mask's function: a column of the table by name, or a constant as SQL text."""

    text: str
    is_column: bool

    @classmethod
    def from_json(cls, value: Json) -> Argument:
        return cls(read_text(value["text"]), bool(value["column"]))

    def to_json(self) -> Json:
        return {"text": self.text, "column": self.is_column}


@dataclass(frozen=True, slots=True)
class Policy:
    """A row filter, or the mask of a column: the full name of its function, and its arguments.

    The arguments of a mask follow the masked column, which is the first one of its function.
    """

    function: tuple[str, str, str]
    arguments: tuple[Argument, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns among the arguments."""
        return tuple(item.text for item in self.arguments if item.is_column)

    @classmethod
    def from_json(cls, value: Json) -> Policy:
        catalog, schema, name = map(read_text, value["function"])
        return cls((catalog, schema, name), tuple(map(Argument.from_json, value["arguments"])))

    def to_json(self) -> Json:
        return {"function": list(self.function), "arguments": [item.to_json() for item in self.arguments]}


@dataclass(frozen=True, slots=True)
class Governance:
    """The records on one object. `masks` are by column, as the column is spelt in the table."""

    owner: str | None = None
    grants: Privileges = field(default_factory=dict)
    denials: Privileges = field(default_factory=dict)
    row_filter: Policy | None = None
    masks: Mapping[str, Policy] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return self == UNGOVERNED

    @property
    def has_policies(self) -> bool:
        """Whether the object has a row filter or a column mask."""
        return self.row_filter is not None or bool(self.masks)

    def granted(self, principal: str, privileges: Iterable[str]) -> Governance:
        """With these privileges, which are no longer denied."""
        denials = _without(self.denials, principal, privileges)
        return replace(self, grants=_with(self.grants, principal, privileges), denials=denials)

    def denied(self, principal: str, privileges: Iterable[str]) -> Governance:
        """With these privileges denied, and no longer granted."""
        grants = _without(self.grants, principal, privileges)
        return replace(self, denials=_with(self.denials, principal, privileges), grants=grants)

    def revoked(self, principal: str, privileges: Iterable[str]) -> Governance:
        """Without these privileges, whether granted or denied."""
        grants, denials = (_without(kept, principal, privileges) for kept in (self.grants, self.denials))
        return replace(self, grants=grants, denials=denials)

    def masked(self, column: str, mask: Policy | None) -> Governance:
        """With another mask of a column, or without one (None)."""
        others = {name: kept for name, kept in self.masks.items() if name.lower() != column.lower()}
        return replace(self, masks=others if mask is None else {**others, column: mask})

    @classmethod
    def from_json(cls, value: Json | None) -> Governance:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of records."""
        if not value:
            return UNGOVERNED
        owner, row_filter = value.get("owner"), value.get("row_filter")
        return cls(
            None if owner is None else read_text(owner),
            _privileges(value.get("grants", {})),
            _privileges(value.get("denials", {})),
            None if row_filter is None else Policy.from_json(row_filter),
            {read_text(column): Policy.from_json(mask) for column, mask in value.get("masks", {}).items()},
        )

    def to_json(self) -> Json:
        """Without what is empty."""
        found: Json = {
            "owner": self.owner,
            "grants": {name: list(kept) for name, kept in self.grants.items()},
            "denials": {name: list(kept) for name, kept in self.denials.items()},
            "row_filter": None if self.row_filter is None else self.row_filter.to_json(),
            "masks": {column: mask.to_json() for column, mask in self.masks.items()},
        }
        return {key: value for key, value in found.items() if value}


UNGOVERNED = Governance()
"""No records."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The row filters and masks of a table, of all its names. `masks` are by column in lower case; where two names of
    the table mask one column, the second mask gets the result of the first."""

    filters: tuple[Policy, ...]
    masks: Mapping[str, tuple[Policy, ...]]

    @classmethod
    def of(cls, records: Iterable[Governance]) -> Policies | None:
        """Those of the records on the names of one table; None without any."""
        found = [item for item in records if item.has_policies]
        if not found:
            return None
        filters = (item.row_filter for item in found if item.row_filter is not None)
        masks: dict[str, tuple[Policy, ...]] = {}
        for column, mask in (pair for item in found for pair in item.masks.items()):
            masks[column.lower()] = _each_once((*masks.get(column.lower(), ()), mask))
        return cls(_each_once(filters), masks)


def _each_once(policies: Iterable[Policy]) -> tuple[Policy, ...]:
    return tuple(dict.fromkeys(policies))


@dataclass(frozen=True, slots=True)
class Securable:
    """An object of Unity Catalog that has no data in a warehouse: a connection, a share, a group ….

    `facts` are its clauses by name, without secrets; `members` the tables of a share, or the members of a group.
    """

    kind: str
    name: str
    created_at: int
    comment: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    members: tuple[str, ...] = ()
    governance: Governance = UNGOVERNED

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name

    @classmethod
    def from_json(cls, value: Json) -> Securable:
        """Raises KeyError, TypeError, ValueError, AttributeError for invalid JSON of a securable."""
        comment = value.get("comment")
        return cls(
            read_text(value["kind"]),
            read_text(value["name"]),
            int(value["created_at"]),
            None if comment is None else read_text(comment),
            {read_text(key): read_text(text) for key, text in value.get("facts", {}).items()},
            tuple(map(read_text, value.get("members", ()))),
            Governance.from_json(value.get("governance")),
        )

    def to_json(self) -> Json:
        return {
            "kind": self.kind,
            "name": self.name,
            "created_at": self.created_at,
            "comment": self.comment,
            "facts": dict(self.facts),
            "members": list(self.members),
            "governance": self.governance.to_json(),
        }


def _privileges(value: Json) -> Privileges:
    return {read_text(name): tuple(map(read_text, kept)) for name, kept in value.items()}


def _with(kept: Privileges, principal: str, added: Iterable[str]) -> Privileges:
    return dict(sorted({**kept, principal: tuple(sorted({*kept.get(principal, ()), *added}))}.items()))


def _without(kept: Privileges, principal: str, removed: Iterable[str]) -> Privileges:
    """ALL PRIVILEGES stands for all of them."""
    gone = set(removed)
    left = [item for item in kept.get(principal, ()) if item not in gone and "ALL PRIVILEGES" not in gone]
    return dict(_changed(kept, principal, tuple(left)))


def _changed(kept: Privileges, principal: str, left: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, privileges in kept.items():
        if name != principal:
            yield name, privileges
        elif left:
            yield name, left


def arguments_text(policy: Policy) -> str:
    """The arguments of a policy's function, as SQL has them."""
    return ", ".join(quote(item.text) if item.is_column else item.text for item in policy.arguments)
