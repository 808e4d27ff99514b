"""One module per family of statements, each with the rules that turn its nodes into plans.

Importing this folder registers all of its rules; nothing else lists them. What several families share is in `rows`
and `tables`.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
