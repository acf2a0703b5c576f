"""gcp-storage-emulator on a free port of this machine, for tests of stores.

usage: gcs_server.py --site FOLDER BUCKET

FOLDER holds gcp_storage_emulator and what it imports. Prints "port N" when it listens and the bucket
is there.
"""

import argparse
import os
import sys
import threading


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", required=True)
    parser.add_argument("bucket")
    args = parser.parse_args()
    standard = [path for path in sys.path if not path.endswith("-packages")]
    sys.path[:] = [os.path.abspath(args.site)] + standard

    from gcp_storage_emulator.server import create_server

    server = create_server("127.0.0.1", 0, in_memory=True, default_bucket=args.bucket)
    server.start()
    print("port", server._api._httpd.socket.getsockname()[1], flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
