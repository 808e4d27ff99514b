"""Errors, a class for each condition. The public path of `deltasql.base.errors`, without code of its own."""

from typing import TYPE_CHECKING, Any

from deltasql.base import errors

if TYPE_CHECKING:
    from deltasql.base.errors import *  # noqa: F403


def __getattr__(name: str) -> Any:
    return getattr(errors, name)


def __dir__() -> list[str]:
    return dir(errors)
