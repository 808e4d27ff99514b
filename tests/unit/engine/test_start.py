"""Starting Spark where it cannot start."""

from __future__ import annotations

import pytest

from deltasql.engine.spark import SparkHandle
from deltasql.errors.engine import JavaMissingError


def test_no_java_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    with pytest.raises(JavaMissingError) as caught:
        SparkHandle(None).session  # noqa: B018
    assert caught.value.condition == "JAVA_GATEWAY_EXITED"
