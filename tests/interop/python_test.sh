#!/bin/bash
# Runs a test script in the virtual environment that make_venv.sh makes.
set -euo pipefail

home=$(getent passwd "$(id -u)" | cut -d: -f6)
python=${TESSERA_INTEROP:-$home/.cache/tessera/interop}/bin/python
if [[ ! -x $python ]]; then
  echo "no $python: run tests/interop/make_venv.sh first, or set TESSERA_INTEROP to its folder" >&2
  exit 1
fi
exec env OMP_NUM_THREADS=1 "$python" "$@"
