"""Every setting of the bot as one typed object: environment (prefix XUANKA_), `.env`, or `xuanka.toml`.

Secrets are SecretStr, so they print as stars. All faults are reported at once, one line each.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from bot.identity import read_identities

PREFIX = "XUANKA_"
_LOG: Final = logging.getLogger("xuanka.settings")
_NOT_SETTINGS: Final = frozenset(f"{PREFIX}{name}" for name in ("CACHE_DIR", "PEERS", "POLICY_RC_D", "SOAK"))
"""Variables with our prefix that something else than the settings reads."""
_ASSIGNED: Final = re.compile(rf"^\s*(?:export\s+)?({PREFIX}[A-Z0-9_]+)\s*=", re.MULTILINE)
_CLUSTER: Final = re.compile(r"_SERVICE_(?:HOST|PORT\w*)$|_PORT_\d+_(?:TCP|UDP)(?:_\w+)?$")
_LIKE: Final = 0.8
"""Likeness of two names from which one is taken for a slip of the other."""
_KEY_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_ORIGIN: Final = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?")
_SHORTEST_KEY: Final = 16
"""Characters of a key of the API: short ones can be guessed."""
_WEBHOOK_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""What Telegram takes as a secret token. Source: Bot API, setWebhook."""


class SettingsError(ValueError):
    """Settings are missing or wrong. `lines` says for each what to do."""

    def __init__(self, lines: list[str]) -> None:
        """Keep the lines; the message is their list."""
        self.lines = tuple(lines)
        super().__init__("\n".join(lines))


Names = Annotated[tuple[str, ...], NoDecode]
Keys = Annotated[dict[str, SecretStr], NoDecode]


class Settings(BaseSettings):
    """What an operator may set. Names in the environment carry the prefix XUANKA_."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        toml_file="xuanka.toml",
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    # Telegram
    telegram_token: SecretStr | None = None
    telegram_base_url: str = "https://api.telegram.org"
    telegram_mode: Literal["polling", "webhook"] = "polling"
    telegram_webhook_secret: SecretStr | None = None
    telegram_webhook_url: str = ""
    telegram_inline: bool = True
    telegram_guests: bool = False
    """Answer where people summon the bot without its being a member (Bot API 10.0)."""
    telegram_limits: bool = True
    """Stay below Telegram's sending limits; off only for another Bot API server and for benchmarks."""

    # Discord
    discord_token: SecretStr | None = None

    # Feishu, Lark
    feishu_app_id: str = ""
    feishu_secret: SecretStr | None = None
    feishu_base_url: str = "https://open.feishu.cn"

    # WeCom
    wecom_bot_id: str = ""
    wecom_secret: SecretStr | None = None
    wecom_ws_url: str = "wss://openws.work.weixin.qq.com"
    wecom_token: SecretStr | None = None
    wecom_aes_key: SecretStr | None = None
    wecom_bot_name: str = ""
    wecom_receive_id: str = ""
    wecom_alert_webhook: SecretStr | None = None
    """Address of a group push robot that gets the operators' alarms."""
    wecom_app_corp_id: str = ""
    """With token and AES key: a self-built app is answered, too (single chats only)."""
    wecom_app_token: SecretStr | None = None
    wecom_app_aes_key: SecretStr | None = None

    # state and transport
    store: str = "sqlite:///xuanka.sqlite"
    http_host: str = "127.0.0.1"
    http_port: int = Field(default=8080, ge=0, le=65535)
    http_public_url: str = ""
    http_trusted_proxies: Names = ()
    """Addresses or networks of proxies whose X-Forwarded-For tells who asks."""
    http_origins: Names = ()
    """Origins (https://docs.example.org) whose pages may call the API and embed the chat."""
    http_per_minute: int = Field(default=600, ge=0, le=1_000_000)
    """Requests of one address (0: no limit); callers with a key and the platforms have none."""
    http_mb_per_minute: int = Field(default=8, ge=0, le=100_000)
    """Megabytes of bodies of one address (0: no limit)."""
    health_port: int = Field(default=0, ge=0, le=65535)
    """A port of its own for /healthz, /readyz and /metrics, which no crowd on the other one can reach (0: none)."""
    signing_key: SecretStr | None = None
    """Signs buttons; alike on all replicas. Unset: derived from the channel's own secret."""

    api_keys: Keys = {}
    """name=key: callers of the API who send the key are known as `api:name:user`; all others are only answered."""

    # who may ask, and how much
    allow_chats: Names = ()
    deny_chats: Names = ()
    allow_users: Names = ()
    deny_users: Names = ()
    admins: Names = ()
    user_per_minute: int = Field(default=20, ge=1, le=10_000)
    chat_per_minute: int = Field(default=60, ge=1, le=10_000)
    bot_per_second: int = Field(default=200, ge=1, le=100_000)
    stale_after_s: int = Field(default=600, ge=10)
    allow_broadcast: bool = False

    # conversation and privacy
    default_language: Literal["zh", "en"] = "zh"
    conversation_ttl_s: int = Field(default=1800, ge=60, le=86_400)
    keep_texts: bool = False
    """Keep the wording of unanswered questions for the gap report. Off: only counts of normalised shapes."""
    retention_days: int = Field(default=30, ge=1, le=365)
    id_salt: SecretStr | None = None
    share_chat_prices: bool = False
    """Whether the middle price of at least three chats is shown in others."""
    """Hashes ids in logs and metrics; alike on all replicas."""

    # operation
    workers: int = Field(default=8, ge=1, le=256)
    grace_s: float = Field(default=20.0, ge=1, le=300)
    lease_s: float = Field(default=30.0, ge=2, le=600)
    warm_up: bool = True
    """Do beforehand, between messages, what is otherwise done on first use. Off where a core or memory is dear."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    data_dir: str = ""
    """Folder with `advisor/data`, `knowledge` and `templates` laid over the shipped ones (empty: shipped data)."""

    @field_validator(
        "allow_chats",
        "deny_chats",
        "allow_users",
        "deny_users",
        "admins",
        "http_trusted_proxies",
        "http_origins",
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        """Accept "1, 2" from the environment and lists from TOML."""
        if isinstance(value, str):
            return tuple(part for part in value.replace(",", " ").split() if part)
        if isinstance(value, (list, tuple)):
            return tuple(str(part) for part in value)
        return value

    @field_validator("allow_chats", "deny_chats", "allow_users", "deny_users", "admins")
    @classmethod
    def _with_origin(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """An id alone could be typed by anybody: it counts only with the channel and bot that vouch for it."""
        read_identities(value)
        return value

    @field_validator("http_trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            try:
                ip_network(one)
            except ValueError:
                raise ValueError("use addresses or networks, such as 10.0.0.0/8") from None
        return value

    @field_validator("http_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """An origin is a scheme and a host: a path or a star would say something else than it seems to."""
        if not all(_ORIGIN.fullmatch(one) for one in value):
            raise ValueError("use origins, such as https://docs.example.org, separated by spaces or commas")
        return value

    @field_validator("api_keys", mode="before")
    @classmethod
    def _split_keys(cls, value: object) -> object:
        """Accept "name=key, other=key" from the environment and a table from TOML."""
        if not isinstance(value, str):
            return value
        pairs = [part.partition("=") for part in value.replace(",", " ").split()]
        if len({name for name, _, _ in pairs}) < len(pairs):
            raise ValueError("a name stands there twice")
        return {name: key for name, _, key in pairs}

    @field_validator("api_keys")
    @classmethod
    def _good_keys(cls, value: dict[str, SecretStr]) -> dict[str, SecretStr]:
        keys = [key.get_secret_value() for key in value.values()]
        if not all(_KEY_NAME.fullmatch(name) for name in value) or any(len(key) < _SHORTEST_KEY for key in keys):
            raise ValueError(
                f"write name=key with names of letters, digits, _ and -, and keys of {_SHORTEST_KEY} characters or more"
            )
        if len(set(keys)) < len(keys):
            raise ValueError("two names have the same key")
        return value

    @field_validator("store")
    @classmethod
    def _known_store(cls, value: str) -> str:
        known = ("sqlite:///", "valkey://", "valkeys://", "redis://", "rediss://")
        if value != "memory:" and (not value.startswith(known) or value in known):
            raise ValueError("use sqlite:///PATH, valkey://HOST:PORT/DB or memory:")
        return value

    @field_validator("telegram_base_url", "wecom_ws_url", "telegram_webhook_url", "http_public_url", "feishu_base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://", "ws://", "wss://")):
            raise ValueError("must be an address with http(s):// or ws(s)://")
        return value.rstrip("/")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then environment, then .env, then xuanka.toml."""
        return init_settings, env_settings, dotenv_settings, TomlConfigSettingsSource(settings_cls)


def misspelt(environment: Mapping[str, str] | None = None, file: Path = Path(".env")) -> list[str]:
    """One line for each variable with our prefix, in the environment or the file, that is no setting.

    A misspelt name would else be ignored in silence. Names only; values are never shown.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields} | _NOT_SETTINGS
    told = os.environ if environment is None else environment
    given = [name for name, value in told.items() if name.startswith(PREFIX) and not _of_cluster(name, value)]
    if file.is_file():
        given += _ASSIGNED.findall(file.read_text(encoding="utf-8", errors="replace"))
    lines = []
    for name in sorted(set(given) - known):
        near = get_close_matches(name, sorted(known), 1, _LIKE)
        lines.append(f"{name}: there is no such setting" + (f"; did you mean {near[0]}?" if near else ""))
    return lines


def _of_cluster(name: str, value: str) -> bool:
    """Whether Kubernetes set it: it tells every pod of a namespace about the services there (XUANKA_PORT=tcp://...)."""
    return value.startswith(("tcp://", "udp://")) or bool(_CLUSTER.search(name))


def load_settings(**overrides: object) -> Settings:
    """Read the settings. Variables with our prefix that are no setting are named in the log.

    Raises:
        SettingsError: one line for each fault, naming the variable and what it takes; values are never shown.
    """
    for line in misspelt():
        _LOG.warning("%s", line)
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # pydantic validates what mypy cannot see
    except ValidationError as error:
        lines = []
        for fault in error.errors(include_input=False, include_url=False):
            name = PREFIX + "_".join(str(part) for part in fault["loc"]).upper()
            lines.append(f"{name}: {fault['msg'].removeprefix('Value error, ')}")
        raise SettingsError(lines) from None
    except (OSError, ValueError) as error:
        where = "xuanka.toml" if Path("xuanka.toml").exists() else ".env"
        raise SettingsError([f"{where} cannot be read: {type(error).__name__}"]) from None


def require_webhook_secret(settings: Settings) -> None:
    """Insist on the secret of webhook mode: without it anybody could pretend to be Telegram, and anybody in it.

    Raises:
        SettingsError: the mode is webhook and there is none, or one that Telegram does not take.
    """
    if not settings.telegram_token or settings.telegram_mode != "webhook":
        return
    secret = settings.telegram_webhook_secret
    if secret is None or not _WEBHOOK_SECRET.fullmatch(secret.get_secret_value()):
        raise SettingsError(
            [
                f"{PREFIX}TELEGRAM_WEBHOOK_SECRET is missing or not 1 to 256 letters, digits, _ and -: webhook mode"
                " does not start without it; make one with `openssl rand -hex 32`, alike on all replicas"
            ]
        )


def require(settings: Settings, *names: str) -> None:
    """Insist on settings that a command cannot do without.

    Raises:
        SettingsError: one line for each missing name.
    """
    missing = [name for name in names if not getattr(settings, name)]
    if missing:
        where = "set it in the environment, .env or xuanka.toml"
        raise SettingsError([f"{PREFIX}{name.upper()} is missing: {where}" for name in missing])
