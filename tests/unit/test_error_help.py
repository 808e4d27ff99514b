"""Each condition has a cause and a remedy, and the shell and the errors show them."""

from __future__ import annotations

import re
from dataclasses import fields
from string import Formatter

import pytest

from deltasql.base.errors import (
    MetadataChangedError,
    MissingSetColumnError,
    RowAppendError,
    TooFewInsertColumnsError,
    UnknownConditionError,
)
from deltasql.base.errors.base import cause_of, help_text, message_of, problem_and_remedy
from deltasql.files.rendering.values import error_classes, help_on
from tests.source_trees import refuse

CLASSES = [error for errors in error_classes().values() for error in errors]

INSTRUCTION = re.compile(
    r"(?:^|[.;:?] |, or |, and |then |, (?=leave|give))(?:‹hint› ?)?"
    r"(?:Add|Aggregate|Ask|Assign|Cluster|Begin|BEGIN|Cast|Change|Check|Choose|Clone|Close|Comment|Commit|Compare|Compute|Connect|"
    r"Convert|Copy|Correct|Create|CREATE|Declare|Divide|DESCRIBE|Drop|End|Fill|Filter|Find|Follow|Give|Insert|Install|Join|Keep|Leave|"
    r"Let|List|Load|Look|Make|Move|Name|Open|Partition|Pass|Put|Raise|Read|Reduce|Remove|Rename|Repeat|Replace|Report|Restore|"
    r"Retain|Rewrite|Roll|Run|Say|Select|Send|Set|SET|Shorten|SHOW|Start|Store|Swap|Take|Turn|Type|Use|Wait|Write|"
    r"leave|give|let|look|read|restore|run|drop|cast|copy|choose|correct|name|make|set|shorten|start|use|write|add|take|"
    r"Nothing is lost|The commit is done)\b"
)
"""A sentence or a clause that says what to do."""


def test_each_class_has_a_cause() -> None:
    """Its docstring says in which situation it is raised."""
    refuse([f"{error.__name__}: {cause_of(error)}" for error in CLASSES if len(cause_of(error).split()) < 3])


def test_each_class_has_a_remedy() -> None:
    """A sentence of its template says what to do, or its `remedy=`."""
    remedies = {error.__name__: problem_and_remedy(error)[1] for error in CLASSES}
    refuse([f"{name}: {remedy}" for name, remedy in remedies.items() if not INSTRUCTION.search(remedy)])


def test_each_template_has_the_fields_of_its_class() -> None:
    wrong = []
    for error in CLASSES:
        names = {item.name for item in fields(error)}  # type: ignore[arg-type]
        unknown = {name for _, name, _, _ in Formatter().parse(error.template) if name} - names
        wrong += [f"{error.__name__}: no field {name}" for name in unknown]
    refuse(wrong)


def test_the_remedy_is_the_rest_of_the_message() -> None:
    assert problem_and_remedy(MetadataChangedError) == (
        "‹operation› changed the schema or properties of ‹table› (version ‹version›) while this statement ran.",
        "Run the statement again.",
    )


def test_the_remedy_of_a_message_without_one() -> None:
    problem, remedy = problem_and_remedy(MissingSetColumnError)
    assert problem == message_of(MissingSetColumnError)
    assert remedy == MissingSetColumnError.remedy


def test_causes_leave_out_the_fields() -> None:
    assert "rows" in (RowAppendError.__doc__ or "")
    assert "`" not in cause_of(RowAppendError)


def test_fields_are_named_in_messages() -> None:
    assert message_of(MissingSetColumnError) == "SET column ‹column› is no column of ‹table›, which has ‹columns›."


def test_numbers_in_messages_have_their_things() -> None:
    assert message_of(TooFewInsertColumnsError).startswith("‹table› needs ‹expected› columns (‹columns›)")


def test_an_error_explains_itself() -> None:
    error = MetadataChangedError("t", 3, "ADD COLUMNS")
    assert error.help == help_text(MetadataChangedError)
    assert error.help.splitlines() == [
        "DELTA_METADATA_CHANGED (SQLSTATE 2D521)",
        "Cause: Another writer changed the schema or properties of the table.",
        "Message: " + problem_and_remedy(MetadataChangedError)[0],
        "What to do: Run the statement again.",
    ]


def test_help_on_a_condition_has_its_parts() -> None:
    text = help_on("[delta_concurrent_append]")
    assert "DELTA_CONCURRENT_APPEND.WITHOUT_HINT (SQLSTATE 2D521)" in text
    assert "DELTA_CONCURRENT_APPEND.ROW_LEVEL_CHANGES (SQLSTATE 2D521)" in text


def test_help_on_an_unknown_condition_names_the_closest() -> None:
    with pytest.raises(UnknownConditionError) as caught:
        help_on("DELTA_METADATA_CHANGD")
    assert "Did you mean DELTA_METADATA_CHANGED?" in caught.value.message
