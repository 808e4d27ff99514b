"""How a statement's new data files are written: their compression and size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_SUFFIXES = {"zstd": ".zstd", "snappy": ".snappy", "gzip": ".gz", "lz4": ".lz4raw", "brotli": ".br"}
_DEFAULT = "snappy"


@dataclass(frozen=True, slots=True)
class FileShape:
    """The compression of new data files, one of `registry.readers.CODECS`, and the most rows of each (0: any number).

    `optimized`: the engine shuffles rows into fewer, larger files. `format_version` is Parquet's: 1.0.0, or 2.12.0 with
    data pages of version 2. Each is None where nobody says.
    """

    codec: str | None = None
    most_rows: int | None = None
    optimized: bool | None = None
    format_version: str | None = None

    @property
    def page_version(self) -> Literal["1.0", "2.0"]:
        """The version of data pages by Arrow's name."""
        return "2.0" if (self.format_version or "").startswith("2.") else "1.0"

    @property
    def arrow_codec(self) -> str:
        """The compression by Arrow's name."""
        codec = self.codec or _DEFAULT
        return "none" if codec == "uncompressed" else codec

    @property
    def is_only_by_arrow(self) -> bool:
        """Whether this process alone writes such files: Spark comes without the class for that compression."""
        return self.codec == "brotli"

    @property
    def suffix(self) -> str:
        """The end of the files' names, as of those that Spark writes."""
        return f"{_SUFFIXES.get(self.arrow_codec, '')}.parquet"

    @property
    def spark_options(self) -> dict[str, str]:
        """The options of Spark's writer; its settings count where nobody says."""
        options = {}
        if self.codec is not None:
            # What Spark calls lz4 is another framing, which few readers know.
            options["compression"] = "lz4_raw" if self.codec == "lz4" else self.codec
        if self.format_version is not None:
            options["parquet.writer.version"] = "v2" if self.page_version == "2.0" else "v1"
        if self.most_rows is not None:
            options["maxRecordsPerFile"] = str(self.most_rows)
        return options


ANY_SHAPE = FileShape()
