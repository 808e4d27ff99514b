"""Runs suites of others for dialects and adapters: `python -m tests.suites SUITE [--sample] [--engine E]`.

The suites are sqlalchemy, dbt, and dbt-databricks, the adapter of Databricks over `deltasql warehouse`. With --sample
only a share of the tests runs: see tests/samples.py.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
SETTINGS = {
    "sqlalchemy": FOLDER / "alchemy" / "setup.cfg",
    "dbt": FOLDER / "dbt" / "pytest.ini",
    "dbt-databricks": FOLDER / "dbt_databricks" / "pytest.ini",
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.suites", description=__doc__)
    parser.add_argument("suite", choices=sorted(SETTINGS))
    parser.add_argument("--sample", action="store_true", help="a share of the tests")
    parser.add_argument("--engine", default="spark", help="what computes rows (%(default)s)")
    options, others = parser.parse_known_args()
    settings = SETTINGS[options.suite]
    folder, is_alchemy = settings.parent, options.suite == "sqlalchemy"
    with tempfile.TemporaryDirectory(prefix="deltasql-suites-") as place:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:deltasql"]
        command += ["-c", str(settings), "--rootdir", str(folder) if is_alchemy else place, "--confcutdir", str(folder)]
        command += [f"--basetemp={place}/tests", str(folder / "suite.py"), *others]
        if is_alchemy:
            command += ["--dburi", f"deltasql:///{place}/warehouse?engine={options.engine}"]
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DELTASQL_SUITES_ENGINE": options.engine,
            "DELTASQL_SUITES_SAMPLE": "1" if options.sample else "",
        }
        return subprocess.run(command, cwd=place, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
