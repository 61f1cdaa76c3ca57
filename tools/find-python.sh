#!/bin/sh
# Print a Python that can run this project, or say in one line what is missing.
# Usage: find-python.sh [PYTHON]     (an empty or absent argument: look for one)
# Some `python3.x` on the path are shims that cannot start, so every candidate is started.

fits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'

if [ -n "$1" ]; then
    set -- "$1"
else
    set -- python3 python3.13 python3.12 python3.11 python3.14 python
fi

seen=""
for candidate in "$@"; do
    if "$candidate" -c "$fits" >/dev/null 2>&1; then
        if "$candidate" -c 'import venv, ensurepip' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            exit 0
        fi
        seen="${seen:-$candidate lacks the venv module: install it (Debian and Ubuntu: apt install python3-venv)}"
    fi
done

if [ -z "$seen" ]; then
    version=$("$1" -c 'import platform; print(platform.python_version())' 2>/dev/null)
    if [ -n "$version" ]; then
        seen="$1 is Python $version: Python 3.11 to 3.14 is needed (name one with PYTHON=...)"
    else
        seen="no working Python found as $*: install Python 3.11 or newer, or name one with PYTHON=..."
    fi
fi
printf '%s\n' "$seen" >&2
exit 1
