"""moto's S3 on a free port of this machine, for tests of stores.

usage: moto_server.py --site FOLDER [--check-signatures] BUCKET...

FOLDER holds moto and what it imports. Prints "port N" when it listens and the buckets are there.
With --check-signatures a request must be signed with the key "test-key" and the secret
"test-secret"; else any credentials do.
"""

import argparse
import json
import logging
import os
import sys


def check_signatures():
    """From now on only a user's requests are answered, who may do everything."""
    from moto import settings
    from moto.iam.models import iam_backends

    iam = iam_backends["123456789012"]["aws"]
    iam.create_user(region_name="us-east-1", user_name="test")
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    iam.put_user_policy("test", "all", json.dumps(policy))
    key = iam.create_access_key("test")
    key.access_key_id, key.secret_access_key = "test-key", "test-secret"
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", required=True)
    parser.add_argument("--check-signatures", action="store_true")
    parser.add_argument("bucket", nargs="*")
    args = parser.parse_args()
    # Without the machine's packages: of what is optional there may be versions that don't fit.
    standard = [path for path in sys.path if not path.endswith("-packages")]
    sys.path[:] = [os.path.abspath(args.site)] + standard

    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from moto.s3.models import s3_backends
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server(
        "127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
    for bucket in args.bucket:
        s3_backends["123456789012"]["aws"].create_bucket(bucket, "us-east-1")
    if args.check_signatures:
        check_signatures()
    print("port", server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
