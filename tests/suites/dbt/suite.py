"""A test class for each class of dbt's suite for adapters."""

from __future__ import annotations

from tests.suites.dbt.classes import classes
from tests.suites.dbt.left_out import LEFT_OUT
from tests.suites.dbt.overrides import OVERRIDES

globals().update(classes(LEFT_OUT, OVERRIDES, __name__))
