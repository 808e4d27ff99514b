"""The same storage for obstore and for Hadoop: options and settings say the same, whichever were given."""

from __future__ import annotations

import pytest

from deltasql.base.errors import UnsupportedLocationError
from deltasql.log.storage.stores import Stores, hadoop_settings, long_names, of_environment, options_of

KEYS = {"aws_access_key_id": "AK", "aws_secret_access_key": "SECRET"}
AZURE = "abfss://c@acct.dfs.core.windows.net/t"


def test_s3_both_ways() -> None:
    options = {**KEYS, "aws_session_token": "T", "aws_region": "eu-1", "aws_endpoint": "http://h:9000"}
    settings = hadoop_settings("s3://b/t", options)
    assert settings == {
        "fs.s3a.bucket.b.access.key": "AK",
        "fs.s3a.bucket.b.secret.key": "SECRET",
        "fs.s3a.bucket.b.session.token": "T",
        "fs.s3a.bucket.b.endpoint.region": "eu-1",
        "fs.s3a.bucket.b.endpoint": "http://h:9000",
        "fs.s3a.bucket.b.path.style.access": "true",
        "fs.s3a.bucket.b.connection.ssl.enabled": "false",
        "fs.s3a.bucket.b.aws.credentials.provider": "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider",
    }
    assert options_of("s3://b/t", settings) == {**options, "aws_allow_http": "true"}
    assert options_of("s3://other/t", settings) == {}


def test_s3_of_all_buckets_and_of_one() -> None:
    settings = {"fs.s3a.access.key": "all", "fs.s3a.bucket.b.access.key": "one", "fs.s3a.endpoint": "h:9000"}
    assert options_of("s3a://b/t", settings) == {"aws_access_key_id": "one", "aws_endpoint": "https://h:9000"}
    plain = {**settings, "fs.s3a.connection.ssl.enabled": "false", "fs.s3a.path.style.access": "false"}
    assert options_of("s3://c/t", plain) == {
        "aws_access_key_id": "all",
        "aws_endpoint": "http://h:9000",
        "aws_allow_http": "true",
        "aws_virtual_hosted_style_request": "true",
    }


def test_s3_without_keys() -> None:
    anonymous = {"fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"}
    assert options_of("s3://b/t", anonymous) == {"aws_skip_signature": "true"}
    assert hadoop_settings("s3://b/t", {"aws_skip_signature": "true"}) == {
        f"fs.s3a.bucket.b.{key.removeprefix('fs.s3a.')}": value for key, value in anonymous.items()
    }


def test_azure_by_key_token_and_principal() -> None:
    host = "acct.dfs.core.windows.net"
    for settings, options in (
        ({f"fs.azure.account.key.{host}": "K"}, {"azure_storage_account_key": "K"}),
        (
            {f"fs.azure.account.auth.type.{host}": "SAS", f"fs.azure.sas.fixed.token.{host}": "S"},
            {"azure_storage_sas_key": "S"},
        ),
        (
            {
                f"fs.azure.account.auth.type.{host}": "OAuth",
                f"fs.azure.account.oauth.provider.type.{host}": (
                    "org.apache.hadoop.fs.azurebfs.oauth2.ClientCredsTokenProvider"
                ),
                f"fs.azure.account.oauth2.client.id.{host}": "me",
                f"fs.azure.account.oauth2.client.secret.{host}": "S",
                f"fs.azure.account.oauth2.client.endpoint.{host}": "https://login.microsoftonline.com/org/oauth2/token",
            },
            {
                "azure_storage_client_id": "me",
                "azure_storage_client_secret": "S",
                "azure_storage_tenant_id": "org",
            },
        ),
    ):
        assert hadoop_settings(AZURE, options) == settings
        assert options_of(AZURE, settings) == options
    assert options_of(AZURE, {"fs.azure.account.key.other.dfs.core.windows.net": "K"}) == {}
    assert hadoop_settings(AZURE, {}) == {}


def test_gcs_by_a_key_file() -> None:
    settings = hadoop_settings("gs://b/t", {"google_service_account": "/k.json"})
    assert settings["fs.gs.auth.service.account.json.keyfile"] == "/k.json"
    assert options_of("gs://b/t", settings) == {"google_service_account": "/k.json"}
    assert options_of("gs://b/t", {}) == hadoop_settings("gs://b/t", {}) == {}


def test_places_that_have_no_credentials() -> None:
    assert options_of("/t", {"fs.s3a.access.key": "K"}) == hadoop_settings("memory:///t", KEYS) == {}
    assert Stores(KEYS).hadoop_settings("/t") == {}


def test_short_names_and_the_environment() -> None:
    assert long_names({"ACCESS_KEY_ID": "a", "token": "t", "endpoint_url": "e"}) == {
        "aws_access_key_id": "a",
        "aws_session_token": "t",
        "aws_endpoint": "e",
    }
    variables = {"AWS_REGION": "r", "AWS_ENDPOINT_URL": "e", "HOME": "/", "AZURE_CLIENT_ID": "me"}
    variables["GOOGLE_SERVICE_ACCOUNT_PATH"] = "/k.json"
    assert of_environment(variables, "s3://b") == {"aws_region": "r", "aws_endpoint": "e"}
    assert of_environment(variables, AZURE) == {"azure_storage_client_id": "me"}
    assert of_environment(variables, "gs://b") == {"google_service_account": "/k.json"}
    assert of_environment(variables, "/t") == {}


def test_executors_get_what_the_environment_knows_of_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "K")
    assert Stores().hadoop_settings(AZURE) == {"fs.azure.account.key.acct.dfs.core.windows.net": "K"}
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "")
    token = {"fs.azure.sas.fixed.token.acct.dfs.core.windows.net": "S"}
    assert Stores({"sas_key": "S"}).hadoop_settings(AZURE).items() >= token.items()


def test_options_come_before_settings_and_these_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "of-environment")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of-environment")
    stores = Stores({"aws_access_key_id": "given"}, lambda: {"fs.s3a.access.key": "h", "fs.s3a.secret.key": "h"})
    found = stores.hadoop_settings("s3://b/t")
    values = [found[f"fs.s3a.bucket.b.{name}"] for name in ("access.key", "secret.key", "endpoint.region")]
    assert values == ["given", "h", "of-environment"]


def test_a_bucket_is_opened_once_and_tells_no_key() -> None:
    asked = []

    def settings() -> dict[str, str]:
        asked.append(1)
        return {}

    stores = Stores({**KEYS, "allow_http": "true", "aws_endpoint": "http://127.0.0.1:9"}, settings)
    first, second = stores.open("s3a://b/one/t"), stores.open("s3://b/two")
    assert (first.root, second.root, len(asked)) == ("s3://b/one/t", "s3://b/two", 1)
    assert stores.hadoop_schemes == {"s3a"}
    assert first.at("s3://b/two").root == second.root
    assert stores.open("s3://b/a?b#c/t")._prefix == "a?b#c/t/"
    assert "SECRET" not in f"{stores!r}{first!r}{first._store!r}"


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("hdfs://h/t", "only Hadoop knows this file system"),
        ("ftp://h/t", "ftp"),
        ("here/t", "it is relative"),
        ("az://c/t", "Account must be specified"),
    ],
)
def test_places_that_cannot_be_opened(location: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_USE_EMULATOR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UnsupportedLocationError) as caught:
        Stores().open(location)
    assert reason in caught.value.message


def test_an_option_that_nobody_knows() -> None:
    with pytest.raises(UnsupportedLocationError, match="bogus"):
        Stores({"bogus": "1"}).open("s3://b/t")
