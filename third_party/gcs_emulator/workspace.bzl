"""gcp-storage-emulator, a server that answers as Google Cloud Storage does."""

load("//third_party/wheels:python_wheels.bzl", "python_wheels")

def gcs_emulator():
    python_wheels(
        name = "gcs_emulator",
        build_file = "//third_party/gcs_emulator:gcs_emulator.BUILD",
        members = {
            "gcp-storage-emulator": ["gcp_storage_emulator"],
            "google-crc32c": ["google_crc32c"],
        },
    )
