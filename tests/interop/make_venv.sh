#!/bin/bash
# Makes the virtual environment of the tests that are tagged `external` (3 GB, most of it torch).
# usage: tests/interop/make_venv.sh [FOLDER]   (default ~/.cache/tessera/interop)
set -euo pipefail

folder=${1:-$HOME/.cache/tessera/interop}
requirements=$(dirname -- "${BASH_SOURCE[0]}")/requirements.txt

if [[ -e $folder/complete ]] && cmp -s "$requirements" "$folder/complete"; then
  echo "$folder is complete"
  exit 0
fi
python3 -m venv "$folder"
"$folder/bin/pip" install --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$folder/complete"
