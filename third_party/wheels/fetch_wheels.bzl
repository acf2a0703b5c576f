"""What the repositories that come from wheels have in common."""

WHEELS_ATTRS = {
    "build_file": attr.label(mandatory = True, allow_single_file = True),
    "members": attr.string_list_dict(mandatory = True, doc = "Wheel name -> path prefixes to extract."),
    "_fetch": attr.label(default = "//third_party/wheels:fetch.py", allow_single_file = True),
    "_lock": attr.label(default = "//third_party/wheels:wheels.lock", allow_single_file = True),
}

def fetch_wheels(rctx, advice = ""):
    """Fetches the members of the wheels, unless they are in the user's cache.

    Args:
      rctx: of a rule with WHEELS_ATTRS.
      advice: said after the message of a failure.

    Returns:
      the path of the folder that holds them.
    """
    lock = rctx.path(rctx.attr._lock)
    cache = rctx.os.environ.get("XDG_CACHE_HOME", rctx.os.environ.get("HOME", "/tmp") + "/.cache")
    wants = ["%s=%s" % (name, ",".join(prefixes)) for name, prefixes in sorted(rctx.attr.members.items())]
    pins = [_pin(rctx, lock, name) for name in sorted(rctx.attr.members)]
    root = "%s/tessera/wheels/%s_%d" % (cache, rctx.name, hash(" ".join(pins + wants)))
    rctx.report_progress("fetching " + ", ".join(sorted(rctx.attr.members)))
    result = rctx.execute(
        ["python3", rctx.path(rctx.attr._fetch), lock, root] + wants,
        timeout = 3600,
    )
    if result.return_code != 0:
        fail(result.stderr.strip() + advice)
    return root

def _pin(rctx, lock, name):
    for line in rctx.read(lock).splitlines():
        if line.startswith(name + "=="):
            return line.split(" ")[1]
    fail("%s pins no wheel called %s" % (lock, name))
