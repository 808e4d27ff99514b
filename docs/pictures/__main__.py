"""`python -m docs.pictures [NAME…]` writes the pictures beside this file, or those that are named."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.pictures import golden_diff, log_of_a_table, lost_race, shell, speed, way

PLACE = Path(__file__).parent
PICTURES = {module.NAME: module.draw for module in (golden_diff, log_of_a_table, lost_race, shell, speed, way)}


def main(names: list[str]) -> None:
    """The command."""
    for name in names or PICTURES:
        (PLACE / name).write_text(PICTURES[name](), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
