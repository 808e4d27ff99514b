"""Statements by family: nodes, builders from the grammar's trees, planner rules, and the rows of SHOW and DESCRIBE.

Importing this package registers all rules; no other list exists. Code that three families or more share is in
`planner`.
"""

from importlib import import_module
from pkgutil import walk_packages

from deltasql.planner.context import plan
from deltasql.statements.idempotency import plan_statement

__all__ = ["plan", "plan_statement"]

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
