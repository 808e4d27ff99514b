"""The options of COPY INTO and read_files, and the files that they select."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from deltasql.base.errors.statements.copy_into import CopyOptionError
from deltasql.base.errors.suggestion import similar_names
from deltasql.base.registry.readers import boolean
from deltasql.log.storage.source_files import ListedFile, glob_expression

_OURS = frozenset({"modifiedafter", "modifiedbefore", "pathglobfilter", "ignorecorruptfiles"})
"""Reader options that select files. They are applied in this process, since the loaded files are recorded."""
_COPY_OPTIONS = ("force", "mergeSchema")


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """Parsed options; `reader` are those for Spark. Times are ms since the epoch."""

    force: bool
    merge_schema: bool
    recursive: bool
    ignore_corrupt: bool
    name_glob: str | None
    after: int | None
    before: int | None
    reader: Mapping[str, str]

    def wants(self, file: ListedFile) -> bool:
        """Whether the options select a file."""
        if self.name_glob is not None and not glob_expression(self.name_glob).fullmatch(file.path.rpartition("/")[2]):
            return False
        late = self.after is None or file.modified > self.after
        return late and (self.before is None or file.modified < self.before)


def copy_options(
    options: tuple[tuple[str, str], ...], copying: tuple[tuple[str, str], ...], time_zone: str | None
) -> CopyOptions:
    """The options of a statement. Raises CopyOptionError."""
    pairs = {key.lower(): (key, value) for key, value in options}
    for key, value in copying:
        if key.lower() not in map(str.lower, _COPY_OPTIONS):
            close = similar_names(key, _COPY_OPTIONS)
            advice = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(_COPY_OPTIONS)}."
            raise CopyOptionError(key, value, advice)
    for key in ("path", "paths"):
        if key in pairs:
            raise CopyOptionError(*pairs[key], "The location stands behind FROM.")
    copied = {key.lower(): (key, value) for key, value in copying}
    zone = pairs.get("timezone", ("", time_zone or "UTC"))[1]
    return CopyOptions(
        force=_flag(copied.get("force")),
        merge_schema=_flag(copied.get("mergeschema")),
        recursive=_flag(pairs.get("recursivefilelookup")),
        ignore_corrupt=_flag(pairs.get("ignorecorruptfiles")),
        name_glob=pairs.get("pathglobfilter", ("", None))[1],
        after=_moment(pairs.get("modifiedafter"), zone),
        before=_moment(pairs.get("modifiedbefore"), zone),
        reader={key: value for name, (key, value) in pairs.items() if name not in _OURS},
    )


def _flag(pair: tuple[str, str] | None) -> bool:
    if pair is None:
        return False
    try:
        return boolean(pair[1].strip())
    except ValueError:
        raise CopyOptionError(*pair, "Write 'true' or 'false'.") from None


def _moment(pair: tuple[str, str] | None, zone: str) -> int | None:
    if pair is None:
        return None
    try:
        moment = datetime.fromisoformat(pair[1].strip().replace("Z", "+00:00"))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone) if zone != "UTC" else timezone.utc)
    except (ValueError, ZoneInfoNotFoundError):
        raise CopyOptionError(*pair, "Write a time as '2024-01-31T10:20:30'.") from None
    return int(moment.timestamp() * 1000)
