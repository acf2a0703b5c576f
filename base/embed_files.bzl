"""Files as part of a program."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def embed_files(name, files, **kwargs):
    """A library of a header NAME.h with a function in namespace tessera for each file.

    Args:
      name: of the library.
      files: dict from a function's name to the file whose contents, an absl::string_view, it gives.
      **kwargs: of the library.
    """
    functions = [
        "inline absl::string_view {}() {{ return {{reinterpret_cast<const char*>(k{}), sizeof(k{})}}; }}".format(function, function, function)
        for function in files
    ]
    commands = ["exec > $@", "echo '#pragma once'", "echo '#include \"absl/strings/string_view.h\"'", "echo 'namespace tessera {'"]
    for function, file in files.items():
        commands += [
            "echo 'inline constexpr unsigned char k{}[] = {{'".format(function),
            "od -An -v -tu1 $(location {}) | sed 's/ \\+/,/g; s/^,//; s/$$/,/'".format(file),
            "echo '};'",
        ]
    commands += ["echo '{}'".format(text) for text in functions + ["}  // namespace tessera"]]
    native.genrule(
        name = name + "_header",
        srcs = files.values(),
        outs = [name + ".h"],
        cmd = "\n".join(commands),
    )
    cc_library(
        name = name,
        hdrs = [name + ".h"],
        deps = ["//third_party/absl:strings"],
        **kwargs
    )
