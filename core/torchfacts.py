# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints, as JSON, where a Python environment keeps libtorch, its own library and CUDA's, for CMake.

torch itself is not imported (that takes seconds); its version is read from the package's metadata.
"""
import glob
import importlib.metadata
import importlib.util
import json
import os
import sys
import sysconfig

WANTED = "2.11"


def main() -> None:
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("it has no torch; install torch==2.11.0, or run ./bootstrap")
    version = importlib.metadata.version("torch")
    if version.split("+")[0].rsplit(".", 1)[0] != WANTED:
        sys.exit(f"it has torch {version}, and this program is built against {WANTED}")
    root = spec.submodule_search_locations[0]
    if not os.path.exists(os.path.join(root, "lib", "libtorch_cuda.so")):
        sys.exit("its torch is built without CUDA; use the package from PyPI")

    include = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(include, "Python.h")):
        sys.exit(f"Python.h is missing in {include}; install python3-dev")
    name = sysconfig.get_config_var("INSTSONAME") or ""
    folders = [sysconfig.get_config_var(key) for key in ("LIBDIR", "LIBPL")] + [os.path.join(sys.base_prefix, "lib")]
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch:
        folders.append(os.path.join("/usr/lib", multiarch))
    python = next((p for f in folders if f and ".so" in name and os.path.exists(p := os.path.join(f, name))), None)
    if python is None:
        sys.exit("it has no shared library to embed (libpython); install python3-dev, or build Python with --enable-shared")

    # The wheels of CUDA 13 share one folder; a toolkit may stand in for it, and for headers that a wheel left out.
    roots = [os.path.join(os.path.dirname(root), "nvidia", "cu13"), os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    libraries, includes = [], []
    for cuda in filter(None, roots):
        if not libraries:
            found = [sorted(p for folder in ("lib", "lib64", "extras/CUPTI/lib64")
                            for p in glob.glob(os.path.join(cuda, folder, library + ".1[0-9]")))
                     for library in ("libcudart.so", "libcupti.so", "libnvrtc.so")]
            libraries = [paths[-1] for paths in found] if all(found) else []
        folders = [p for p in (os.path.join(cuda, "include"), os.path.join(cuda, "extras", "CUPTI", "include")) if os.path.isdir(p)]
        wanted = ("cuda_runtime_api.h", "cupti.h", os.path.join("crt", "host_defines.h"))
        if not includes and all(any(os.path.exists(os.path.join(f, header)) for f in folders) for header in wanted):
            includes = folders
    if not libraries or not includes:
        sys.exit("CUDA 13's runtime, CUPTI and NVRTC with their headers were not found beside torch or in /usr/local/cuda")
    print(json.dumps({"torch_root": root, "torch_version": version, "python_include": include, "python_library": python,
                      "cuda_include": ";".join(includes), "cuda_libraries": ";".join(libraries)}))


main()
