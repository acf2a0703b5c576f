"""A repository of C++ headers and libraries that come inside Python wheels."""

def _wheel_repository_impl(rctx):
    home = rctx.os.environ.get(rctx.attr.home_variable, "")
    if home:
        for folder in ("include", "lib"):
            if not rctx.path(home + "/" + folder).exists:
                fail("%s is %s, which has no folder '%s'. Point it to an installation of %s, or unset it." %
                     (rctx.attr.home_variable, home, folder, rctx.name))
        rctx.symlink(home + "/include", "include")
        rctx.symlink(home + "/lib", "lib")
    else:
        lock = rctx.path(rctx.attr._lock)
        cache = rctx.os.environ.get("XDG_CACHE_HOME", rctx.os.environ.get("HOME", "/tmp") + "/.cache")
        key = "-".join([_pin(rctx, lock, name)[:8] for name in sorted(rctx.attr.members)])
        root = "%s/tessera/wheels/%s-%s" % (cache, rctx.name, key)
        wants = ["%s=%s" % (name, ",".join(prefixes)) for name, prefixes in sorted(rctx.attr.members.items())]
        rctx.report_progress("fetching " + ", ".join(sorted(rctx.attr.members)))
        result = rctx.execute(
            ["python3", rctx.path(rctx.attr._fetch), lock, root] + wants,
            timeout = 3600,
        )
        if result.return_code != 0:
            fail(result.stderr.strip())
        rctx.symlink(root + "/" + rctx.attr.include, "include")
        for library in rctx.attr.libraries:
            rctx.symlink(root + "/" + library, "lib/" + library.split("/")[-1])
    rctx.symlink(rctx.attr.build_file, "BUILD.bazel")

def _pin(rctx, lock, name):
    for line in rctx.read(lock).splitlines():
        if line.startswith(name + "=="):
            return line.split(" ")[1]
    fail("%s pins no wheel called %s" % (lock, name))

wheel_repository = repository_rule(
    implementation = _wheel_repository_impl,
    environ = ["LIBTORCH_HOME", "ARROW_HOME", "XDG_CACHE_HOME"],
    local = False,
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "home_variable": attr.string(mandatory = True, doc = "Names an installation to use instead."),
        "include": attr.string(mandatory = True, doc = "The include folder inside the wheels."),
        "libraries": attr.string_list(mandatory = True, doc = "Library files inside the wheels."),
        "members": attr.string_list_dict(mandatory = True, doc = "Wheel name -> path prefixes to extract."),
        "_fetch": attr.label(default = "//third_party/wheels:fetch.py", allow_single_file = True),
        "_lock": attr.label(default = "//third_party/wheels:wheels.lock", allow_single_file = True),
    },
)
