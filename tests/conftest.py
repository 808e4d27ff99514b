"""What holds for all tests: modules beside them whose asserts tell what they compared."""

from __future__ import annotations

import pytest

from deltasql.log.store import LocalLogStore

# Before any test imports them.
pytest.register_assert_rewrite("tests.session.concurrency.play", "tests.session.concurrency.stored")

# For logs that tests open themselves; sessions have a setting.
LocalLogStore.durable = False
