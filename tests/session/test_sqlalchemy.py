"""Queries through SQLAlchemy: its core, its ORM, and pandas."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa
from sqlalchemy import Engine, orm
from sqlalchemy.dialects import registry

from deltasql.clients.sqlalchemy import ARRAY, STRUCT

pytestmark = pytest.mark.spark

registry.register("deltasql", "deltasql.clients.sqlalchemy.dialect", "DeltaSqlDialect")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = sa.create_engine(f"deltasql:///{tmp_path / 'warehouse'}")
    yield made
    made.dispose()


def test_pandas_reads_what_it_wrote(engine: Engine) -> None:
    frame = pd.DataFrame(
        {"a": [1, 2, 3], "s": ["x", None, "it's"], "d": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"])}
    )
    frame.to_sql("t", engine, index=False)
    back = pd.read_sql("SELECT * FROM t ORDER BY a", engine)
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)
    some = pd.read_sql(sa.text("SELECT s FROM t WHERE a > :least ORDER BY a"), engine, params={"least": 1})
    assert some["s"].tolist() == [None, "it's"]
    assert len(pd.read_sql_table("t", engine, columns=["a"])) == 3


class Base(orm.DeclarativeBase):
    pass


class Person(Base):
    __tablename__ = "person"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str]
    born: orm.Mapped[datetime | None]
    tags: orm.Mapped[Any] = orm.mapped_column(ARRAY(sa.String))
    home: orm.Mapped[Any] = orm.mapped_column(STRUCT(("city", sa.String)), nullable=True)


def test_core_and_orm(engine: Engine) -> None:
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add_all(
            Person(id=number, name=name, born=datetime(1815, 12, number), tags=["a", name])
            for number, name in enumerate(["Ada", "Grace", "Mary"], start=1)
        )
        session.commit()
        ada = session.scalars(sa.select(Person).where(Person.name == "Ada")).one()
        assert (ada.born, ada.tags, ada.home) == (datetime(1815, 12, 1), ["a", "Ada"], None)
        ada.name = "Ada L."
        session.commit()
        session.delete(session.get_one(Person, 3))
        session.commit()
        names = sa.select(Person.name).order_by(Person.id)
        assert list(session.scalars(names)) == ["Ada L.", "Grace"]
        assert list(session.scalars(names.limit(1).offset(1))) == ["Grace"]
        assert list(session.scalars(names.offset(1))) == ["Grace"]
        assert session.scalar(sa.select(sa.func.count()).where(Person.name.like("%a%"))) == 2
        assert session.scalar(sa.select(Person.id / 2).where(Person.id == 1)) == 0.5
        sub = sa.select(sa.func.max(Person.id)).scalar_subquery()
        assert session.scalar(sa.select(Person.name).where(Person.id == sub)) == "Grace"
        escaped = sa.select(sa.literal("it's \\ ?", literal_execute=True))
        assert session.scalar(escaped) == "it's \\ ?"
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE VIEW two AS SELECT id, name FROM person WHERE id = 2")
    found = sa.inspect(engine)
    assert found.get_view_names() == ["two"]
    assert found.get_table_names() == ["person"]
    assert [column["name"] for column in found.get_columns("two")] == ["id", "name"]
    assert "id = 2" in found.get_view_definition("two")
