#!/bin/sh
# Print a new folder in memory for the files of the tests, or nothing where there is no room for it.
# Usage: memory-folder.sh [PLACE]     (/dev/shm, where Linux keeps files in memory)
# What is kept for good waits for the disk at every step; thousands of tests would wait for minutes.

place=${1:-/dev/shm}
room=4194304 # KiB; the whole suite keeps about a quarter of it

free=$(df -Pk "$place" 2>/dev/null | awk 'NR == 2 { print $4 }')
memory=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo 2>/dev/null)
[ "${free:-0}" -ge "$room" ] && [ "${memory:-0}" -ge $((2 * room)) ] || exit 0
folder=$(mktemp -d "$place/rivae-tests-XXXXXX" 2>/dev/null) || exit 0
chmod 711 "$folder" # others may pass: a database that does not run as root has a folder in it

# Tests start programs that they write: not every system lets it.
printf '#!/bin/sh\n' >"$folder/program" && chmod +x "$folder/program"
if "$folder/program" 2>/dev/null; then
    rm "$folder/program"
    printf '%s\n' "$folder"
else
    rm -r "$folder"
fi
