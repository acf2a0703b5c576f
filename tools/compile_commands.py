#!/usr/bin/env python3
"""Writes compile_commands.json, from which clangd and other editors know how each file is compiled."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

# Flags of GCC that Clang refuses.
GCC_ONLY = {"-fno-canonical-system-headers"}


def compile_actions(bazel: list[str], targets: str) -> list[dict]:
    """The C++ compile actions of `targets`, as Bazel would run them."""
    query = f'mnemonic("CppCompile", {targets})'
    command = bazel + ["aquery", "--output=jsonproto", "--include_artifacts=false", query]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if result.returncode != 0:
        sys.exit(f"ERROR: {' '.join(command)} ended with code {result.returncode}")
    return json.loads(result.stdout).get("actions", [])


def bazel_info(bazel: list[str], key: str) -> str:
    command = bazel + ["info", key]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True)
    if result.returncode != 0:
        sys.exit(f"ERROR: {' '.join(command)} ended with code {result.returncode}")
    return result.stdout.strip()


def source_of(arguments: list[str]) -> str | None:
    """What `-c` names; None for an action that compiles nothing, such as a header check."""
    return arguments[arguments.index("-c") + 1] if "-c" in arguments else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Run it in the workspace: python3 tools/compile_commands.py. Generated headers "
        "(protobuf) are found once the targets have been built.",
    )
    parser.add_argument("--bazel", default="bazel", help="command and startup options")
    parser.add_argument("--targets", default="//...", help="which targets' files to list")
    parser.add_argument("--output", default="compile_commands.json")
    arguments = parser.parse_args()
    workspace = pathlib.Path(__file__).resolve().parent.parent
    os.chdir(workspace)
    bazel = arguments.bazel.split()

    # Commands run in the workspace, so that headers are found as the files that are edited; what
    # lies elsewhere gets its full path.
    folders = {
        "bazel-out": bazel_info(bazel, "output_path"),
        "external": bazel_info(bazel, "output_base") + "/external",
    }

    def full_path(argument: str) -> str:
        return re.sub(
            r"^(-I|-iquote|-isystem)?(bazel-out|external)(?=/)",
            lambda match: (match[1] or "") + folders[match[2]],
            argument,
        )

    entries = {}
    for action in compile_actions(bazel, arguments.targets):
        source = source_of(action["arguments"])
        if source is None or source in entries:
            continue
        entries[source] = {
            "directory": str(workspace),
            "file": full_path(source),
            "arguments": [full_path(a) for a in action["arguments"] if a not in GCC_ONLY],
        }
    temporary = pathlib.Path(arguments.output + ".tmp")
    temporary.write_text(json.dumps(list(entries.values()), indent=1) + "\n")
    temporary.replace(arguments.output)
    print(f"{arguments.output}: {len(entries)} files")


if __name__ == "__main__":
    main()
