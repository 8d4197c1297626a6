"""Settings: all faults at once, by name, never with the value; secrets never printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import Settings, SettingsError, load_settings, require

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
    Path("xuanka.toml").write_text('workers = 3\ngrace_s = 7\nadmins = ["a", 5]\n', encoding="utf-8")
    Path(".env").write_text("XUANKA_GRACE_S=9\n", encoding="utf-8")
    monkeypatch.setenv("XUANKA_DENY_CHATS", "telegram:-1, b  c")
    settings = load_settings()
    assert (settings.workers, settings.grace_s) == (3, 9.0)
    assert settings.admins == ("a", "5")
    assert settings.deny_chats == ("telegram:-1", "b", "c")


def test_a_file_that_is_no_toml_is_named() -> None:
    Path("xuanka.toml").write_text("workers = = 3", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"xuanka\.toml cannot be read"):
        load_settings()


def test_what_a_command_cannot_do_without_is_listed_whole() -> None:
    with pytest.raises(SettingsError) as caught:
        require(load_settings(), "wecom_bot_id", "wecom_secret")
    assert [line.split(" ")[0] for line in caught.value.lines] == ["XUANKA_WECOM_BOT_ID", "XUANKA_WECOM_SECRET"]
