"""Outcomes of a suite as the XML that CI servers read: JUnit's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from deltasql.golden.suite import GoldenOutcome

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(target: Path, outcomes: Sequence[tuple[GoldenOutcome, bool]]) -> None:
    """Writes one test case per file; with each outcome, whether it passed. Raises OSError."""
    failed = sum(not passed for _, passed in outcomes)
    seconds = f"{sum(outcome.seconds for outcome, _ in outcomes):.3f}"
    counts = {"tests": str(len(outcomes)), "failures": str(failed), "errors": "0", "skipped": "0", "time": seconds}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "deltasql", **counts})
    for outcome, passed in outcomes:
        suite.append(_case(outcome, passed))
    ET.indent(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(root).write(target, encoding="utf-8", xml_declaration=True)


def _case(outcome: GoldenOutcome, passed: bool) -> ET.Element:
    path = outcome.path
    failures = () if passed else outcome.failures
    line = str(failures[0].line if failures else 1)
    case = ET.Element(
        "testcase",
        classname=_text(".".join(part for part in path.parent.parts if part not in {"/", ".", ".."})),
        name=_text(path.stem),
        file=_text(path.as_posix()),
        line=line,
        time=f"{outcome.seconds:.3f}",
    )
    for failure in failures:
        ET.SubElement(case, "failure", message=_text(failure.message)).text = _text(str(failure))
    return case


def _text(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
