# SPDX-License-Identifier: GPL-3.0-or-later
# device: any
# task: linear_relu
# Starts a thread while it is built, waits until that is ready, a tenth of a second, and ends it.
import threading
import time

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.settings = {}
        ready = threading.Event()

        def look_up():
            time.sleep(0.1)
            self.settings["bias"] = True
            ready.set()

        worker = threading.Thread(target=look_up)
        worker.start()
        ready.wait(10)
        worker.join()

    def forward(self, x):
        return torch.relu(self.linear(x))
