"""A live StreamingDataset yields the ids that //data:streaming --print_order prints, rank by rank.

usage: order_interop_test.py STREAMING_BINARY
"""

import os
import socket
import subprocess
import sys
import tempfile
import unittest

from streaming import MDSWriter

STREAMING = os.path.abspath(sys.argv[1])

# Run in one process a rank, as a launcher does.
READER = """
import sys
from torch.utils.data import DataLoader
from streaming import StreamingDataset
local, batch, workers, algo, epochs = sys.argv[1], *map(int, sys.argv[2:4]), sys.argv[4], int(sys.argv[5])
dataset = StreamingDataset(local=local, batch_size=batch, shuffle=algo != "none",
                           shuffle_algo="py1e" if algo == "none" else algo, shuffle_block_size=200)
for _ in range(epochs):
    for ids in DataLoader(dataset, batch_size=batch, num_workers=workers, collate_fn=list):
        print(*[sample["i"] for sample in ids])
    print("end", flush=True)
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def live(folder, batch, world, workers, algo, epochs):
    """[epoch][rank] = batches."""
    processes = []
    port = str(free_port())
    for rank in range(world):
        env = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=str(rank),
                   LOCAL_WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        processes.append(subprocess.Popen(
            [sys.executable, "-c", READER, folder, str(batch), str(workers), algo, str(epochs)],
            env=env, stdout=subprocess.PIPE, text=True))
    ranks = []
    try:
        for process in processes:
            out, _ = process.communicate(timeout=60)
            assert process.returncode == 0, out
            ranks.append([part.split("\n")[:-1] for part in out.split("end\n")[:-1]])
    finally:
        for process in processes:
            process.kill()
    return [list(rank[epoch] for rank in ranks) for epoch in range(epochs)]


def printed(folder, batch, world, workers, algo, epoch, rank):
    arguments = ["data.shuffle=false"] if algo == "none" else [
        f"data.streaming.shuffle_algo={algo.upper()}"]
    out = subprocess.run(
        [STREAMING, f"--local={folder}", "--print_order", f"--epoch={epoch}", f"--world={world}",
         f"--workers={max(workers, 1)}", f"--rank={rank}", f"train_batch_size={batch * world}",
         "data.streaming.shuffle_block_size=200", *arguments],
        check=True, capture_output=True, text=True).stdout
    return out.splitlines()


class OrderInteropTest(unittest.TestCase):
    def test_live_orders(self):
        with tempfile.TemporaryDirectory() as folder:
            with MDSWriter(out=folder, columns={"i": "int"}, size_limit=700) as writer:
                for i in range(523):
                    writer.write({"i": i})
            for algo in ("py1e", "py1s", "py1br", "py2s", "naive", "none"):
                for world, workers in ((1, 0), (1, 2), (2, 0), (2, 2)):
                    with self.subTest(algo=algo, world=world, workers=workers):
                        epochs = live(folder, 8, world, workers, algo, 2)
                        for epoch, ranks in enumerate(epochs):
                            for rank, batches in enumerate(ranks):
                                self.assertEqual(
                                    batches,
                                    printed(folder, 8, world, workers, algo, epoch, rank))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
