#!/bin/sh
# Makes the environment that renders: Blender as a module (519 MB, Python 3.11) and Pillow.
# It stays apart from the library's own: bpy is GPL and is never imported by rivae.
#   tools/kitchen3d/make_env.sh FOLDER [PYTHON3.11]
set -eu
folder=${1:?usage: make_env.sh FOLDER [PYTHON3.11]}
"${2:-python3.11}" -m venv "$folder"
"$folder/bin/pip" install --quiet "bpy==4.2.0" "numpy>=1.26,<3" "pillow>=12,<14"
"$folder/bin/python" -c "import bpy; print('Blender', bpy.app.version_string)"
