"""Puts members of pinned wheels into a folder of the user's cache.

usage: fetch.py LOCK OUT NAME=PREFIX[,PREFIX...] [NAME=...]

For each NAME the wheel that LOCK pins is fetched with pip (only when OUT is not complete yet), its
sha256 is compared, and the members that start with one of the PREFIXes are extracted; those that
start with a longer !PREFIX are not. OUT appears in one rename: a run that was interrupted leaves
nothing that a later run could take for complete.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

_PLATFORMS = [f"manylinux_2_{n}_x86_64" for n in (28, 27, 26, 25, 24, 17, 12, 5)] + [
    "manylinux2014_x86_64",
    "manylinux1_x86_64",
]


def read_lock(path):
    pins = {}
    with open(path, encoding="utf-8") as lock:
        for line in lock:
            line = line.split("#", 1)[0].split()
            if line:
                name, version = line[0].split("==")
                pins[name] = (version, line[1])
    return pins


def sha256(path):
    with open(path, "rb") as f:
        digest = hashlib.sha256()
        while chunk := f.read(1 << 20):
            digest.update(chunk)
        return digest.hexdigest()


def download(name, version, want, folder):
    """Returns the path of the wheel in `folder`; exits with one line on a failure."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
    command += ["--disable-pip-version-check", "--only-binary=:all:", "--python-version", "3.11"]
    for platform in _PLATFORMS:
        command += ["--platform", platform]
    result = subprocess.run(command + [f"{name}=={version}"], stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or ["no message"])[-1]
        sys.exit(
            f"{name}=={version} could not be downloaded with pip: {last}\n"
            "Check the network (PIP_INDEX_URL names a mirror, HTTPS_PROXY a proxy)."
        )
    (wheel,) = [f for f in os.listdir(folder) if f.endswith(".whl")]
    wheel = os.path.join(folder, wheel)
    found = sha256(wheel)
    if found != want:
        sys.exit(f"{name}=={version}: expected a wheel with sha256 {want}, found {found}")
    return wheel


def is_wanted(member, prefixes):
    fitting = [p for p in prefixes if member.startswith(p.lstrip("!"))]
    return bool(fitting) and not max(fitting, key=len).startswith("!")


def extract(wheel, prefixes, out):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if not member.is_dir() and is_wanted(member.filename, prefixes):
                archive.extract(member, out)


def main(argv):
    lock, out, wants = argv[1], argv[2], argv[3:]
    if os.path.isdir(out):
        return
    os.makedirs(os.path.dirname(out), exist_ok=True)
    # Several builds may start at once; one fetches, the others wait for it.
    with open(out + ".lock", "w", encoding="utf-8") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if os.path.isdir(out):
            return
        pins = read_lock(lock)
        partial = tempfile.mkdtemp(prefix=os.path.basename(out) + ".", dir=os.path.dirname(out))
        try:
            for want in wants:
                name, prefixes = want.split("=", 1)
                with tempfile.TemporaryDirectory(dir=partial) as folder:
                    wheel = download(name, *pins[name], folder)
                    extract(wheel, prefixes.split(","), partial)
            os.chmod(partial, 0o755)
            os.rename(partial, out)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv)
