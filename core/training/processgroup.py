# SPDX-License-Identifier: GPL-3.0-or-later
"""Has torch.distributed join the group of processes that the environment describes. cudal1-trainer embeds this; the group itself
is used from C++, which finds it by its name. A second group has connections that carry nothing: they break where a process dies."""
import datetime
import json


class Refused(Exception):
    """A group that cannot be joined, with a sentence for a person."""


def join(request):
    facts = json.loads(request)
    import torch
    import torch.distributed as distributed

    backend = "gloo"
    # NCCL begins to work with the first tensor on a GPU, so that nothing is lost where there is none.
    if distributed.is_nccl_available() and torch.cuda.device_count() > facts["local_rank"]:
        backend = "cpu:gloo,cuda:nccl"
        torch.cuda.set_device(facts["local_rank"])
    try:
        # Judging between two batches may take hours; that a process has died is seen by its connection.
        patience = datetime.timedelta(days=30)
        distributed.init_process_group(backend, init_method="env://", timeout=patience)
        watch = distributed.new_group(backend="gloo", timeout=patience)
    except (ValueError, RuntimeError, TypeError) as error:
        raise Refused(f"torch.distributed cannot join its group of processes: {error}") from error
    return json.dumps({"name": distributed.distributed_c10d._get_default_group().group_name, "watch": watch.group_name})


def leave(_request):
    import torch.distributed as distributed
    if distributed.is_initialized():
        distributed.destroy_process_group()
    return "null"
