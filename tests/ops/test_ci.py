"""What prepares a machine for the tests leaves it as it was, and takes only what is pinned."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "sh", "dirname", "id", "tee", "chmod", "rm", "cat")


def bare_machine(folder: Path, apt_ends: int) -> tuple[Path, dict[str, str]]:
    """A copy of the script beside tools that only note what they were asked, on a machine that lacks everything."""
    tools = folder / "bin"
    tools.mkdir(parents=True)
    for name in TOOLS:
        (tools / name).symlink_to(shutil.which(name) or "")
    notes = {
        "apt-get": f'cat "$XUANKA_POLICY_RC_D" >> "$NOTES"\nexit {apt_ends}',
        "sudo": 'shift\nexec "$@"',
        "python3": "exit 1",
    }
    for name, body in notes.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    (folder / "tests" / "peers").mkdir(parents=True)
    (folder / "tests" / "peers" / "setup.sh").write_text('echo "#!/bin/sh" > "$TOOLS/make"; chmod +x "$TOOLS/make"\n')
    environment = {
        "PATH": str(tools),
        "TOOLS": str(tools),
        "NOTES": str(folder / "notes"),
        "XUANKA_POLICY_RC_D": str(folder / "policy-rc.d"),
    }
    return folder / ".ci" / "run", environment


@pytest.mark.parametrize("apt_ends", [0, 1])
@pytest.mark.parametrize("before", [None, "#!/bin/sh\nexit 0\n"])
def test_the_policy_of_the_machine_is_put_back_also_when_apt_fails(
    tmp_path: Path, apt_ends: int, before: str | None
) -> None:
    script, environment = bare_machine(tmp_path / "project", apt_ends)
    policy = Path(environment["XUANKA_POLICY_RC_D"])
    if before is not None:
        policy.write_text(before)
    ended = subprocess.run([script], env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == apt_ends, ended.stderr
    held = before or "#!/bin/sh\nexit 101\n"
    assert Path(environment["NOTES"]).read_text() == held * (1 if apt_ends else 2)
    assert (policy.read_text() if policy.exists() else None) == before


@pytest.mark.parametrize("name", ["requirements.lock", "tests/peers/requirements-peers.txt"])
def test_every_version_is_pinned_with_hashes(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[A-Za-z0-9_.\[\]-]+==[^\s;]+", entry), entry[:80]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]


@pytest.mark.parametrize("name", ["requirements-ask.lock", "requirements-web.lock"])
def test_what_a_question_or_the_page_needs_is_locked_as_in_the_whole(name: str) -> None:
    whole = set(re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text(encoding="utf-8").strip()))
    part = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
    assert len(part) > 15
    assert set(part) <= whole


def test_the_peers_that_are_asked_for_are_those_that_are_pinned() -> None:
    asked = (ROOT / "tests/peers/requirements-peers.in").read_text(encoding="utf-8")
    pinned = (ROOT / "tests/peers/requirements-peers.txt").read_text(encoding="utf-8")
    wanted = [re.sub(r"\[.*?\]", "", line) for line in asked.splitlines() if line and not line.startswith("#")]
    assert wanted
    for one in wanted:
        assert re.search(rf"^{re.escape(one)}[ ;\\]", pinned.replace("[lua]", "").replace("[server]", ""), re.M), one
    setup = (ROOT / "tests/peers/setup.sh").read_text(encoding="utf-8")
    assert "--require-hashes" in setup
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
