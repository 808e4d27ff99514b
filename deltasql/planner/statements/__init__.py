"""One module per family of statements, each with the rules that turn its nodes into plans, in folders by their effect.

Importing this package registers all rules; no other list exists. Code shared by several families is in `planner.rows`
and `planner.tables`.
"""

from importlib import import_module
from pkgutil import walk_packages

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
