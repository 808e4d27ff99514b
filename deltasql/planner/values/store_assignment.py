"""How the session stores values that are of another type than their column."""

from __future__ import annotations

from deltasql.planner.context import Context
from deltasql.planner.values.alignment import Casts
from deltasql.settings.session_settings import ANSI, STORE_ASSIGNMENT


def store_casts(context: Context) -> Casts:
    """The casts of the session's policy. Raises InvalidSettingError."""
    # What Spark's own default is, Spark itself says where it was handed in.
    return Casts(context.setting(STORE_ASSIGNMENT), guarded=not context.setting(ANSI))
