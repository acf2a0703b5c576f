"""The rules that are built into Bazel 4, under the names that its own tools load."""

proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
