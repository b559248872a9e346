# SPDX-License-Identifier: GPL-3.0-or-later
# device: cpu
# task: marked_ids
# needs: compiler x86_64
# Has a pool of threads in C that is woken for large inputs alone. With inputs as small as these the threads wait at all times, each
# in another way that libraries use, and every time that the process is stopped and goes on, they are too.
import ctypes
import os
import shutil
import subprocess

import torch
import torch.nn as nn

SOURCE = r"""
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;

static void* waits(void* way)
{
    switch ((long)way) {
    case 0:
        for (;;)
            poll(0, 0, -1);
    case 1:
        for (;;)
            sleep(1000);
    default:
        pthread_mutex_lock(&lock);
        for (;;)
            pthread_cond_wait(&wanted, &lock);
    }
}

void start(int count)
{
    for (long i = 0; i < count; ++i) {
        pthread_t thread;
        pthread_create(&thread, 0, waits, (void*)i);
    }
}
"""


def pool(count):
    with open("pool.c", "w") as file:
        file.write(SOURCE)
    subprocess.run([shutil.which("cc") or "g++", "-O2", "-shared", "-fPIC", "-o", "pool.so", "pool.c", "-lpthread"], check=True)
    library = ctypes.CDLL(os.path.abspath("pool.so"))
    library.start(count)
    return library


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = pool(4)

    def forward(self, ids):
        return torch.zeros(512, 2048).scatter_(1, ids[:, None], 1.0)
