# SPDX-License-Identifier: BSD-3-Clause
"""Every option in the documents' command lines exists: commands.py FOLDER_OF_PROGRAMS"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = {"./run.sh": "experiment", "./reproduce.sh": "reproduce"}
SCRIPT_OPTIONS = {"experiment": {"--quiet"}, "reproduce": set()}


def commands(text):
    """The program and the options of each command of an indented block, or in a sentence."""
    for line in re.findall(r"^ {4,}(.*)$|`([^`\n]*)`", text, re.MULTILINE):
        for command in re.split(r"&&|;|\|", re.sub(r"(^|\s)#.*", "", "".join(line))):
            words = command.split()
            for k, word in enumerate(words):
                program = SCRIPTS.get(word) or (re.fullmatch(r"(?:build/release/programs/)(\w+)", word) or [None] * 2)[1]
                if program:
                    yield program, [w.split("=")[0].rstrip(")`,'") for w in words[k + 1 :] if w.startswith("--")]


def main():
    programs = Path(sys.argv[1])
    known, wrong, count = {}, [], 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for program, options in commands(page.read_text().replace("\\\n", " ")):
            if program not in known:
                text = subprocess.run([programs / program, "--help"], capture_output=True, text=True, check=True).stdout
                known[program] = set(re.findall(r"--[\w-]+", text)) | SCRIPT_OPTIONS.get(program, set())
            count += len(options)
            wrong += [f"{page.relative_to(ROOT)}: {program} has no {o}" for o in options if o not in known[program]]
    print("\n".join(wrong) or f"{count} options in the documents' commands, all known")
    sys.exit(bool(wrong) or count == 0)


main()
