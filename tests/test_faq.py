"""Facts in docs/faq.md are those of the code."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from deltasql.log.protocol import CATALOG_MANAGED, FEATURES, Support, final_feature
from deltasql.sql.parser.unsupported import TABLE
from docs.site import unsupported

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ANSWERS = {
    Support.YES: "yes",
    Support.NO: "no",
    Support.PUBLISHED: "only `VERSION AS OF n`",
    Support.INACTIVE: "while no property uses it",
}


def test_each_feature_has_its_line() -> None:
    told: dict[str, tuple[str, str]] = {}
    for names, read, write in re.findall(r"^\| (`[^|]+`) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE):
        told |= dict.fromkeys(re.findall(r"`([^`]+)`", names), (read, write))
    finals = {name for name in FEATURES if final_feature(name) == name or final_feature(name) not in FEATURES}
    wanted = {name: (ANSWERS[FEATURES[name].read], ANSWERS[FEATURES[name].write]) for name in FEATURES}
    wanted[CATALOG_MANAGED] = ("by its catalog", "by its catalog")
    assert {name: wanted[name] for name in told if name in wanted} == told
    assert finals <= told.keys(), finals - told.keys()


def test_versions_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.10"
    assert "pyspark>=4.2,<4.4" in project["dependencies"]
    assert "pysail>=0.7.2" in project["optional-dependencies"]["sail"]
    assert "dbt-core>=1.10,<1.12" in project["optional-dependencies"]["dbt"]


def test_the_page_of_refused_statements_names_each() -> None:
    text = unsupported.page()
    for entry in TABLE:
        for name in unsupported.names(entry):
            assert f"`{name.replace('|', chr(92) + '|')}`" in text
