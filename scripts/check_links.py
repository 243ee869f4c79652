#!/usr/bin/env python3
"""Checks that every relative link in a Markdown file names something that exists.

usage: scripts/check_links.py

Reads the files that git tracks, links in code blocks excepted. Exits with 1 and names file, line
and link.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def faults_of(name):
    in_code = False
    for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
        if line.startswith("```"):
            in_code = not in_code
        for target in [] if in_code else LINK.findall(line):
            path = target.split("#")[0]
            if not path or re.match(r"[a-z]+:", path):
                continue
            if not ((ROOT / name).parent / path).exists():
                yield f"{name}:{number}: {target} does not exist"


def main():
    files = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.split()
    faults = [fault for name in files if (ROOT / name).is_file() for fault in faults_of(name)]
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
