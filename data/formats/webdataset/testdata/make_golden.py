"""Writes the tars that the other cases here (with what webdataset makes of them,
expected_webdataset.json) lack. Run it in this folder.

Made with Python 3.11.7, webdataset 1.0.2 and GNU tar 1.34.
"""

import io
import lzma
import os
import subprocess
import tarfile
import tempfile
import unicodedata

import webdataset

PLAIN = "ustar_basic.tar"
LONG_FOLDER = "p" * 80 + "/" + "q" * 60  # with a name it fits ustar's prefix, but not its name


def add(tar, name, contents, **pax_headers):
    info = tarfile.TarInfo(name)
    info.size = len(contents)
    info.pax_headers = pax_headers
    tar.addfile(info, io.BytesIO(contents))


def written():
    """What WebDatasetWriter has to write, too."""
    with webdataset.TarWriter("written.tar", mtime=0, encoder=False) as writer:
        writer.write({"__key__": "a", "jpg": b"J" * 513, "cls": b"1", "left.png": b""})
        writer.write({"__key__": "na\u00efve", "txt": b"x" * 512})
        writer.write({"__key__": LONG_FOLDER + "/b", "txt": b"y"})


def gnu_tar():
    """Four kinds of sparse files, and a tar from before ustar."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "a.bin"), "wb") as file:
            file.write(b"begin")
            file.seek(100_000)
            file.write(b"end")
        with open(os.path.join(folder, "a.cls"), "wb") as file:
            file.write(b"7")
        common = ["--sparse", "-C", folder, "a.bin", "a.cls"]
        subprocess.run(["tar", "--format=gnu", "-cf", "sparse_gnu.tar", *common], check=True)
        for version in ["0.0", "0.1", "1.0"]:
            subprocess.run(["tar", "--format=posix", f"--sparse-version={version}", "-cf",
                            f"sparse_{version}.tar", *common], check=True)
        subprocess.run(["tar", "--format=v7", "-cf", "v7.tar", "-C", folder, "a.cls"], check=True)


def base256():
    """Sizes as GNU tar writes those from 8 GiB on."""
    with tarfile.open("base256.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        add(tar, "a.jpg", b"x" * 600)
        add(tar, "a.cls", b"1")
    with open("base256.tar", "r+b") as file:
        header = bytearray(file.read(512))
        header[124:136] = b"\x80" + (600).to_bytes(11, "big")
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        file.seek(0)
        file.write(header)


def pax():
    """Names that are not composed, and a size that stands in the PAX header alone."""
    with tarfile.open("pax_nfd.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        add(tar, unicodedata.normalize("NFD", "\u00e9.jpg"), b"x")
    with tarfile.open("pax_size.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        add(tar, "a.jpg", b"x" * 600, size="600")
        add(tar, "a.cls", b"1")
    with open("pax_size.tar", "r+b") as file:
        file.seek(1024)  # behind the PAX header and its block
        header = bytearray(file.read(512))
        header[124:136] = b"%011o\0" % 0
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        file.seek(1024)
        file.write(header)


def two_members():
    with open(PLAIN, "rb") as file:
        contents = file.read()
    with open("two_members.tar.xz", "wb") as file:
        file.write(lzma.compress(contents[:1500]) + lzma.compress(contents[1500:]))


if __name__ == "__main__":
    written()
    gnu_tar()
    base256()
    pax()
    two_members()
