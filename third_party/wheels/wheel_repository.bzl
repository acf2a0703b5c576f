"""A repository of C++ headers and libraries that come inside Python wheels."""

load("//third_party/wheels:fetch_wheels.bzl", "WHEELS_ATTRS", "fetch_wheels")

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
        root = fetch_wheels(rctx, " Or set %s to an installation that you have." % rctx.attr.home_variable)
        rctx.symlink(root + "/" + rctx.attr.include, "include")
        for library in rctx.attr.libraries:
            rctx.symlink(root + "/" + library, "lib/" + library.split("/")[-1])
    rctx.symlink(rctx.attr.build_file, "BUILD.bazel")

wheel_repository = repository_rule(
    implementation = _wheel_repository_impl,
    environ = ["LIBTORCH_HOME", "ARROW_HOME", "XDG_CACHE_HOME"],
    local = False,
    attrs = dict(
        WHEELS_ATTRS,
        home_variable = attr.string(mandatory = True, doc = "Names an installation to use instead."),
        include = attr.string(mandatory = True, doc = "The include folder inside the wheels."),
        libraries = attr.string_list(mandatory = True, doc = "Library files inside the wheels."),
    ),
)
