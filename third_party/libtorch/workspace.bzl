"""LibTorch: C++ libraries and headers of the torch wheel (CPU), or LIBTORCH_HOME."""

load("//third_party/wheels:wheel_repository.bzl", "wheel_repository")

def libtorch():
    wheel_repository(
        name = "libtorch",
        build_file = "//third_party/libtorch:libtorch.BUILD",
        home_variable = "LIBTORCH_HOME",
        include = "torch/include",
        # libtorch_cpu needs the two CUDA libraries when it is loaded, also on machines without a GPU.
        libraries = [
            "torch/lib/libtorch_cpu.so",
            "torch/lib/libc10.so",
            "torch/lib/libgomp.so.1",
            "nvidia/cu13/lib/libcudart.so.13",
            "nvidia/cu13/lib/libcupti.so.13",
        ],
        members = {
            "nvidia-cuda-cupti": ["nvidia/cu13/lib/libcupti.so"],
            "nvidia-cuda-runtime": ["nvidia/cu13/lib/libcudart.so"],
            "torch": [
                "torch/include/ATen/",
                "torch/include/c10/",
                "torch/include/caffe2/",
                "torch/include/torch/",
                "torch/lib/libtorch_cpu.so",
                "torch/lib/libc10.so",
                "torch/lib/libgomp.so.1",
            ],
        },
    )
