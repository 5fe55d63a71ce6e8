#!/usr/bin/env python3
"""Mutants of the kernels compiled for the GPU: `build DIR` makes the subjects where nvcc is, `run DIR [ATTEST]` judges them where a GPU is.

Each has to be caught. One with a message: fails one of ten calls; that has to cost this attempt alone, and the message to be in its record.
"""

import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutants  # noqa: E402

# of those that `make mutants` tries on the CPU; beside them all of cuda/mutants/gpu
ALSO = """barrier-before-scores barrier-after-scores barrier-after-weights lengths-at-capture table-at-capture slots-at-capture
nan-to-zero unmapped-read v-one-late head-next""".split()
TEN_CALLS = mutants.ROOT / "harness/tests/suites"
NVCC = ["nvcc", "-std=c++17", "-O2", "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_80,code=compute_80", "-DATTEST_CUDA",
        "-Xcompiler", f"-fPIC,-fvisibility=hidden,-iquote,{mutants.SOURCES}"]
CC = ["cc", "-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-DATTEST_CUDA", "-iquote", str(mutants.SOURCES)]


def rows():
    tables = sorted((mutants.SOURCES / "mutants").glob("*.txt"))
    known = {m.id: m for table in tables for m in mutants.read_table(table)}
    own = [m for table in sorted((mutants.SOURCES / "mutants/gpu").glob("*.txt")) for m in mutants.read_table(table)]
    return [known[name] for name in ALSO] + own


def build_one(mutant, folder):
    work = folder / mutant.id
    work.mkdir(parents=True, exist_ok=True)
    changed = mutants.apply(mutant)
    for source in mutants.SOURCES.glob("*.c*"):
        (work / source.name).write_text(changed.get(source.name) or source.read_text())
    objects = []
    for source in sorted(work.glob("*.c")) + sorted(work.glob("*.cu")):
        target = source.with_suffix(source.suffix + ".o")
        subprocess.run([*(NVCC if source.suffix == ".cu" else CC), "-c", str(source), "-o", str(target)], check=True)
        objects.append(str(target))
    subprocess.run(["nvcc", "-shared", "-cudart", "static", "-Xlinker", f"--version-script={mutants.SOURCES / 'exports.map'}", "-Xlinker",
                    "--exclude-libs=ALL", "-o", str(folder / f"{mutant.id}.so"), *objects], check=True)


def build(folder):
    for mutant in rows():
        build_one(mutant, folder)
    return 0


def choice_of(mutant):
    """Which attempts the mutant is judged by."""
    if mutant.field("message"):
        return ["--cases", str(TEN_CALLS), "--mode", "eager", "--timeout", "5"]
    if mutant.field("cases"):
        return ["--tier", "stress", "-k", mutant.field("cases")]
    return ["--tier", "quick", "--max-fail", "4"]


def shortcoming(mutant, code, records):
    """What is missing of the outcome that is due; None where nothing is."""
    failed = [r for r in records if r["verdict"] not in ("PASS", "MARGINAL", "UNSUPPORTED", "NOT_RUN")]
    if code != 1 or not failed:
        return f"exit code {code}, {len(failed)} failed attempts"
    message = mutant.field("message")
    if message and (len(failed), len(records)) != (1, 10):
        return f"{len(failed)} of {len(records)} attempts failed, and 1 of 10 should"
    if message and message not in failed[0]["message"]:
        return f"'{message}' is not in '{failed[0]['message']}'"
    return None


def try_one(mutant, folder, attest):
    out = folder / "runs" / mutant.id
    done = subprocess.run([attest, "run", "--subject", str((folder / f"{mutant.id}.so").resolve()), "--require-gpu", "--no-progress", "--timeout",
                           "120", "--out", str(out), *choice_of(mutant)], capture_output=True, text=True)
    journal = out / "results.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    records = [line for line in lines if "verdict" in line and "mode" in line]
    missing = shortcoming(mutant, done.returncode, records)
    first = next((r["message"] for r in records if r["verdict"] in ("FAIL", "CRASH", "TIMEOUT")), done.stderr.strip())
    print(f"{'SURVIVED' if missing else 'killed'} {mutant.id}: {missing or first[:300]}", flush=True)
    return missing is None


def run(folder, attest):
    killed = [try_one(mutant, folder, attest) for mutant in rows()]
    print(f"killed {sum(killed)} of {len(killed)}")
    return 0 if all(killed) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("build", "run"):
        sys.exit(__doc__)
    where = pathlib.Path(sys.argv[2])
    sys.exit(build(where) if sys.argv[1] == "build" else run(where, sys.argv[3] if len(sys.argv) > 3 else "build/attest"))
