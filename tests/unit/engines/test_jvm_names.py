"""Names of the JVM are asked for once; JVMs here are stand-ins that count."""

from __future__ import annotations

from deltasql.engines.spark.session.local import cache_names


class Named:
    """An object whose attributes are asked for elsewhere, each time."""

    def __init__(self, asked: list[str], name: str = "jvm") -> None:
        self._asked, self._name = asked, name

    def __getattr__(self, name: str) -> Named:
        chain = f"{self._name}.{name}"
        self._asked.append(chain)
        return Named(self._asked, chain)


def test_what_is_held_is_not_asked_for_again() -> None:
    asked: list[str] = []
    jvm = Named(asked)
    cache_names(jvm)
    assert len(asked) == len(set(asked))
    before = len(asked)
    functions = getattr(jvm, "org.apache.spark.sql.functions")
    assert functions.expr is functions.expr
    assert jvm.PythonUtils.toSeq is jvm.PythonUtils.toSeq
    assert jvm.py4j.reflection.TypeUtil.isInstanceOf is jvm.py4j.reflection.TypeUtil.isInstanceOf
    assert len(asked) == before


def test_other_names_are_asked_for_as_before() -> None:
    asked: list[str] = []
    jvm = Named(asked)
    cache_names(jvm)
    before = len(asked)
    assert jvm.System is not jvm.System
    assert asked[before:] == ["jvm.System", "jvm.System"]
