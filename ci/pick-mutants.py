#!/usr/bin/env python3
"""Picks the machine-made mutants of cuda/mutants/machine.txt from all that universalmutator makes of the kernels.

They are ordered by a hash of the seed and of what they change, so that an edit elsewhere leaves the choice alone; taken
are the first that compile to object code of their own. Reasons of survivors are carried over. `make machine-mutants
MUTATE=.../bin/mutate` runs it; universalmutator comes from PyPI and is needed for nothing else.
"""

import argparse
import dataclasses
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

sys.dont_write_bytecode = True
import mutant_rows  # noqa: E402
import mutants  # noqa: E402
from mutant_rows import ROOT, SOURCES  # noqa: E402

TABLE = SOURCES / "mutants/machine.txt"
# what only words a sentence for people: judged to be there, and by nobody what it says
WORDS = re.compile(r"\b(?:pa_say|v?snprintf)\([^;]*;|\[AT_\w+\] = \"[^\n]*|\bnames\[\] = [^;]*;|"
                   r"static const char \*shape_text\(.*?\n}|\bSHAPE_TEXT = [^\n]*", re.DOTALL)
# whose mutants the suites of refusals are the likeliest to see
REFUSAL_FILES = ("cuda/gates.c", "cuda/node_rules.c", "cuda/call_rules.c", "cuda/warmed.c")


@dataclasses.dataclass(frozen=True)
class Change:
    file: str
    find: tuple
    replace: tuple

    def order(self, seed):
        return hashlib.sha256(repr((seed, self.file, self.find, self.replace)).encode()).digest()


def unique_lines(lines, at):
    """The line with as many of those before it as make it unique."""
    text = "\n".join(lines)
    for before in range(at + 1):
        found = lines[at - before:at + 1]
        if found[0].strip() and len(re.findall(mutant_rows.pattern_of(found), text)) == 1:
            return found
    return None


def change_of(path, original, given, mutated, passed_over):
    """One line that differs; None where it is only a line's indent, more than a line, or one to pass over."""
    differ = [i for i, (a, b) in enumerate(zip(given, mutated)) if a.strip() != b.strip()]
    if len(given) != len(mutated) or len(differ) != 1 or differ[0] in passed_over or not original[differ[0]].strip():
        return None
    at = differ[0]
    found = unique_lines(original, at)
    if found is None:
        return None
    found = [line.strip() for line in found]
    return Change(str(path.relative_to(ROOT)), tuple(found), tuple(found[:-1] + [mutated[at].strip()]))


def legible(text):
    """For a tool that passes over lines with a comment, and over all behind "{-", which opens one in FunC."""
    without = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    return without.replace("{-", "{ -")


def lines_of(matches, text):
    return {line for m in matches for line in range(text.count("\n", 0, m.start()), text.count("\n", 0, m.end()) + 1)}


def changes_of(mutate, path):
    original, given = path.read_text(), legible(path.read_text())
    words = lines_of(WORDS.finditer(given), given)
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder, "source.c" if path.suffix == ".c" else "source.cpp"), pathlib.Path(folder, "out")
        source.write_text(given)
        out.mkdir()
        subprocess.run([mutate, source, "--noCheck", "--mutantDir", out], cwd=folder, check=True, capture_output=True)
        for made in sorted(out.iterdir()):
            mutated = made.read_text(errors="replace").splitlines()
            change = change_of(path, original.splitlines(), given.splitlines(), mutated, words)
            if change is not None:
                yield change


def object_code(tools, change, folder):
    """The compiled bytes, without what tells of lines; None where it does not compile."""
    hunk = mutant_rows.Hunk(change.file, list(change.find), list(change.replace)) if change.find else None
    mutant = mutant_rows.Mutant("probe", "machine", "", hunks=[hunk] if hunk else [])
    name = pathlib.Path(change.file).name
    source, to = folder / name, folder / "probe.o"
    source.write_text(mutant_rows.apply(mutant)[name] if hunk else (ROOT / change.file).read_text())
    plain = {key: [w for w in words if w not in ("-g", "-MMD", "-MP")] for key, words in tools.items()}
    try:
        mutants.compile_source(plain, source, to)
    except mutant_rows.Broken:
        return None
    return to.read_bytes()


def reasons():
    """Fields and reasons of the rows that are there, by what they change."""
    rows = mutant_rows.read_table(TABLE) if TABLE.exists() else []
    return {(m.hunks[0].file, tuple(m.hunks[0].find), tuple(m.hunks[0].replace)):
            [f"{name}: {m.field(name)}" for name in ("equivalent", "survives") if m.field(name)] for m in rows}


def pick(tools, changes, seed, count, known):
    """`count` changes, and those proved equivalent that come before the last of them."""
    seen, picked = {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for change in sorted(changes, key=lambda c: c.order(seed)):
            if change.file not in seen:
                seen[change.file] = {object_code(tools, Change(change.file, (), ()), folder)}
            codes, code = seen[change.file], object_code(tools, change, folder)
            if code is None or code in codes:
                continue
            codes.add(code)
            picked.append(change)
            count -= not any(line.startswith("equivalent:") for line in known.get(dataclasses.astuple(change), []))
            if count == 0:
                break
    return picked


def write_table(picked, made, seed, version, known):
    head = (f"{len(picked)} of the {made} mutants that universalmutator {version} makes of the kernels: the first, by a "
            f"hash with seed {seed}, that compile to object code of their own; lines that word a sentence are passed over. "
            "Written by ci/pick-mutants.py, which carries over why a mutant is equivalent, or survives.")
    rows = textwrap.wrap(head, 120, initial_indent="# ", subsequent_indent="# ") + [""]
    for number, change in enumerate(picked, 1):
        rows.append(f"mutant machine-{number:03}")
        for line in known.get(dataclasses.astuple(change), []):
            rows += textwrap.wrap(line, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        if change.file in REFUSAL_FILES:
            rows.append("cases: refusals/* gaps/*")
        rows.append(f"file: {change.file}")
        rows += [f"- {line}".rstrip() for line in change.find]
        rows += [f"+ {line}".rstrip() for line in change.replace] + [""]
    TABLE.write_text("\n".join(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mutate", help="universalmutator's program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="beside those proved equivalent")
    a = parser.parse_args()
    tools = mutants.tools_from_environment()
    version = subprocess.run([pathlib.Path(a.mutate).with_name("python"), "-c",
                              "import importlib.metadata as m; print(m.version('universalmutator'))"],
                             check=True, capture_output=True, text=True).stdout.strip()
    changes = {c for path in sorted([*SOURCES.glob("*.c"), *SOURCES.glob("*.cu")]) for c in changes_of(a.mutate, path)}
    known = reasons()
    picked = pick(tools, changes, a.seed, a.count, known)
    write_table(picked, len(changes), a.seed, version, known)
    print(f"{len(picked)} of {len(changes)} mutants are in {TABLE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
