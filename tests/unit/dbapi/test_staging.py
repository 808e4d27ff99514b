"""PUT and GET use only files of the folders that a connection allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import deltasql
from deltasql.base.errors import LocalFileError
from deltasql.databricks import sql

TARGET = "/Volumes/spark_catalog/default/v/a.txt"


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """A folder with a file, a link to a file outside of it, and that file."""
    folder = tmp_path / "allowed"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("s")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


def test_a_session_may_use_all_files(tmp_path: Path, local: Path) -> None:
    with deltasql.connect(str(tmp_path / "wh")) as session:
        session.sql("CREATE VOLUME v")
        session.sql(f"PUT '{local.parent}/secret.txt' INTO '{TARGET}'")
        session.sql(f"GET '{TARGET}' TO '{local}/back.txt'")
    assert (local / "back.txt").read_text() == "s"


@pytest.mark.parametrize("name", ["../secret.txt", "link.txt", "../allowed2/a.txt"])
def test_files_outside_of_the_folders(tmp_path: Path, local: Path, name: str) -> None:
    """Links and `..` are resolved, and a folder whose name only begins alike is another one."""
    (tmp_path / "allowed2").mkdir()
    (tmp_path / "allowed2" / "a.txt").write_text("b")
    with deltasql.connect(str(tmp_path / "wh"), staging_allowed_local_path=str(local)) as session:
        session.sql("CREATE VOLUME v")
        session.sql(f"PUT '{local}/a.txt' INTO '{TARGET}'")
        for statement in (f"PUT '{local}/{name}' INTO '{TARGET}' OVERWRITE", f"GET '{TARGET}' TO '{local}/{name}'"):
            with pytest.raises(LocalFileError, match="alone"):
                session.sql(statement)
    assert (tmp_path / "secret.txt").read_text() == "s"


def test_the_connector_allows_nothing_by_default(tmp_path: Path, local: Path) -> None:
    with sql.connect(warehouse=str(tmp_path / "wh")) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE VOLUME v")
        with pytest.raises(sql.exc.ServerOperationError, match="allows no local files"):
            cursor.execute(f"PUT '{local}/a.txt' INTO '{TARGET}'")
    allowed: dict[str, Any] = {"warehouse": str(tmp_path / "wh"), "staging_allowed_local_path": [str(local)]}
    with sql.connect(**allowed) as connection, connection.cursor() as cursor:
        cursor.execute(f"PUT '{local}/a.txt' INTO '{TARGET}'")
        cursor.execute("LIST '/Volumes/spark_catalog/default/v'")
        assert [row.name for row in cursor.fetchall()] == ["a.txt"]
