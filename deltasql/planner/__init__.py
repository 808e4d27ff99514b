"""Statement nodes → plans: one pure rule per statement, in `statements`, by families.

A rule reads a Context and changes nothing. Its plan is run by `execution`.
"""

from deltasql.planner import statements
from deltasql.planner.idempotency import plan_statement
from deltasql.planner.rule import plan

__all__ = ["plan", "plan_statement", "statements"]
