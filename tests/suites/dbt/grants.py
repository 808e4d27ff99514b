"""Fixtures for the classes of dbt's suite about grants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dbt.tests.adapter.grants.base_grants import TEST_USER_ENV_VARS


class RecordedGrants:
    """A target that records grants. INSERT is part of MODIFY."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, dbt_profile_target: dict[str, Any]) -> dict[str, Any]:
        return {**dbt_profile_target, "settings": {"deltasql.governance": "RECORD"}}

    @pytest.fixture(scope="class", autouse=True)
    def users(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for number, variable in enumerate(TEST_USER_ENV_VARS, 1):
                patch.setenv(variable, f"user-{number}@example.com")
            yield

    @pytest.fixture(scope="class", autouse=True)
    def get_test_users(self, users: None) -> list[str]:
        return [f"user-{number}@example.com" for number, _ in enumerate(TEST_USER_ENV_VARS, 1)]

    def privilege_grantee_name_overrides(self) -> dict[str, str]:
        found: dict[str, str] = super().privilege_grantee_name_overrides()  # type: ignore[misc]
        return {**found, "insert": "modify"}
