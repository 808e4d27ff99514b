"""PUT, GET and REMOVE: a file of a volume is copied from or to this machine, or removed."""

from __future__ import annotations

from deltasql.errors.statements.volume import VolumeFileExistsError, VolumeFileNotFoundError
from deltasql.log.storage.stores import Stores
from deltasql.planner.changes import FileTransfer


def transfer_file(transfer: FileTransfer, stores: Stores) -> None:
    """Makes a transfer; a target is there as a whole or not at all.

    Raises VolumeFileNotFoundError for a source that is gone by now, VolumeFileExistsError, StorageError.
    """
    source, name = stores.of_file(transfer.source)
    if transfer.target is None:
        source.delete([name])
        return
    target, target_name = stores.of_file(transfer.target)
    try:
        data = source.read(name)
    except FileNotFoundError:
        raise VolumeFileNotFoundError(transfer.source) from None
    if transfer.overwrite:
        target.overwrite(target_name, data)
    elif not target.put_if_absent(target_name, data):
        raise VolumeFileExistsError(transfer.shown)
