"""The macros that dbt needs beside those of dbt-spark; `PACKAGE_PATH` is their folder.

Holds SQL templates alone. The adapter that uses them is `dbt.adapters.deltasql`.
"""

from pathlib import Path

PACKAGE_PATH = str(Path(__file__).parent)
