"""One module per family of statements, each with the rules that turn its nodes into plans, in rooms by what they do.

Importing this folder registers all of its rules; nothing else lists them. What several families share is not here but
in `planner.rows` and `planner.tables`.
"""

from importlib import import_module
from pkgutil import walk_packages

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
