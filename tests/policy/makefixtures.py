# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes fixtures/NAME.json anew: the source and the traced graph of references. Usage: makefixtures.py TRACE_FOLDER"""
import json
import os
import sys
import tempfile

import torch

import check_generated
import references

NAMES = ("diagonal_left", "upper", "constant_mean", "scaled_residual", "bias_relu", "conv_training_batch_norm", "sum_of_linear", "rms_norm",
         "conv_relu_bias", "dropout", "images", "capped", "grouped", "volumes", "deep",
         "group_images", "instance", "softmax_rows", "running_products", "running_sums_from_the_end", "exclusive_running_sums", "odd_matrices", "places_of_columns", "twice_pooled",
         "halves_of_layers")

tracer = check_generated.tracer_of(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as folder:
    for name in NAMES:
        module = check_generated.load(references.SOURCES[name], name, folder)
        graph = tracer.trace(check_generated.build(module.Model, module), module.get_inputs(), "cpu", 4000)
        # Times differ from run to run; round ones keep the file and what the tests expect stable.
        for node in graph["nodes"]:
            node["time_ns"] = 1000.0
        graph["total_ns"] = 1500.0 * len(graph["nodes"])
        with open(os.path.join(here, "fixtures", name + ".json"), "w") as file:
            json.dump({"source": references.SOURCES[name], "graph": graph}, file, indent=1)
            file.write("\n")
