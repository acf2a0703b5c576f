"""The schema with its comments, as a file that a binary can hold."""

def _descriptor_set_impl(ctx):
    proto = ctx.attr.proto[ProtoInfo]
    out = ctx.actions.declare_file(ctx.label.name + ".bin")
    args = ctx.actions.args()
    args.add_all(["--include_imports", "--include_source_info"])
    args.add(out, format = "--descriptor_set_out=%s")
    args.add_all(proto.direct_sources)
    ctx.actions.run(
        executable = ctx.file._protoc,
        arguments = [args],
        inputs = proto.transitive_sources,
        outputs = [out],
        mnemonic = "DescriptorSet",
    )
    return [DefaultInfo(files = depset([out]))]

descriptor_set = rule(
    doc = "A FileDescriptorSet of a proto_library and all that it imports, with comments.",
    implementation = _descriptor_set_impl,
    attrs = {
        "proto": attr.label(mandatory = True, providers = [ProtoInfo]),
        "_protoc": attr.label(default = "@debian//:bin/protoc", allow_single_file = True),
    },
)
