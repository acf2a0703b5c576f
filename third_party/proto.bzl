"""A proto library and its C++ code, side by side: `foo_proto` and `foo_cc_proto`."""

def tessera_proto(name, srcs, deps = [], visibility = None):
    """Declares `{name}_proto` and `{name}_cc_proto`.

    Args:
      name: Without the suffix.
      srcs: The .proto files.
      deps: proto_library targets.
      visibility: Of both targets.
    """
    native.proto_library(
        name = name + "_proto",
        srcs = srcs,
        visibility = visibility,
        deps = deps,
    )
    native.cc_proto_library(
        name = name + "_cc_proto",
        visibility = visibility,
        deps = [":" + name + "_proto"],
    )
