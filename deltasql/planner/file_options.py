"""The options of read_files: those of Spark's readers, and those that this process reads itself. Source: Databricks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deltasql.base.errors.sources import FileArgumentError, UnknownFileFormatError, UnknownFileOptionError
from deltasql.base.errors.suggestion import similar_names

FORMATS = {
    "csv": "csv",
    "json": "json",
    "parquet": "parquet",
    "orc": "orc",
    "avro": "avro",
    "text": "text",
    "binaryfile": "binaryFile",
    "xml": "xml",
}
"""The formats by the names that Spark has for them."""

_ENDINGS = {
    **{name: name for name in ("csv", "json", "parquet", "orc", "avro", "xml")},
    "tsv": "csv",
    "jsonl": "json",
    "ndjson": "json",
    "pq": "parquet",
    "txt": "text",
    "text": "text",
}
_COMPRESSED = frozenset({"gz", "gzip", "bz2", "snappy", "zst", "zstd", "deflate", "lz4", "xz"})

OURS = frozenset(
    {
        *("format", "schema", "schemahints", "infercolumntypes", "schemaevolutionmode", "rescueddatacolumn"),
        *(
            "path",
            "filenamepattern",
            "validateoptions",
            "includeexistingfiles",
            "maxfilespertrigger",
            "maxbytespertrigger",
        ),
    }
)
"""Options that are not handed to Spark, in lower case. The last three are for streams."""
_CHOOSING = "pathglobfilter recursivefilelookup modifiedafter modifiedbefore ignorecorruptfiles ignoremissingfiles"
_TIMES = "dateformat timestampformat timestampntzformat enabledatetimeparsingfallback timezone locale"
_TEXTS = "encoding charset linesep compression mode columnnameofcorruptrecord multiline samplingratio"
_REBASE = "mergeschema datetimerebasemode int96rebasemode"
_OPTIONS: Mapping[str, str] = {
    "csv": f"{_TIMES} {_TEXTS} sep delimiter quote escape comment header inferschema preferdate enforceschema "
    "ignoreleadingwhitespace ignoretrailingwhitespace nullvalue nanvalue positiveinf negativeinf maxcolumns "
    "maxcharspercolumn chartoescapequoteescaping emptyvalue unescapedquotehandling mergeschema singlevariantcolumn",
    "json": f"{_TIMES} {_TEXTS} primitivesasstring prefersdecimal allowcomments allowunquotedfieldnames "
    "allowsinglequotes allownumericleadingzeros allowbackslashescapinganycharacter allowunquotedcontrolchars "
    "dropfieldifallnull allownonnumericnumbers ignorenullfields singlevariantcolumn",
    "xml": f"{_TIMES} {_TEXTS} rowtag excludeattribute inferschema attributeprefix valuetag ignoresurroundingspaces "
    "rowvalidationxsdpath ignorenamespace nullvalue wildcardcolname preferdate prefersdecimal singlevariantcolumn",
    "parquet": _REBASE,
    "orc": "mergeschema",
    "avro": f"{_REBASE} avroschema positionalfieldmatching recursivefieldmaxdepth ignoreextension "
    "enablestableidentifiersforuniontype stableidentifierprefixforuniontype",
    "text": "wholetext linesep encoding compression",
    "binaryfile": "",
}
"""Options of Spark's readers by format, in lower case."""
_MODES = frozenset({"addnewcolumns", "rescue", "failonnewcolumns", "none", "addnewcolumnswithtypewidening"})
RESCUED = "_rescued_data"
_RESCUING = frozenset({"csv", "json", "xml", "parquet", "avro", "orc"})


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Options of one call of `function`, by their names in lower case; `spelled` has the names as written."""

    function: str
    values: Mapping[str, str]
    spelled: Mapping[str, str] = field(default_factory=dict)

    def flag(self, name: str, default: bool) -> bool:
        """The value of a boolean option. Raises FileArgumentError."""
        text = self.values.get(name)
        if text is None:
            return default
        if text.strip().lower() not in {"true", "false"}:
            raise self.refused(name, "write true or false.")
        return text.strip().lower() == "true"

    def refused(self, name: str, reason: str) -> FileArgumentError:
        """The error for the value of an option."""
        return FileArgumentError(self.function, f"{self.spelled.get(name, name)} => '{self.values[name]}'", reason)

    def check(self, format_name: str) -> None:
        """Raises UnknownFileOptionError for options that neither a reader of the format nor this process has."""
        if not self.flag("validateoptions", True):
            return
        known = OURS | set(_CHOOSING.split()) | set(_OPTIONS[format_name].split())
        strange = [name for name in self.values if name not in known]
        if not strange:
            return
        close = [near[0] for name in strange if (near := similar_names(name, sorted(known)))]
        advice = f"Did you mean {', '.join(close)}?" if close else "validateOptions => false passes them on."
        raise UnknownFileOptionError(
            format_name.upper(), tuple(self.spelled.get(name, name) for name in strange), advice
        )

    def rescued(self, format_name: str, *, declared: bool) -> str | None:
        """The name of the rescued data column. Without a schema there is one, unless schemaEvolutionMode is none."""
        mode = self.values.get("schemaevolutionmode", "none" if declared else "addnewcolumns").lower()
        if mode not in _MODES:
            raise self.refused("schemaevolutionmode", "write addNewColumns, rescue, failOnNewColumns or none.")
        named = self.values.get("rescueddatacolumn")
        if named is not None:
            return named or None
        return RESCUED if mode != "none" and format_name in _RESCUING else None

    def reader(self, format_name: str, *, declared: bool) -> dict[str, str]:
        """The options of Spark's reader, which infers the types of columns unless they are `declared`."""
        options = {self.spelled.get(name, name): value for name, value in self.values.items() if name not in OURS}
        given = set(self.values)
        typed = self.flag("infercolumntypes", True)
        if format_name == "csv":
            defaults = {"header": str(not declared).lower(), "inferSchema": str(typed).lower(), "mergeSchema": "true"}
        elif format_name == "json":
            defaults = {"primitivesAsString": str(not typed).lower()}
        elif format_name == "xml":
            defaults = {"inferSchema": str(typed).lower()}
        else:
            defaults = {"mergeSchema": "true"} if format_name in {"parquet", "orc"} else {}
        return {key: value for key, value in defaults.items() if key.lower() not in given} | options


def detected_format(location: str, names: list[str]) -> tuple[str, str]:
    """The format of files by the endings of their names, and the ending. Raises UnknownFileFormatError."""
    endings = {_ending(name) for name in names}
    formats = {_ENDINGS.get(ending) for ending in endings}
    if None in formats:
        strange = sorted(name for name in names if _ending(name) not in _ENDINGS)
        raise UnknownFileFormatError(location, f"{strange[0]} has no ending of a format")
    if len(formats) > 1:
        raise UnknownFileFormatError(location, f"there are {' and '.join(sorted(filter(None, formats)))} files")
    return str(formats.pop()), endings.pop()


def _ending(name: str) -> str:
    stem, _, ending = name.lower().rpartition(".")
    return stem.rpartition(".")[2] if ending in _COMPRESSED else ending
