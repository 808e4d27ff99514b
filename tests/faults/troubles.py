"""Troubles of a machine while processes write: a disk that is full or can only be read, clocks that jump, a bucket."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.stores.moto_server import serving

_SIZE = 1 << 30
_DAY = 86_400.0


@contextmanager
def mounted(place: Path) -> Iterator[None]:
    """A file system of its own in memory, which may be made full or read-only. It takes the rights of root."""
    place.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", str(place))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def disturb(place: Path, seed: int, until: float, *, full: bool, read_only: bool) -> None:
    """Makes a mounted disk full or read-only now and then, for a short time."""
    chance = random.Random(seed)
    while (rest := until - time.monotonic()) > 0:
        time.sleep(min(rest, chance.uniform(1, 6)))
        if full and (not read_only or chance.random() < 0.5):
            # A few pages are left, so that some writes end in their middle.
            if _made_full(place, chance.choice([0, 1, 3, 20]) * 4096):
                time.sleep(chance.uniform(0.1, 2))
                _mount("-o", f"remount,size={_SIZE}", str(place))
        elif read_only and _made_read_only(place):
            time.sleep(chance.uniform(0.1, 2))
            _mount("-o", "remount,rw", str(place))


def _made_full(place: Path, left: int) -> bool:
    """The system refuses it where more has been written meanwhile."""
    found = os.statvfs(place)
    used = (found.f_blocks - found.f_bfree) * found.f_frsize
    with suppress(subprocess.CalledProcessError):
        _mount("-o", f"remount,size={used + left}", str(place))
        return True
    return False


def _made_read_only(place: Path) -> bool:
    """The system refuses it as long as a file is open for writing."""
    for _ in range(200):
        with suppress(subprocess.CalledProcessError):
            _mount("-o", "remount,ro", str(place))
            return True
    return False


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


class JumpingClock:
    """Tells the time of a clock that is sometimes set anew, up to ten days off: less than a log is kept."""

    def __init__(self, seed: str) -> None:
        self._chance, self._ahead, self._right = random.Random(seed), 0.0, time.time

    def __call__(self) -> float:
        if self._chance.random() < 0.02:
            self._ahead = self._chance.uniform(-10 * _DAY, 10 * _DAY)
        return self._right() + self._ahead


@contextmanager
def bucket() -> Iterator[str]:
    """The root of an empty bucket on a server of this machine, to which the environment leads."""
    before = dict(os.environ)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        os.environ.pop(name, None)
    with serving() as endpoint:
        os.environ.update(
            AWS_ENDPOINT_URL=endpoint, AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test",
            AWS_REGION="us-east-1", AWS_ALLOW_HTTP="true",
        )  # fmt: skip
        with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/histories", method="PUT"), timeout=60):
            pass
        try:
            yield "s3://histories"
        finally:
            os.environ.clear()
            os.environ.update(before)
            sys.stdout.flush()
