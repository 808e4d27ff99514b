"""Settings that statements hold while they run: the user's stay, and all are put back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from deltasql.engines.spark.session.tuning import (
    FOR_FEW_ROWS,
    FOR_SCANS,
    FOR_SMALL_TABLES,
    SHREDDING,
    SHUFFLES,
    Tuning,
    for_size,
    for_writes,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ADAPTIVE = "spark.sql.adaptive.enabled"


class Conf(dict[str, str]):
    def set(self, key: str, value: str) -> None:
        self[key] = value

    def unset(self, key: str) -> None:
        self.pop(key, None)


@pytest.fixture
def session() -> SparkSession:
    return cast("SparkSession", SimpleNamespace(conf=Conf({SHUFFLES: "4"})))


@pytest.fixture
def tuning() -> Tuning:
    return Tuning({SHUFFLES: "4"})


def now(session: SparkSession) -> dict[str, str]:
    return dict(cast("Conf", session.conf))


def test_few_rows_are_worth_no_generated_code() -> None:
    assert for_size(0) == FOR_FEW_ROWS
    assert for_size(2 << 20) == {SHUFFLES: "1"}
    assert for_size(1 << 40) == {}


def test_settings_are_put_back(tuning: Tuning, session: SparkSession) -> None:
    with tuning.suits(session, FOR_FEW_ROWS), tuning.needs(session, FOR_SCANS):
        assert now(session) == {**FOR_FEW_ROWS, **FOR_SCANS}
    assert now(session) == {SHUFFLES: "4"}


def test_settings_are_put_back_after_ctrl_c(tuning: Tuning, session: SparkSession) -> None:
    with pytest.raises(KeyboardInterrupt), tuning.suits(session, FOR_FEW_ROWS), tuning.needs(session, FOR_SCANS):
        raise KeyboardInterrupt
    assert now(session) == {SHUFFLES: "4"}


def test_what_the_user_has_set_stays(tuning: Tuning, session: SparkSession) -> None:
    session.conf.set(SHUFFLES, "8")
    session.conf.set(ADAPTIVE, "true")
    with tuning.suits(session, FOR_FEW_ROWS):
        assert (session.conf.get(SHUFFLES), session.conf.get(ADAPTIVE)) == ("8", "true")
        assert session.conf.get("spark.sql.codegen.wholeStage") == "false"
    assert now(session) == {SHUFFLES: "8", ADAPTIVE: "true"}


def test_a_large_statement_ends_what_suits_a_small_one(tuning: Tuning, session: SparkSession) -> None:
    with tuning.suits(session, FOR_FEW_ROWS):
        with tuning.suits(session, {}):
            assert now(session) == {SHUFFLES: "4"}
            with tuning.suits(session, FOR_FEW_ROWS):
                assert now(session) == {SHUFFLES: "4"}
        assert now(session) == {SHUFFLES: "4"}
    with tuning.suits(session, FOR_FEW_ROWS):
        assert now(session) == FOR_FEW_ROWS


def test_generated_code_comes_back_for_a_statement_that_depends_on_it(tuning: Tuning, session: SparkSession) -> None:
    with tuning.suits(session, FOR_FEW_ROWS), tuning.suits(session, FOR_SMALL_TABLES):
        assert now(session) == FOR_SMALL_TABLES
        with tuning.suits(session, FOR_FEW_ROWS):
            assert now(session) == FOR_SMALL_TABLES
    assert now(session) == {SHUFFLES: "4"}


def test_what_is_needed_stays_until_the_last_that_needs_it(tuning: Tuning, session: SparkSession) -> None:
    first, second = tuning.needs(session, for_writes(False)), tuning.needs(session, for_writes(False))
    with first:
        second.__enter__()
    assert session.conf.get(SHREDDING) == "false"
    second.__exit__(None, None, None)
    assert now(session) == {SHUFFLES: "4"}


def test_what_is_needed_within_another_need_holds_for_that_part(tuning: Tuning, session: SparkSession) -> None:
    with tuning.needs(session, {ADAPTIVE: "true", SHUFFLES: None}):
        with tuning.needs(session, {ADAPTIVE: "false"}), tuning.needs(session, {ADAPTIVE: None}):
            assert now(session) == {}
        assert now(session) == {ADAPTIVE: "true"}
    assert now(session) == {SHUFFLES: "4"}
