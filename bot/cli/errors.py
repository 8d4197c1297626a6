"""Expected trouble at the edge of the command line: one line that says what to do."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

from advisor.errors import BadData

_EXTRAS: Final = {
    "telegram": "telegram",
    "websockets": "wecom",
    "defusedxml": "wecom",
    "cryptography": "wecom",
    "starlette": "web",
    "uvicorn": "web",
    "prometheus_client": "web",
    "valkey": "valkey",
    "matplotlib": "charts",
    "mcp": "mcp",
    "discord": "discord",
    "lark_channel": "feishu",
}
"""Library -> extra that brings it."""


def needs(library: str) -> None:
    """Stop before anything else is missing. Raises ModuleNotFoundError for a library that is not installed."""
    if find_spec(library) is None:
        raise ModuleNotFoundError(f"No module named {library!r}", name=library)


def guarded(run: Callable[[], object]) -> None:
    """Run a command. Faulty data, settings or an occupied port end with lines and status 2, a closed pipe silently."""
    try:
        run()
    except BadData as error:
        sys.exit(_tell(str(error), "Run `python -m bot check` after mending the files."))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except (ValueError, RuntimeError) as error:
        sys.exit(_tell(*_expected(error)))
    except ModuleNotFoundError as error:
        sys.exit(_tell(_missing(error)))
    except OSError as error:
        sys.exit(_tell(_about_listening(error)))


def _expected(error: Exception) -> tuple[str, ...]:
    """Lines of an error that names what to do; anything else is raised again.

    Errors are known by their shape, so that no command imports settings, stores or channels just to name them.
    """
    lines = getattr(error, "lines", None)
    if lines is not None:
        return tuple(lines)
    kind = type(error).__name__
    if kind == "StoreUnavailable":
        return (f"The store cannot be used: {error}. Check XUANKA_STORE.",)
    if kind.endswith("StartError"):
        return (str(error),)
    raise error


def _about_listening(error: OSError) -> str:
    """Why the port cannot be opened; any other trouble is raised again."""
    if error.errno == errno.EADDRINUSE:
        return "The port is in use: set XUANKA_HTTP_PORT to another one, or stop what listens there."
    if error.errno == errno.EADDRNOTAVAIL or type(error).__name__ == "gaierror":
        return "XUANKA_HTTP_HOST is no address of this machine: use 127.0.0.1, 0.0.0.0 or ::."
    if error.errno == errno.EACCES and error.filename is None:
        return "XUANKA_HTTP_PORT may not be opened by this user: use a port above 1023."
    raise error


def _missing(error: ModuleNotFoundError) -> str:
    """Which extra holds the missing library; a missing module of our own is raised again."""
    extra = _EXTRAS.get((error.name or "").split(".", 1)[0])
    if extra is None:
        raise error
    return f"This needs the extra `{extra}`: pip install 'xuanka[{extra}]'"


def _tell(*lines: str) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return 2
