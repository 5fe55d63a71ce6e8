#!/usr/bin/env python3
"""Mutants of the kernels compiled for the GPU: `build DIR` makes the subjects where nvcc is, `run DIR` judges them where a GPU is.

Each has to be caught: a subject that attest does not call FAILED survives, and the script fails.
"""

import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutants  # noqa: E402

TRIED = """barrier-before-scores barrier-after-scores barrier-after-weights lengths-at-capture table-at-capture slots-at-capture
nan-to-zero unmapped-read v-one-late head-next offsets-in-32-bits-read offsets-in-32-bits-write""".split()


def rows():
    tables = [*(mutants.SOURCES / "mutants").glob("*.txt"), *(mutants.SOURCES / "mutants" / "gpu").glob("*.txt")]
    known = {m.id: m for table in tables for m in mutants.read_table(table)}
    return [known[name] for name in TRIED]


def build(folder):
    for mutant in rows():
        work = folder / mutant.id
        work.mkdir(parents=True, exist_ok=True)
        changed = mutants.apply(mutant)
        for source in mutants.SOURCES.glob("*.c*"):
            (work / source.name).write_text(changed.get(source.name) or source.read_text())
        flags = ["-std=c++17", "-O2", "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_80,code=compute_80", "-DATTEST_CUDA",
                 "-Xcompiler", "-fPIC,-fvisibility=hidden,-iquote," + str(mutants.SOURCES)]
        objects = []
        for source in sorted(work.glob("*.c")) + sorted(work.glob("*.cu")):
            target = source.with_suffix(source.suffix + ".o")
            tool = ["nvcc", *flags] if source.suffix == ".cu" else ["cc", "-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-DATTEST_CUDA",
                                                                      "-iquote", str(mutants.SOURCES)]
            subprocess.run([*tool, "-c", str(source), "-o", str(target)], check=True)
            objects.append(str(target))
        script = mutants.SOURCES / "exports.map"
        subprocess.run(["nvcc", "-shared", "-cudart", "static", "-Xlinker", f"--version-script={script}", "-Xlinker", "--exclude-libs=ALL",
                        "-o", str(folder / f"{mutant.id}.so"), *objects], check=True)


def run(folder, attest):
    survivors = 0
    for mutant in rows():
        choice = ["-k", mutant.field("cases")] if mutant.field("cases") else ["--tier", "quick", "--max-fail", "4"]
        done = subprocess.run([attest, "run", "--subject", str((folder / f"{mutant.id}.so").resolve()), "--require-gpu", "--no-progress",
                               "--timeout", "120", "--out", str(folder / "runs" / mutant.id), *choice], capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        said = next((line.strip() for i, line in enumerate(lines) if i and lines[i - 1].startswith(("FAIL", "CRASH", "TIMEOUT"))), "")
        print(f"{'killed' if done.returncode == 1 else 'SURVIVED'} {mutant.id}: {said[:200]}")
        survivors += done.returncode != 1
    print(f"killed {len(TRIED) - survivors} of {len(TRIED)}")
    return survivors


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("build", "run"):
        sys.exit(__doc__)
    where = pathlib.Path(sys.argv[2])
    sys.exit(build(where) if sys.argv[1] == "build" else min(run(where, sys.argv[3] if len(sys.argv) > 3 else "build/attest"), 1))
