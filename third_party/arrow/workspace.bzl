"""Arrow C++: libraries and headers of the pyarrow wheel, or ARROW_HOME."""

load("//third_party/wheels:wheel_repository.bzl", "wheel_repository")

def arrow():
    wheel_repository(
        name = "arrow",
        build_file = "//third_party/arrow:arrow.BUILD",
        home_variable = "ARROW_HOME",
        include = "pyarrow/include",
        libraries = [
            "pyarrow/libarrow.so.2600",
            "pyarrow/libarrow_s3.so.2600",
        ],
        members = {
            "pyarrow": [
                "pyarrow/include/arrow/",
                "pyarrow/libarrow.so",
                "pyarrow/libarrow_s3.so",
            ],
        },
    )
