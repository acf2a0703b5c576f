"""A repository of Python packages: their wheels' members in one folder, `site`, for PYTHONPATH."""

load("//third_party/wheels:fetch_wheels.bzl", "WHEELS_ATTRS", "fetch_wheels")

def _python_wheels_impl(rctx):
    rctx.symlink(fetch_wheels(rctx), "site")
    rctx.symlink(rctx.attr.build_file, "BUILD.bazel")

python_wheels = repository_rule(
    implementation = _python_wheels_impl,
    environ = ["XDG_CACHE_HOME"],
    local = False,
    attrs = WHEELS_ATTRS,
)
