"""Compiled templates on disk, so that one question does not pay for compiling the words of its answer.

Jinja keeps them as marshalled code, which runs when it is loaded: the folder is therefore used only when it belongs
to this user and nobody else may write to it. Everything that goes wrong with it only costs time.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, FileSystemBytecodeCache

from advisor.files import cache_directory, is_private, private_cache


def _folder_name() -> str:
    """Compiled code fits one Python, one Jinja and one set of filters: those of `render/` as it stands."""
    filters = hashlib.sha256()
    for path in sorted(Path(__file__).with_name("render").glob("*.py")):
        filters.update(path.read_bytes())
    return f"templates-{sys.implementation.cache_tag}-jinja{jinja2.__version__}-{filters.hexdigest()[:10]}"


class _Cache(FileSystemBytecodeCache):
    """A cache that never fails: what cannot be read is compiled, what cannot be written is not kept."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the code of a template; a broken file counts as none."""
        try:
            super().load_bytecode(bucket)
        except (OSError, ValueError, EOFError, TypeError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        try:
            super().dump_bytecode(bucket)
        except OSError:
            return


def compiled_templates() -> FileSystemBytecodeCache | None:
    """The cache, or None where no folder can be had that is this user's alone."""
    folder = cache_directory() / _folder_name()
    try:
        if private_cache(make=True) is None:
            return None
        folder.mkdir(mode=0o700, exist_ok=True)
        if not is_private(folder):
            return None
    except OSError:
        return None
    return _Cache(str(folder))
