"""The report of `deltasql test`: each file as it ends, and a summary.

Outcomes of a suite as the XML that CI servers read: JUnit's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree as ET

from deltasql.base.errors.base import counted
from deltasql.clients.golden.compare import new_errors, summary
from deltasql.clients.golden.failures import OutputFailure, wants_annotations
from deltasql.clients.golden.suite import GoldenOutcome

OUTDATED = "The .out file hides values of your data, as earlier versions did. Run with --accept to renew it."
HOW_TO_ACCEPT = "Run with --accept to write it."

_RED, _GREEN, _BOLD, _END = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"


class Report:
    """Writes the report to `stream`, coloured in a terminal; `by_statement` adds counts of statements by verdict."""

    def __init__(self, stream: TextIO, accept: bool, *, by_statement: bool = False) -> None:
        self._by_statement = by_statement
        self._stream = stream
        self._accept = accept
        self._coloured = stream.isatty() and not os.environ.get("NO_COLOR")
        self._annotated = wants_annotations()
        self.outcomes: list[tuple[GoldenOutcome, bool]] = []
        self._rewritten = 0

    @property
    def failed(self) -> list[Path]:
        return [outcome.path for outcome, passed in self.outcomes if not passed]

    def add(self, outcome: GoldenOutcome, rewritten: bool) -> None:
        """Reports one file; `rewritten`: its output was accepted as expected."""
        passed = outcome.ok or rewritten
        self.outcomes.append((outcome, passed))
        self._rewritten += rewritten
        state = "ok  " if outcome.ok else "new " if rewritten else self._painted("FAIL", _RED + _BOLD)
        self._write(f"{state} {outcome.path} ({outcome.statements} statements, {outcome.seconds:.2f} s)")
        if rewritten:
            self._print_accepted(new_errors(outcome.expected or "", outcome.actual))
        for warning in outcome.warnings:
            self._write(f"     warning: {warning}")
        if not passed:
            self._print_failures(outcome)
        self._stream.flush()

    def end(self, stale: list[Path], durations: int) -> None:
        """Reports the summary of all files, with the `durations` slowest ones and the stale `.out` files."""
        for path in stale:
            self._write(
                f"stale {path}: there is no {path.with_suffix('.sql').name}. Delete it, or bring the script back."
            )
        if durations:
            self._print_durations(durations)
        failed = self.failed
        if len(failed) > 1:
            self._write("failed:")
            for path in failed:
                self._write(f"     {path}")
        total = len(self.outcomes)
        counts = [f"{total - len(failed) - self._rewritten} passed", f"{len(failed)} failed"]
        counts += [f"{self._rewritten} rewritten"] if self._accept else []
        self._write(f"{counted(total, 'files')}: {', '.join(counts)}")
        if self._by_statement:
            self._write(summary((outcome.expected or "", outcome.actual) for outcome, _ in self.outcomes))

    def _print_accepted(self, errors: list[str]) -> None:
        """Reports the errors in accepted output, as a statement that was meant to succeed may be among them."""
        if errors:
            self._write(f"     {counted(len(errors), 'errors')} accepted: {', '.join(sorted(set(errors)))}")

    def _print_failures(self, outcome: GoldenOutcome) -> None:
        if outcome.is_outdated:
            self._write(f"     {OUTDATED}")
        for failure in outcome.failures:
            self._write(self._failure_text(failure))
            if outcome.expected is None and not outcome.defects:
                self._write(f"     {HOW_TO_ACCEPT}")
            if self._annotated:
                self._write(failure.annotation)

    def _failure_text(self, failure: OutputFailure) -> str:
        head, *lines = str(failure).splitlines()
        return "\n".join([self._painted(head, _BOLD), *map(self._coloured_change, lines)])

    def _coloured_change(self, line: str) -> str:
        return self._painted(line, {"-": _RED, "+": _GREEN}.get(line[:1], ""))

    def _painted(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_END}" if self._coloured and colour else text

    def _print_durations(self, most: int) -> None:
        slowest = sorted((outcome for outcome, _ in self.outcomes), key=lambda outcome: -outcome.seconds)
        self._write("slowest:")
        for outcome in slowest[:most]:
            self._write(f"     {outcome.seconds:.2f} s  {outcome.path}")

    def _write(self, line: str) -> None:
        self._stream.write(line + "\n")


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
