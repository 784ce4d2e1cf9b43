#!/usr/bin/env bash
# Installs a browser for the tests of torchopt.visual's pages, which are skipped where there is none.
set -euo pipefail

if command -v chromedriver > /dev/null && { command -v chromium || command -v google-chrome; } > /dev/null; then
    echo "install_browser: a browser is installed"
elif [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "install_browser: needs root and apt-get, so the tests that open a page are skipped"
elif apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --no-install-recommends -y chromium chromium-driver fonts-dejavu-core; then
    echo "install_browser: installed chromium"
else
    echo "install_browser: apt-get could not install chromium, so the tests that open a page are skipped"
fi
