#!/bin/sh
# Installs what looks at the chat page beside these tests; does nothing when it is up to date.
set -eu
cd "$(dirname "$0")"
if [ -f node_modules/.installed ] && cmp -s package-lock.json node_modules/.installed; then
    exit 0
fi
if ! command -v npm >/dev/null; then
    echo "npm is missing: the peers of the chat page are not installed" >&2
    exit 0
fi
npm ci --silent --no-audit --no-fund --ignore-scripts
cp package-lock.json node_modules/.installed
