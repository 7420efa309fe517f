#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# All C files are laid out as .clang-format says (`make format` does it).
set -eu
cd "$(dirname "$0")/../.."
command -v clang-format >/dev/null || exit 77
scripts/c-files | xargs clang-format --dry-run -Werror
