"""Writes the pixels that Pillow decodes to golden/, and the files of extra/ that Pillow cannot write.

usage: python3 make_golden.py    (Pillow 13.0.0 with libjpeg-turbo 3.2.0, numpy 2)

golden/NAME.ppm is the image as convert("RGB"), golden/NAME.pgm the stored values of a mask. Files
that Pillow refuses have neither.
"""

import io
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).parent


def png(width, height, depth, color_type, passes):
    """A PNG of the given passes (one, or Adam7's seven), each a list of rows of packed bytes."""
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    header = struct.pack('>IIBBBBB', width, height, depth, color_type, 0, 0, len(passes) > 1)
    rows = b''.join(b'\0' + row for rows in passes for row in rows)
    return b'\x89PNG\r\n\x1a\n' + b''.join(
        [chunk(b'IHDR', header), chunk(b'IDAT', zlib.compress(rows)), chunk(b'IEND', b'')])


def packed(values, depth):
    bits = ''.join(format(v, f'0{depth}b') for v in values)
    bits += '0' * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def adam7(pixels):
    steps = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    parts = [pixels[y::dy, x::dx] for y, x, dy, dx in steps]
    return [[row.tobytes() for row in part] for part in parts if part.size]


def make_extra():
    y, x = np.mgrid[0:11, 0:13]
    rgb = np.stack([x * 19, y * 23, (x * y) % 256], axis=-1).astype(np.uint8)
    files = {
        'interlaced.png': png(13, 11, 8, 2, adam7(rgb)),
        'rgb16.png': png(13, 11, 16, 2, [[(r.astype('>u2') * 257 - 100 * (r > 0)).astype('>u2').tobytes() for r in rgb]]),
        'gray_alpha.png': png(13, 11, 8, 4, [[r[:, :2].tobytes() for r in rgb]]),
        'gray16_alpha.png': png(13, 11, 16, 4, [[(r[:, :2].astype('>u2') * 257).astype('>u2').tobytes() for r in rgb]]),
        'gray2.png': png(13, 11, 2, 0, [[packed((r[:, 0] % 4).tolist(), 2) for r in rgb]]),
        'gray4.png': png(13, 11, 4, 0, [[packed((r[:, 0] % 16).tolist(), 4) for r in rgb]]),
    }
    cmyk = np.stack([x * 19, y * 23, 255 - x * 19, x * 10], axis=-1).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(cmyk, 'CMYK').save(out, 'JPEG', quality=100, subsampling=0)
    files['cmyk.jpg'] = out.getvalue()
    (HERE / 'extra').mkdir(exist_ok=True)
    for name, data in files.items():
        (HERE / 'extra' / name).write_bytes(data)


def main():
    make_extra()
    (HERE / 'golden').mkdir(exist_ok=True)
    for path in sorted(p for d in ('fixtures', 'samples', 'extra') for p in (HERE / d).iterdir()):
        if path.suffix == '.json':
            continue
        try:
            image = Image.open(path)
            image.load()
        except OSError as error:
            print(f'{path.name}: {error}')
            continue
        golden = HERE / 'golden' / f'{path.parent.name}_{path.name}'
        image.convert('RGB').save(f'{golden}.ppm')
        if image.format == 'PNG' and image.mode in ('1', 'L', 'P'):
            # Pillow scales gray of 1, 2 and 4 bits: back to the values that the file stores.
            depth = path.read_bytes()[24]
            values = np.array(image)
            if image.mode == '1':
                values = values.astype(np.uint8)
            elif image.mode == 'L' and depth < 8:
                values = values // (255 // (2**depth - 1))
            Image.fromarray(values.astype(np.uint8)).save(f'{golden}.pgm')


if __name__ == '__main__':
    main()
