"""Wheel and sdist: what they hold, what is installed from them, and the version that all of it tells."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from deltasql.base.version import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PARSE = "from deltasql.sql.parser import parse; print(type(parse('ALTER TABLE t ADD COLUMN a INT')).__name__)"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    # Without hatchling here, pip fetches it: the same package index that the tests were installed from.
    isolation = ["--no-build-isolation"] if find_spec("hatchling") else []
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", *isolation, "-w", str(place), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(place.glob("deltasql-*.whl"))


def test_the_wheel_holds_the_grammar_and_the_license(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    grammar = {f"deltasql/grammar/{path.name}" for path in (ROOT / "grammar").glob("*.lark")}
    assert grammar
    assert grammar <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    ours = ("deltasql/", "deltasql-", "dbt/adapters/deltasql/", "dbt/include/deltasql/")
    assert not [name for name in names if not name.startswith(ours)]


def test_the_wheel_holds_the_adapter_of_dbt(wheel: Path) -> None:
    """`dbt` and the folders below it belong to dbt: a file of ours there would take its place."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if "dbt" in name}
    source = ROOT / "deltasql" / "clients" / "dbt"
    files = {path.relative_to(source).as_posix() for path in source.rglob("*.*") if path.suffix != ".pyc"}
    assert {"dbt/adapters/deltasql/impl.py", "dbt/include/deltasql/macros/adapters.sql"} <= files
    assert names == files


def test_the_types_are_there_for_users(wheel: Path, tmp_path: Path) -> None:
    target, script = tmp_path / "target", tmp_path / "mine.py"
    names = zipfile.ZipFile(wheel).namelist()
    assert "deltasql/py.typed" in names
    zipfile.ZipFile(wheel).extractall(target)
    script.write_text("import deltasql\nreveal_type(deltasql.connect().sql('SELECT 1').version)\n")
    # Only the user's own file is checked; of the package just the types are read.
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--config-file=", "--cache-dir", str(tmp_path)]
    done = subprocess.run(
        [*command, str(script)], capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": ""}
    )
    assert "py.typed" not in done.stdout
    assert 'Revealed type is "int | None"' in done.stdout.replace("builtins.", "").replace(
        "Union[int, None]", "int | None"
    )


def test_pytest_finds_the_plugin(wheel: Path, tmp_path: Path) -> None:
    target, project = tmp_path / "target", tmp_path / "project"
    zipfile.ZipFile(wheel).extractall(target)
    project.mkdir()
    (project / "x.sql").write_text("CREATE TABLE t (a INT)")
    (project / "x.out").write_text("-- statement\n")
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "--rootdir", str(project), str(project)]
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=project, env=environment)
    assert "x.sql::x" in done.stdout, done.stdout + done.stderr


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return next(place.glob("deltasql-*.tar.gz"))


def test_the_sdist_builds_the_same_wheel_without_a_repository(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"deltasql-{__version__}"
    assert {"LICENSE", "README.md", "CHANGELOG.md", "grammar", "PKG-INFO"} <= {path.name for path in source.iterdir()}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, capture_output=True, check=True, cwd=source)
    again = tmp_path / wheel.name
    assert set(zipfile.ZipFile(again).namelist()) == set(zipfile.ZipFile(wheel).namelist())


def test_one_version_everywhere(wheel: Path, tmp_path: Path) -> None:
    """`deltasql --version` of an environment of its own, both places in the sources, and the changelog."""
    assert wheel.name.split("-")[1] == __version__
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["commitizen"]
    assert told["version"] == __version__
    assert told["version_files"] == ["deltasql/base/version.py:__version__"]
    sections = re.findall(r"^## v(\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[0] == __version__
    venv.create(tmp_path / "clean", with_pip=False)
    python = tmp_path / "clean" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    # What deltasql needs is that of this environment, behind its own packages: an editable install is none of them.
    own = next((tmp_path / "clean").glob("lib/python*/site-packages"))
    (own / "shared.pth").write_text(sysconfig.get_path("purelib"))
    command = [str(python.parent / "deltasql")]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == f"deltasql {__version__}\n"
    script = [*command, "--warehouse", "w", "--format", "csv", "-e", "CREATE TABLE t (a INT); SHOW TABLES"]
    done = subprocess.run(script, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "default,t,false" in done.stdout


def test_what_is_installed_parses(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    # The target comes first, so that a checkout or an editable install does not answer in its place.
    code = f"import sys; sys.path.insert(0, {str(target)!r}); {PARSE}; import deltasql; print(deltasql.__file__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    node, file = done.stdout.split()
    assert node == "AddColumns"
    assert file.startswith(str(target))
