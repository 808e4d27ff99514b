"""A test class for each class of dbt's suite for adapters, for the adapter of Databricks and a warehouse."""

from __future__ import annotations

from tests.suites.dbt.classes import classes
from tests.suites.dbt_databricks.left_out import LEFT_OUT
from tests.suites.dbt_databricks.overrides import OVERRIDES

globals().update(classes(LEFT_OUT, OVERRIDES, __name__))
