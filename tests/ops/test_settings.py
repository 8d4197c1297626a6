"""Settings: all faults at once, by name, never with the value; secrets never printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.channels.telegram.run import Telegram
from bot.cli.serve import run_serve
from bot.settings import Settings, SettingsError, load_settings, misspelt, require, require_webhook_secret
from bot.stores.memory import MemoryStore

SECRET = "123456:AAF-very-secret-token"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"XUANKA_{name.upper()}", raising=False)


def test_all_faults_are_told_at_once_and_none_shows_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {
        "HTTP_PORT": "eighty",
        "STORE": "mysql://root:hunter2@db",
        "TELEGRAM_MODE": "pigeon",
        "WORKERS": "0",
        "TELEGRAM_BASE_URL": "ftp://hunter2",
        "LOG_LEVEL": "loud",
    }
    for name, value in faults.items():
        monkeypatch.setenv(f"XUANKA_{name}", value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    told = "\n".join(caught.value.lines)
    assert {line.split(":")[0] for line in caught.value.lines} == {f"XUANKA_{name}" for name in faults}
    assert not [value for value in faults.values() if len(value) > 3 and value in told]
    assert "hunter2" not in told


@pytest.mark.parametrize("value", ["sqlite:///", "valkey://", "sqlite://relative", "files"])
def test_a_store_address_that_names_nothing_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("XUANKA_STORE", value)
    with pytest.raises(SettingsError, match="XUANKA_STORE: use sqlite:///PATH"):
        load_settings()


def test_secrets_print_as_stars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_TELEGRAM_TOKEN", SECRET)
    settings = load_settings()
    assert SECRET not in repr(settings)
    assert SECRET not in str(settings.model_dump())
    assert settings.telegram_token is not None
    assert settings.telegram_token.get_secret_value() == SECRET


def test_environment_goes_before_files_and_lists_read_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("xuanka.toml").write_text(
        'workers = 3\ngrace_s = 7\nadmins = ["telegram:1", "wecom:aib:lin"]\n[api_keys]\nci = "a-long-enough-key"\n',
        encoding="utf-8",
    )
    Path(".env").write_text("XUANKA_GRACE_S=9\n", encoding="utf-8")
    monkeypatch.setenv("XUANKA_DENY_CHATS", "telegram:-1, telegram:5:6  wecom:c")
    settings = load_settings()
    assert (settings.workers, settings.grace_s) == (3, 9.0)
    assert settings.admins == ("telegram:1", "wecom:aib:lin")
    assert settings.deny_chats == ("telegram:-1", "telegram:5:6", "wecom:c")
    assert {name: key.get_secret_value() for name, key in settings.api_keys.items()} == {"ci": "a-long-enough-key"}
    assert "a-long-enough-key" not in repr(settings)


@pytest.mark.parametrize("name", ["ADMINS", "ALLOW_CHATS", "DENY_CHATS", "ALLOW_USERS", "DENY_USERS"])
@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("777", "entry 1 names no channel:"),
        ("telegram:1, lin", "entry 2 names no channel:"),
        ("telegrm:777", "entry 1 names no channel that can vouch for an id"),
        ("web:777", "entry 1 names no channel that can vouch for an id"),
        ("api:777", "entry 1 names no key of the API"),
        ("telegram:", "entry 1 is not channel:bot:id"),
        ("telegram::777", "entry 1 is not channel:bot:id"),
        ("telegram:1:2:3", "entry 1 is not channel:bot:id"),
        ("telegram:@lin", "entry 1 holds something else than numbers"),
        ("777 lin", "entry 1 names no channel; entry 2 names no channel"),
    ],
)
def test_an_id_without_its_origin_is_refused_with_the_way_to_write_it(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, fault: str
) -> None:
    monkeypatch.setenv(f"XUANKA_{name}", value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (line,) = caught.value.lines
    assert line.startswith(f"XUANKA_{name}: {fault}")
    assert "write channel:bot:id - telegram:BOT:ID" in line
    assert "lin" not in line


@pytest.mark.parametrize(
    "value",
    [
        "short=123",
        "no name and no key at all",
        "é=0123456789abcdef",
        "a=0123456789abcdef a=fedcba9876543210",
        "a=0123456789abcdef b=0123456789abcdef",
    ],
)
def test_keys_of_the_api_that_could_be_guessed_or_mixed_up_are_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("XUANKA_API_KEYS", value)
    with pytest.raises(SettingsError, match="XUANKA_API_KEYS") as caught:
        load_settings()
    assert "0123456789abcdef" not in str(caught.value)


@pytest.mark.parametrize("secret", [None, "", " ", "two words", "ключ", "x" * 257])
def test_webhook_mode_does_not_start_without_a_secret(monkeypatch: pytest.MonkeyPatch, secret: str | None) -> None:
    monkeypatch.setenv("XUANKA_TELEGRAM_TOKEN", "123:abc")
    monkeypatch.setenv("XUANKA_TELEGRAM_MODE", "webhook")
    if secret is not None:
        monkeypatch.setenv("XUANKA_TELEGRAM_WEBHOOK_SECRET", secret)
    with pytest.raises(SettingsError, match="XUANKA_TELEGRAM_WEBHOOK_SECRET is missing"):
        run_serve()
    with pytest.raises(SettingsError, match="XUANKA_TELEGRAM_WEBHOOK_SECRET is missing"):
        Telegram(load_settings(), MemoryStore())
    monkeypatch.setenv("XUANKA_TELEGRAM_WEBHOOK_SECRET", "a_Good-1")
    require_webhook_secret(load_settings())


def test_a_file_that_is_no_toml_is_named() -> None:
    Path("xuanka.toml").write_text("workers = = 3", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"xuanka\.toml cannot be read"):
        load_settings()


def test_what_a_command_cannot_do_without_is_listed_whole() -> None:
    with pytest.raises(SettingsError) as caught:
        require(load_settings(), "wecom_bot_id", "wecom_secret")
    assert [line.split(" ")[0] for line in caught.value.lines] == ["XUANKA_WECOM_BOT_ID", "XUANKA_WECOM_SECRET"]


def test_a_misspelt_setting_is_named_with_the_one_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XUANKA_TELEGRAM_TOKN", SECRET)
    Path(".env").write_text("XUANKA_HTTP_PRT=80\n# XUANKA_OLD=1\n", encoding="utf-8")
    load_settings()
    assert "XUANKA_TELEGRAM_TOKN: there is no such setting; did you mean XUANKA_TELEGRAM_TOKEN?" in caplog.text
    assert "did you mean XUANKA_HTTP_PORT?" in caplog.text
    assert "XUANKA_OLD" not in caplog.text
    assert SECRET not in caplog.text


def test_what_a_cluster_sets_is_no_misspelt_setting() -> None:
    told = {
        "XUANKA_PORT": "tcp://10.0.0.1:80",
        "XUANKA_SERVICE_HOST": "10.0.0.1",
        "XUANKA_PORT_80_TCP_ADDR": "10.0.0.1",
    }
    assert misspelt(told) == []
