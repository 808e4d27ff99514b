"""Errors, a class for each condition. The public path of `deltasql.base.errors`, without code of its own."""

from deltasql.base.errors import *  # noqa: F403
