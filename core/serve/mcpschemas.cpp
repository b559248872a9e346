// SPDX-License-Identifier: GPL-3.0-or-later
// Tools and their schemas.
#include "core/serve/mcpschemas.h"

namespace cudal1::serve {

using nlohmann::json;

namespace {

const char* const toolsText = R"json([
{"name": "list_tasks", "title": "List tasks",
 "description": "The tasks of the suite with their state in the project: task (LEVEL/ID), name, number of variants, best speed-up.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
   "level": {"type": "integer", "minimum": 0, "description": "Only tasks of this level"},
   "search": {"type": "string", "description": "Only tasks whose id or name contains this, in any case"},
   "split": {"type": "string", "enum": ["train", "held_out"], "description": "Only tasks of this split"},
   "offset": {"type": "integer", "minimum": 0, "description": "Leave out so many at the beginning"},
   "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "At most so many (default 300)"}}},
 "outputSchema": {"type": "object", "required": ["suite", "tasks", "total"], "properties": {
   "suite": {"type": "string"}, "total": {"type": "integer"},
   "tasks": {"type": "array", "items": {"type": "object", "required": ["task", "name", "level"]}}}}},
{"name": "show_task", "title": "Show a task",
 "description": "A task's reference source, and what is known of it before anything runs: inputs, parameters, operations, bytes that must move, floor.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["task"], "properties": {
   "task": {"type": "string", "description": "LEVEL/ID, such as 1/12"},
   "operators": {"type": "boolean", "description": "List the operators of one forward pass too"}}},
 "outputSchema": {"type": "object", "required": ["task", "name", "source"], "properties": {
   "task": {"type": "string"}, "name": {"type": "string"}, "source": {"type": "string"}}}},
{"name": "evaluate", "title": "Judge a candidate",
 "description": "Judges Python source that defines ModelNew against a task: whether it is correct, and how much faster it is than the reference, with an interval. Takes seconds to minutes and reports progress. The candidate becomes a variant of the project.",
 "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["source"], "properties": {
   "task": {"type": "string", "description": "LEVEL/ID, such as 1/12"},
   "reference": {"type": "string", "description": "Instead of task: the source of a module with Model, get_inputs and get_init_inputs"},
   "source": {"type": "string", "description": "The whole candidate: Python that defines ModelNew"},
   "device": {"type": "string", "description": "cpu or cuda:0 (default: what this judge serves)"},
   "preset": {"type": "string", "enum": ["quick", "standard", "paper"], "description": "How thoroughly; paper takes 20 minutes"},
   "precision": {"type": "string", "enum": ["kernelbench", "ieee", "tf32"]},
   "seed": {"type": "integer", "minimum": 0, "description": "Of inputs and initialisation (default: drawn)"},
   "cached": {"type": "boolean", "description": "An earlier evaluation of this very source with these settings will do"},
   "parent": {"type": "integer", "minimum": 1, "description": "The variant that this one was made from"}}},
 "outputSchema": {"type": "object", "required": ["summary", "verdict", "reasons", "reward"], "properties": {
   "summary": {"type": "string"}, "verdict": {"type": "string"},
   "reasons": {"type": "array", "items": {"type": "object", "required": ["code", "text"]}},
   "reward": {"type": ["number", "null"]}, "reward_estimate": {"type": ["number", "null"]},
   "interval": {"type": ["object", "null"]}, "variant": {"type": "integer"}, "evaluation": {"type": "integer"}}}},
{"name": "compare", "title": "Compare two variants",
 "description": "Whether one variant is faster than another of the same task: faster, slower, same or unclear, with the ratio and its interval.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["first", "second"], "properties": {
   "first": {"type": "integer", "minimum": 1, "description": "Number of a variant"},
   "second": {"type": "integer", "minimum": 1, "description": "Number of another variant"}}},
 "outputSchema": {"type": "object", "required": ["first", "second", "verdict", "ratio"], "properties": {
   "verdict": {"type": "string", "enum": ["faster", "slower", "same", "unclear"]}}}},
{"name": "timeline", "title": "Record a timeline",
 "description": "Runs a few calls of the reference and of a candidate, and tells what took the time: operators, kernels, copies, gaps. The candidate is run, not judged.",
 "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
   "task": {"type": "string", "description": "LEVEL/ID; not needed with a variant"},
   "variant": {"type": "integer", "minimum": 1, "description": "Number of the variant to run beside the reference"},
   "source": {"type": "string", "description": "Instead of variant: Python that defines ModelNew"},
   "device": {"type": "string"},
   "precision": {"type": "string", "enum": ["kernelbench", "ieee", "tf32"]},
   "calls": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Timed calls of each side (default 3)"},
   "rows": {"type": "integer", "minimum": 1, "maximum": 200, "description": "At most so many rows a table (default 12)"}}},
 "outputSchema": {"type": "object", "required": ["task", "reference"], "properties": {
   "task": {"type": "string"}, "reference": {"type": "object"}, "candidate": {"type": ["object", "null"]}}}},
{"name": "variants", "title": "List variants",
 "description": "The variants of a task, best first, each with its newest verdict and speed-up.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["task"], "properties": {
   "task": {"type": "string", "description": "LEVEL/ID"},
   "source": {"type": "boolean", "description": "With the source of each"},
   "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "At most so many (default 20)"}}},
 "outputSchema": {"type": "object", "required": ["task", "variants", "total"], "properties": {
   "variants": {"type": "array", "items": {"type": "object", "required": ["variant", "verdict"]}}}}},
{"name": "baselines", "title": "List baselines",
 "description": "What the framework's own switches make of a task (eager, torch.compile, CUDA graphs, TF32), where the project has measured it.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["task"], "properties": {
   "task": {"type": "string", "description": "LEVEL/ID"}}},
 "outputSchema": {"type": "object", "required": ["task", "baselines"], "properties": {
   "baselines": {"type": "array", "items": {"type": "object", "required": ["baseline", "verdict"]}}}}},
{"name": "kernels", "title": "List a variant's kernels",
 "description": "The device code that was captured of a variant's own kernels (by `cudal1 kernels VARIANT --capture`): names, sizes and PTX.",
 "annotations": {"readOnlyHint": true, "openWorldHint": false},
 "inputSchema": {"type": "object", "additionalProperties": false, "required": ["variant"], "properties": {
   "variant": {"type": "integer", "minimum": 1, "description": "Number of a variant"},
   "ptx": {"type": "boolean", "description": "With the PTX of each module"}}},
 "outputSchema": {"type": "object", "required": ["variant", "captures"], "properties": {
   "captures": {"type": "array", "items": {"type": "object"}}}}}
])json";

} // namespace

const json& toolList()
{
    static const json tools = json::parse(toolsText);
    return tools;
}

} // namespace cudal1::serve
