#!/bin/sh
# Makes the environments of the peers beside the project's own; does nothing when they are up to date.
set -eu
cd "$(dirname "$0")/../.."
sh tests/peers/wecom/setup.sh
sh tests/peers/web/setup.sh
wanted=tests/peers/requirements-peers.txt
stamp=.venv-peers/.installed
if [ -f "$stamp" ] && cmp -s "$wanted" "$stamp"; then
    exit 0
fi
"${PYTHON:-python3}" -m venv .venv-peers
.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$wanted"
cp "$wanted" "$stamp"
