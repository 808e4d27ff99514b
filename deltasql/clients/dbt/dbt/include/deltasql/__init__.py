"""The macros that dbt needs beside those of dbt-spark; `PACKAGE_PATH` is their folder.

Contains only SQL templates. The adapter that uses them is `dbt.adapters.deltasql`.
"""

from pathlib import Path

PACKAGE_PATH = str(Path(__file__).parent)
