"""Who moves the bytes of data files: Spark's executors, or the driver, which is this process.

Executors read and write side by side, and need a way to the files: the same disk, or a connector of Hadoop for the
object store, with jars. The driver needs neither: Arrow tables come and go between it and Spark. What it moves passes
through its memory, so that it does so for what is small, and for everything where executors have no way.

Little is a matter of place: on a local disk a job of Spark's costs more than the rows, in a store also the requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from deltasql.engine.session.tuning import TINY_BYTES
from deltasql.errors.base import DeltaSqlError
from deltasql.errors.engine import NotOnSailError, NoWayToFilesError, OtherCredentialsError
from deltasql.log.storage.locations import hadoop_scheme, is_local
from deltasql.settings.session_settings import DEFAULTS, IO_MODE

if TYPE_CHECKING:
    from deltasql.engine.session.spark import SparkHandle

_HANDED_OUT: ContextVar[bool] = ContextVar("handed_out", default=False)

DRIVER_BYTES = 64 << 20
"""Up to so many bytes of input the driver moves itself what lies in an object store."""


@contextmanager
def handed_out() -> Iterator[None]:
    """DataFrames that are made within are for the caller: Spark reads local files for them, and so can name these."""
    token = _HANDED_OUT.set(True)
    try:
        yield
    finally:
        _HANDED_OUT.reset(token)


def is_handed_out() -> bool:
    """Whether the DataFrame that is being made is for the caller."""
    return _HANDED_OUT.get()


def by_driver(spark: SparkHandle, location: str, size: int, *, variants: bool = False) -> bool:
    """Whether the driver moves the files at a location for a statement that reads so many bytes.

    `variants`: the columns hold variants, which only Spark's own reader and writer know.
    Raises InvalidSettingError, NoWayToFilesError, OtherCredentialsError, NotOnSailError.
    """
    if spark.capabilities.metadata:
        return _by_mode(spark, location, size, variants=variants)
    if variants:
        raise NotOnSailError(what="VARIANT columns")
    return True


def _mode(spark: SparkHandle) -> str:
    return IO_MODE.value(spark.told(IO_MODE.name) or DEFAULTS[IO_MODE.name])


def _by_mode(spark: SparkHandle, location: str, size: int, *, variants: bool) -> bool:
    mode = "EXECUTORS" if variants else _mode(spark)
    if mode == "DRIVER":
        return True
    if is_local(location):
        if _HANDED_OUT.get():
            return False
        return mode == "AUTO" and size < TINY_BYTES and spark.leaves_files_to_us
    if mode == "AUTO":
        return size <= DRIVER_BYTES or not spark.reaches(location)
    if not spark.reaches(location):
        reason = "VARIANT columns" if variants else f"{IO_MODE.name} = EXECUTORS"
        raise no_way(spark, location, reason)
    return False


def copies_rows(spark: SparkHandle, location: str, size: int) -> bool:
    """Whether the driver copies rows from file to file for a statement that reads so many bytes: where it moves the
    files anyway, and on its own disk, which it shares with executors that are its threads.

    Raises what `by_driver` raises.
    """
    if by_driver(spark, location, size):
        return True
    return _mode(spark) == "AUTO" and is_local(location) and spark.leaves_files_to_us and spark.shares_disk


def computes_rows(spark: SparkHandle, location: str, size: int) -> bool:
    """Whether the driver may change rows by itself for a statement that reads so many bytes: where it moves them
    anyway, as `copies_rows` has it. Asks no engine, and so starts none.
    """
    if spark.is_in_process or _mode(spark) == "DRIVER":
        return True
    if _mode(spark) != "AUTO":
        return False
    return spark.is_on_this_machine if is_local(location) else size <= DRIVER_BYTES


def no_way(spark: SparkHandle, location: str, reason: str) -> DeltaSqlError:
    """Why executors do not reach a location, as an error; `reason` is what needs them."""
    if spark.has_other_keys(location):
        return OtherCredentialsError(location=location, reason=reason)
    return NoWayToFilesError(location=location, scheme=hadoop_scheme(location), reason=reason)
