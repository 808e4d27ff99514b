"""Errors of tags that exist already, or do not exist."""

from __future__ import annotations

from deltasql.base.errors.base import DeltaSqlError, condition


@condition(
    "TAG_ALREADY_EXISTS",
    "42710",
    "{owner} has the tag {key} already. To change its value, write {advice} SET TAGS ({pair}).",
    remedy="Use SET TAGS, which changes a tag.",
)
class TagExistsError(DeltaSqlError):
    """SET TAG of a key that is set."""

    owner: str
    key: str
    advice: str
    pair: str


@condition(
    "TAG_NOT_FOUND",
    "42704",
    "{owner} has no tag {key}. {known}",
    remedy="Check the spelling with DESCRIBE EXTENDED.",
)
class TagNotFoundError(DeltaSqlError):
    """UNSET TAG of a key that is not set."""

    owner: str
    key: str
    known: str


@condition("DUPLICATE_TAG", "42710", "The tag {key} stands in the list twice. Remove one of them.")
class DuplicateTagError(DeltaSqlError):
    """SET TAGS with one key twice."""

    key: str
