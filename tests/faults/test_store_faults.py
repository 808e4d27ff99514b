"""A sample of requests to an object store that go wrong: `python -m tests.faults.store_faults` has them all."""

from __future__ import annotations

import random

import pytest

from tests.stores.proxy import Fate

from .store_faults import FATES, played


@pytest.mark.parametrize("fate", FATES)
def test_one_request_goes_wrong(fate: Fate) -> None:
    number = random.Random(fate.name).randrange(30)
    assert played(number, fate)[1] == []
