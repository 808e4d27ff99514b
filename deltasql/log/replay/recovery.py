"""Reading a version although log files are damaged or have been cleaned up: from the other files that the log has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from deltasql.base.errors.base import DeltaSqlError
from deltasql.base.errors.log import InvalidCheckpointError, InvalidCompactionError, LogFileNotFoundError
from deltasql.log.replay.log_segment import CheckpointFiles, Delta, list_log
from deltasql.log.replay.segment_replay import SegmentReplay

_Result = TypeVar("_Result")


class RecoveringReplay:
    """The replay of one version, and of other segments of the same version where the first turns out damaged.

    A checkpoint that is damaged is replaced by an older one and the commits since, a compacted file by its commits. A
    commit that is gone is looked for once more, since a clean-up leaves a checkpoint in its place.
    """

    def __init__(self, replay: SegmentReplay) -> None:
        self.current = replay
        self._broken: set[CheckpointFiles | Delta] = set()
        self._relisted = False

    def read(self, read: Callable[[SegmentReplay], _Result]) -> _Result:
        """The result of `read`, called anew with each segment. Raises its error where the log has no other files."""
        while True:
            try:
                return read(self.current)
            except InvalidCheckpointError as error:
                assert self.current.segment.checkpoint is not None
                self._broken.add(self.current.segment.checkpoint)
                self._rebuild(error)
            except InvalidCompactionError as error:
                compacted = self.current.segment.compacted
                self._broken.update(item for item in compacted if item.entry.path == error.path)
                self._rebuild(error)
            except LogFileNotFoundError as error:
                if self._relisted:
                    raise
                self._relisted = True
                self._rebuild(error)

    def _rebuild(self, error: DeltaSqlError) -> None:
        """Goes on with the segment of the files that are not known to be broken; raises `error` if there is none."""
        old = self.current
        listing = list_log(old.reader.store, full=True)
        try:
            segment = old.reader.segment(listing, old.version, self._broken)
        except DeltaSqlError:
            raise error from None
        self.current = SegmentReplay(old.reader, segment, old.base)
