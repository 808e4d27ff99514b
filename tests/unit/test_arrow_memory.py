"""Which of Arrow's allocators a process of ours has."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_SHOWN = "import {first}; import {then}; print(pyarrow.default_memory_pool().backend_name)"


@pytest.mark.parametrize(
    ("first", "then", "told", "expected"),
    [
        ("deltasql", "pyarrow", {}, "jemalloc"),
        ("deltasql", "pyarrow", {"ARROW_DEFAULT_MEMORY_POOL": "system"}, "system"),
        ("pyarrow", "deltasql", {"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}, "mimalloc"),
    ],
)
def test_allocator(first: str, then: str, told: dict[str, str], expected: str) -> None:
    if not sys.platform.startswith("linux") or "glibc" not in (os.confstr("CS_GNU_LIBC_VERSION") or ""):
        pytest.skip("no GNU C library")
    environment = {key: value for key, value in os.environ.items() if key != "ARROW_DEFAULT_MEMORY_POOL"}
    command = [sys.executable, "-c", _SHOWN.format(first=first, then=then)]
    run = subprocess.run(command, env=environment | told, check=True, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == (f"{expected}\n", "")
