"""The files and settings of a pipeline: of a folder, a `spark-pipeline.yml`, or a bundle of Databricks.

Sources: Spark, Declarative Pipelines Programming Guide (the fields of the file); Databricks, Declarative Automation
Bundles (resources, variables, targets) and Pipeline properties.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from deltasql.base import did_you_mean, errors
from deltasql.clients.command.files import SUFFIXES

SPARK_FILES = ("spark-pipeline.yml", "spark-pipeline.yaml")
BUNDLE_FILES = ("databricks.yml", "databricks.yaml")
SOURCES = "transformations"
"""The folder that a new pipeline of Databricks, or of Spark, has its files in."""
_FIELDS = ("name", "catalog", "database", "schema", "configuration", "libraries", "storage", "id")
_KINDS = ("glob", "file", "notebook")
_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][\w.-]*)\}")
_OURS = ("name", "catalog", "schema", "target", "configuration", "libraries", "root_path", "event_log", "continuous")


@dataclass(frozen=True, slots=True)
class Specification:
    """A pipeline: its files in order, the catalog and schema of unqualified names (None: those of the session), and
    the values of its configuration. `event_log` is the name of the table of events, if it has one of its own."""

    name: str
    id: str
    files: tuple[Path, ...]
    catalog: str | None = None
    schema: str | None = None
    configuration: Mapping[str, str] = field(default_factory=dict)
    event_log: tuple[str, ...] = ()
    continuous: bool = False


@dataclass(frozen=True, slots=True)
class BundleChoice:
    """Which pipeline of a bundle, for which target, with which values of variables."""

    pipeline: str | None = None
    target: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)


def specification(path: str, choice: BundleChoice) -> Specification:
    """The pipeline of a folder or a file. Raises PipelineFileError, EmptyPipelineError."""
    place = Path(path)
    if place.is_dir():
        file = next((place / name for name in (*SPARK_FILES, *BUNDLE_FILES) if (place / name).is_file()), None)
        if file is None:
            return _of_folder(place)
        place = file
    elif not place.is_file():
        raise errors.PipelineFileError(path, "there is no such file or folder", "Give the folder of its files.")
    elif place.suffix not in {".yml", ".yaml"}:
        reason = "it is neither a folder nor a file of YAML"
        raise errors.PipelineFileError(path, reason, "Give the folder of its files, or its spark-pipeline.yml.")
    document = _document(place)
    if place.name in BUNDLE_FILES or "resources" in document:
        return _of_bundle(place, document, choice)
    return _of_spark(place, document)


def shown_path(path: Path) -> str:
    """A path as messages show it: from the working directory where it lies below."""
    shown = os.path.relpath(path)
    return str(path) if shown.startswith("..") else shown


def pipeline_id(name: str) -> str:
    """The id of a pipeline that has none in its file: the same for each run of one name."""
    return str(uuid5(NAMESPACE_URL, f"deltasql:pipeline:{name}"))


def _of_folder(folder: Path) -> Specification:
    """All files of a folder; those below `transformations` where there is one."""
    sources = folder / SOURCES if (folder / SOURCES).is_dir() else folder
    files = tuple(_below(sources))
    if not files:
        raise errors.EmptyPipelineError(shown_path(folder))
    name = folder.resolve().name
    return Specification(name, pipeline_id(name), files)


def _below(folder: Path) -> Iterator[Path]:
    """Files of statements or cells below a folder, by name, without hidden ones."""
    for path in sorted(folder.rglob("*")):
        within = path.relative_to(folder).parts
        if path.is_file() and path.suffix in SUFFIXES and not any(part.startswith((".", "__")) for part in within):
            yield path


def _document(path: Path) -> dict[str, Any]:
    """The fields of a file of YAML. Raises PipelineFileError."""
    import yaml

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise errors.PipelineFileError(shown_path(path), str(error), "Make the file readable as UTF-8.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f" in line {mark.line + 1}"
        reason = f"it is no YAML{where}: {getattr(error, 'problem', None) or error}"
        raise errors.PipelineFileError(shown_path(path), reason, "Correct the line.") from None
    if not isinstance(found, dict):
        reason = "it has no fields"
        raise errors.PipelineFileError(shown_path(path), reason, "Write fields such as name: and libraries:.")
    return found


def _of_spark(path: Path, document: Mapping[str, Any]) -> Specification:
    """Raises PipelineFileError for fields that such a file does not have."""
    for key in document:
        if key not in _FIELDS:
            advice = did_you_mean(str(key), _FIELDS).strip() or f"It takes {', '.join(_FIELDS)}."
            raise errors.PipelineFileError(shown_path(path), f"it has a field {key}", advice)
    if "database" in document and "schema" in document:
        raise errors.PipelineFileError(shown_path(path), "it has both database and schema", "Leave one of them out.")
    return _made(path, path.resolve().parent.name, document, document.get("database", document.get("schema")))


def _made(path: Path, key: str, document: Mapping[str, Any], schema: object) -> Specification:
    name = _text(path, "name", document.get("name")) or key
    configuration = document.get("configuration") or {}
    if not isinstance(configuration, dict):
        raise errors.PipelineFileError(
            shown_path(path), "its configuration is no mapping", "Write lines of the form key: value below it."
        )
    files = tuple(dict.fromkeys(_libraries(path, document)))
    if not files:
        raise errors.EmptyPipelineError(shown_path(path))
    return Specification(
        name,
        _text(path, "id", document.get("id")) or pipeline_id(name),
        files,
        _text(path, "catalog", document.get("catalog")),
        _text(path, "schema", schema),
        {str(name): _plain(value) for name, value in configuration.items()},
        _event_log(path, document.get("event_log")),
        bool(document.get("continuous", False)),
    )


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(path: Path, field: str, value: object) -> str | None:
    if value is None or isinstance(value, (str, int)):
        return None if value is None else str(value)
    raise errors.PipelineFileError(shown_path(path), f"its field {field} is no text", f"Write {field}: value.")


def _event_log(path: Path, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, dict) or "name" not in value:
        raise errors.PipelineFileError(shown_path(path), "its event_log has no name", "Write name: below event_log:.")
    return tuple(str(value[key]) for key in ("catalog", "schema", "name") if value.get(key))


def _libraries(path: Path, document: Mapping[str, Any]) -> Iterator[Path]:
    """The files that `libraries` name, from the folder of the file. Raises PipelineFileError."""
    libraries = document.get("libraries")
    if libraries is None:
        yield from _of_folder(path.parent).files
        return
    for item in libraries if isinstance(libraries, list) else [libraries]:
        kind = next((kind for kind in _KINDS if isinstance(item, dict) and kind in item), None)
        value = None if kind is None else item[kind]
        wanted = value.get("include" if kind == "glob" else "path") if isinstance(value, dict) else None
        if not isinstance(wanted, str):
            reason = f"its libraries have the item {item}"
            advice = "Write - glob: {include: folder/**}, - file: {path: file.sql} or - notebook: {path: file}."
            raise errors.PipelineFileError(shown_path(path), reason, advice)
        yield from _matching(path, wanted)


def _matching(path: Path, wanted: str) -> Iterator[Path]:
    """The files of a path or a pattern. Raises PipelineFileError where there is none."""
    place = path.parent / wanted.removesuffix("/**")
    if place.is_dir():
        yield from _below(place)
        return
    named = [item for item in (place, *(place.with_name(place.name + end) for end in SUFFIXES)) if item.is_file()]
    found = named[:1] or _matched(place)
    if not found:
        reason = f"its libraries name {wanted}, where no file is"
        raise errors.PipelineFileError(shown_path(path), reason, "Paths begin at the folder of the file.")
    yield from found


def _matched(pattern: Path) -> list[Path]:
    """The files of a path with stars, by name."""
    fixed = next((parent for parent in pattern.parents if "*" not in str(parent)), pattern.parent)
    found = fixed.glob(str(pattern.relative_to(fixed)))
    return sorted(item for item in found if item.is_file() and item.suffix in SUFFIXES)


def _of_bundle(path: Path, document: Mapping[str, Any], choice: BundleChoice) -> Specification:
    """A pipeline of a bundle: of the file with its resources, or of all files that the bundle includes."""
    root = path if path.name in BUNDLE_FILES else _bundle_above(path)
    bundle = document if root == path else ({} if root is None else _document(root))
    target, overrides = _target(root or path, bundle, choice)
    files = {path: document}
    if root == path:
        files |= {file: _document(file) for file in _included(path, document)}
    pipelines = {key: (file, fields) for file, item in files.items() for key, fields in _pipelines(item).items()}
    key = _chosen(path, pipelines, choice)
    file, fields = pipelines[key]
    fields = {**fields, **_pipelines(overrides).get(key, {})}
    values = _Variables(root or path, bundle, target, overrides, choice)
    fields = values.replaced({name: fields[name] for name in _OURS if name in fields})
    return _made(file, key, fields, fields.get("schema", fields.get("target")))


def _bundle_above(path: Path) -> Path | None:
    folders = path.resolve().parents
    return next((folder / name for folder in folders for name in BUNDLE_FILES if (folder / name).is_file()), None)


def _included(path: Path, document: Mapping[str, Any]) -> Iterator[Path]:
    for pattern in document.get("include") or ():
        yield from sorted(item for item in path.parent.glob(str(pattern)) if item.is_file())


def _pipelines(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    resources = document.get("resources")
    pipelines = resources.get("pipelines") if isinstance(resources, dict) else None
    if not isinstance(pipelines, dict):
        return {}
    return {str(key): value for key, value in pipelines.items() if isinstance(value, dict)}


def _chosen(path: Path, pipelines: Mapping[str, Any], choice: BundleChoice) -> str:
    """The pipeline to run. Raises PipelineFileError where it is none, or one of several that is not named."""
    if not pipelines:
        advice = "Write resources: pipelines: name: with its libraries."
        raise errors.PipelineFileError(shown_path(path), "it has no pipeline", advice)
    if choice.pipeline is None:
        if len(pipelines) > 1:
            reason = f"it has several pipelines: {', '.join(pipelines)}"
            raise errors.PipelineFileError(shown_path(path), reason, "Choose one by --pipeline NAME.")
        return next(iter(pipelines))
    if choice.pipeline not in pipelines:
        advice = did_you_mean(choice.pipeline, pipelines).strip() or f"It has {', '.join(pipelines)}."
        raise errors.PipelineFileError(shown_path(path), f"it has no pipeline {choice.pipeline}", advice)
    return choice.pipeline


def _target(path: Path, bundle: Mapping[str, Any], choice: BundleChoice) -> tuple[str, dict[str, Any]]:
    """The name of the target, and what it overrides. Raises PipelineFileError for one that is not there."""
    found = bundle.get("targets")
    targets = {key: value or {} for key, value in found.items()} if isinstance(found, dict) else {}
    name = choice.target or next((key for key, value in targets.items() if value.get("default")), "default")
    if choice.target is not None and name not in targets:
        advice = did_you_mean(name, targets).strip() or f"It has {', '.join(targets) or 'none'}."
        raise errors.PipelineFileError(shown_path(path), f"it has no target {name}", advice)
    return name, dict(targets.get(name, {}))


class _Variables:
    """The values in place of `${var.x}`, `${bundle.name}` and `${bundle.target}`, and others that --var gives."""

    def __init__(
        self, path: Path, bundle: Mapping[str, Any], target: str, overrides: Mapping[str, Any], choice: BundleChoice
    ) -> None:
        self._path = path
        name = (bundle.get("bundle") or {}).get("name")
        self._values = {"bundle.target": target, "bundle.environment": target, "bundle.name": str(name or "")}
        for found in (bundle.get("variables") or {}, overrides.get("variables") or {}):
            for key, value in found.items():
                default = value.get("default") if isinstance(value, dict) else value
                if default is not None:
                    self._values[f"var.{key}"] = str(default)
        self._values |= {key if "." in key else f"var.{key}": value for key, value in choice.variables.items()}

    def replaced(self, value: Any, depth: int = 0) -> Any:
        """A value with those of variables in its texts. Raises PipelineFileError for one without a value."""
        if isinstance(value, dict):
            return {key: self.replaced(item) for key, item in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [self.replaced(item) for item in value]
        if not isinstance(value, str):
            return value
        new = _VARIABLE.sub(self._value, value)
        return new if new == value or depth > len(self._values) else self.replaced(new, depth + 1)

    def _value(self, match: re.Match[str]) -> str:
        name = match["name"]
        if name not in self._values:
            short = name.removeprefix("var.")
            raise errors.PipelineFileError(
                shown_path(self._path), f"${{{name}}} has no value", f"Give it by --var {short}=value."
            )
        return self._values[name]
