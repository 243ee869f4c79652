#!/usr/bin/env python3
"""Checks who includes whom: every folder may use only the folders that ALLOWED below lists.

usage: scripts/check_layers.py

Also checks the house rules that a script can see: no file over 600 lines, no `ifdef` outside
rtl/prim, RTL blocks instantiate only modules of their own folder, rtl/prim and rtl/float. Exits
with 1 and names file, line and rule.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folder -> folders whose headers it may include, besides its own.
ALLOWED = {
    "host/base": set(),
    "host/arch": {"host/base"},
    "host/isa": {"host/base", "host/arch"},
    "host/kernel": {"host/base", "host/arch", "host/isa"},
    "host/hal": {"host/base", "host/arch"},
    "host/graph": {"host/base"},
    "host/import": {"host/base", "host/graph"},
    "host/evaluator": {"host/base", "host/graph"},
    "host/compiler": {"host/base", "host/arch", "host/isa", "host/kernel", "host/graph",
                      "host/evaluator"},
    "host/runtime": {"host/base", "host/arch", "host/isa", "host/hal", "host/graph", "host/import",
                     "host/evaluator"},
    "host/tools": {"host/base", "host/arch", "host/isa", "host/kernel", "host/hal", "host/graph",
                   "host/import", "host/evaluator", "host/compiler", "host/runtime"},
    "sim/golden": {"host/base", "host/arch", "host/isa", "host/hal"},
    "sim/hbm_device": {"host/base", "host/arch"},
    "sim/rtl_sim": {"host/base", "host/arch", "host/hal", "sim/hbm_device"},
    "tb": {"host/base", "host/arch", "host/isa", "host/kernel", "sim/golden", "sim/hbm_device"},
}
# Tests, examples and benchmarks may use everything.
RTL_EXEMPT = {"chip"}
GENERATED = {"host/arch/isa.h", "docs/isa.md", "rtl/arch/isa_pkg.sv"}
MAX_LINES = 600


def folder_of(path):
    parts = path.split("/")
    if parts[0] == "tb":
        return "tb"
    return "/".join(parts[:2])


def main():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.split("\n")
    faults = []
    modules = {}
    for name in files:
        if name.endswith(".sv"):
            for match in re.finditer(r"^module\s+(\w+)", (ROOT / name).read_text(), re.M):
                modules[match.group(1)] = name
    for name in files:
        path = ROOT / name
        if not path.is_file() or path.suffix not in {".h", ".cc", ".sv", ".svh", ".py"}:
            continue
        text = path.read_text()
        lines = text.split("\n")
        if len(lines) > MAX_LINES and name not in GENERATED:
            faults.append(f"{name}: {len(lines)} lines, more than {MAX_LINES}")
        if path.suffix in {".h", ".cc"}:
            folder = folder_of(name)
            test = name.endswith("_test.cc") or path.name.startswith("test_")
            for number, line in enumerate(lines, 1):
                match = re.match(r'#include "((?:host|sim|tb)/[^"]+)"', line)
                if not match or folder not in ALLOWED or test:
                    continue
                used = folder_of(match.group(1))
                if used != folder and used not in ALLOWED[folder]:
                    faults.append(f"{name}:{number}: {folder} may not use {used}")
        if path.suffix in {".sv", ".svh"} and name.startswith("rtl/"):
            block = name.split("/")[1]
            for number, line in enumerate(lines, 1):
                if re.match(r"\s*`(ifdef|ifndef)", line) and block != "prim":
                    faults.append(f"{name}:{number}: conditional compilation outside rtl/prim")
                match = re.match(r"\s*(\w+)\s+(?:#\s*\(|u_\w+\s*\()", line)
                if match and match.group(1) in modules and block not in RTL_EXEMPT:
                    owner = modules[match.group(1)].split("/")[1]
                    if owner not in {block, "prim", "float"}:
                        faults.append(f"{name}:{number}: rtl/{block} may not instantiate "
                                      f"{match.group(1)}")
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
