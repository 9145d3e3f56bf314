#!/usr/bin/env bash
# Installs the pinned CLIs and the Node SDK into their cache folder, once per lock. Needs node and npm.
# The folder is PULLCEPT_CLI_DIR, else pullcept-cli in the user's cache.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case "$(uname -s)" in
    Darwin) cache="$HOME/Library/Caches" ;;
    *) cache="${XDG_CACHE_HOME:-$HOME/.cache}" ;;
esac
folder="${PULLCEPT_CLI_DIR:-$cache/pullcept-cli}"
mkdir -p "$folder"
if cmp -s "$here/package-lock.json" "$folder/installed-lock.json"; then
    echo "the pinned CLIs are in $folder"
    exit 0
fi
rm -f "$folder/installed-lock.json"
cp "$here/package.json" "$here/package-lock.json" "$folder/"
npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund
cp "$here/package-lock.json" "$folder/installed-lock.json"
echo "the pinned CLIs were installed into $folder"
