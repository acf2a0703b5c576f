"""A web server with scripted faults, for tests of stores. It needs nothing but Python.

usage: fault_server.py --folder FOLDER [--faults FILE] [--log FILE]

Serves the files of FOLDER on a free port of this machine and prints "port N" when it listens. Range
requests, HEAD, If-Match and ETags work as in S3, and errors have S3's XML, so that /BUCKET/KEY is an
object of a bucket, too.

FILE of --faults is a JSON object: decoded path -> list of steps. Each request of the path uses up
one step; when none is left the path is served without a fault. A step may have:
  times        use it for so many requests (default 1; -1: for ever)
  status       answer with this status and an S3 error ...
  code         ... of this name ("SlowDown")
  headers      more headers, also of good answers
  etag         the ETag of this answer
  ignore_range answer 200 with the whole object
  size         serve so many bytes, cut or filled with "+", as if the object had them
  no_length    no Content-Length: the connection's end is the end
  chunked      Transfer-Encoding: chunked
  gzip         Content-Encoding: gzip
  stop         after so many bytes of the contents ...
  how          ... "close" the connection, "reset" it, or "stall" until the client goes

--log appends a line of JSON for each request: method, path (as it came), headers, status, and the
client's port, by which connections can be counted.
"""

import argparse
import gzip
import hashlib
import http.server
import json
import os
import re
import socket
import struct
import threading
import urllib.parse


class Faults:
    def __init__(self, steps):
        self._steps = steps
        self._lock = threading.Lock()

    def take(self, path):
        """The step for the next request of `path`; {} where there's none."""
        with self._lock:
            steps = self._steps.get(path)
            if not steps:
                return {}
            step = steps[0]
            left = step.get("times", 1) - 1
            if left == 0:
                steps.pop(0)
            elif left > 0:
                step["times"] = left
            return step


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        path = urllib.parse.unquote(self.path.split("?", 1)[0])
        step = self.server.faults.take(path)
        if "status" in step:
            self.answer_error(step["status"], step.get("code", "Error"), step)
            return
        file = os.path.join(self.server.folder, path.lstrip("/"))
        if not os.path.isfile(file):
            self.answer_error(404, "NoSuchKey", step)
            return
        with open(file, "rb") as opened:
            contents = opened.read()
        if "size" in step:
            contents = contents[: step["size"]].ljust(step["size"], b"+")
        self.answer_contents(contents, step)

    do_HEAD = do_GET

    def answer_contents(self, contents, step):
        etag = step.get("etag", '"%s"' % hashlib.md5(contents).hexdigest())
        if self.headers.get("If-Match", etag) != etag:
            self.answer_error(412, "PreconditionFailed", step)
            return
        status, headers = 200, {"ETag": etag, "Accept-Ranges": "bytes"}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted and not step.get("ignore_range"):
            first = int(wanted[1])
            if first >= len(contents):
                self.answer_error(416, "InvalidRange", step)
                return
            last = min(int(wanted[2] or len(contents)), len(contents) - 1)
            status = 206
            headers["Content-Range"] = f"bytes {first}-{last}/{len(contents)}"
            contents = contents[first : last + 1]
        if step.get("gzip"):
            contents = gzip.compress(contents)
            headers["Content-Encoding"] = "gzip"
        if step.get("chunked"):
            headers["Transfer-Encoding"] = "chunked"
        elif step.get("no_length"):
            headers["Connection"] = "close"
        else:
            headers["Content-Length"] = str(len(contents))
        self.answer(status, headers, contents, step)

    def answer_error(self, status, code, step):
        text = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>by script</Message></Error>"
        headers = {"Content-Type": "application/xml", "Content-Length": str(len(text))}
        self.answer(status, headers, text.encode(), step)

    def answer(self, status, headers, contents, step):
        self.server.log(self, status)
        self.send_response(status)
        for name, value in {**headers, **step.get("headers", {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        stop = step.get("stop", len(contents))
        self.send(contents[:stop], "Transfer-Encoding" in headers, whole="stop" not in step)
        if "stop" in step:
            self.end_early(step.get("how", "close"))

    def send(self, contents, chunked, whole):
        if not chunked:
            self.wfile.write(contents)
            return
        for start in range(0, len(contents), 1000):
            piece = contents[start : start + 1000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if whole:
            self.wfile.write(b"0\r\n\r\n")

    def end_early(self, how):
        self.wfile.flush()
        if how == "stall":
            self.connection.recv(1)  # returns when the client gives up
        elif how == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        self.close_connection = True

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass  # the client went away

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass  # after a reset

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64

    def __init__(self, folder, faults, log):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.faults = faults
        self._log = log
        self._lock = threading.Lock()

    def log(self, request, status):
        if self._log is None:
            return
        line = {
            "method": request.command,
            "path": request.path,
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "status": status,
            "client_port": request.client_address[1],
        }
        with self._lock:
            self._log.write(json.dumps(line) + "\n")
            self._log.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--faults")
    parser.add_argument("--log")
    args = parser.parse_args()
    steps = {}
    if args.faults:
        with open(args.faults, encoding="utf-8") as file:
            steps = json.load(file)
    log = open(args.log, "a", encoding="utf-8") if args.log else None
    server = Server(args.folder, Faults(steps), log)
    print("port", server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
