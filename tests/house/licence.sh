#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every source file names its licence in its first two lines.
set -eu
cd "$(dirname "$0")/../.."
status=0
for f in Makefile .ci/run $(scripts/c-files) $(find scripts tests python examples -name "*.sh" -o -name "*.py" -o -name "*.pyi") bench/python/run scripts/* completion/ludens.* man/*.py man/make-pages src/web/pages/*.js src/web/pages/*.css src/web/pages/*.html src/web/pages/*.py; do
    if ! head -n 2 "$f" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later'; then
        echo "$f does not name its licence in its first two lines"
        status=1
    fi
done
exit $status
