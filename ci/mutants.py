#!/usr/bin/env python3
"""Puts each fault of cuda/mutants into the kernels, one at a time, and asks the CPU gate which cases see it.

A mutant is killed once two cases of the quick tier fail on it that pass on the clean build. One whose text is not found
exactly once, or that does not build, is an error. A survivor says why in its row; one that says so and dies is an error
too. Writes build/reports/mutants.json and mutants.md. `make mutants` runs it; it needs the release build.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from mutant_rows import ROOT, SOURCES, Broken, apply, check_rows, read_table  # noqa: E402

ENOUGH_CASES = 2
LEAST_SECONDS = 5  # that an attempt may take, or ten times the slowest of the clean build
MOST_KILLS = 8  # kept of each mutant
MOST_EXPLAINED = 3  # cases of each mutant
RUN_SECONDS = 900  # of attest itself: never reached while it works
FLOOR = {"hand-made": 0.95, "machine-made": 0.90}
NAMED_FLOOR = 0.90  # of the killed mutants with a hypothesis, alone or among others
FAILED = {"FAIL": None, "FLAKY": "flaky", "CRASH": "crash", "TIMEOUT": "timeout"}
NOT_JUDGED = ("UNSUPPORTED", "NOT_RUN")
UNVALIDATED = 2  # attest's exit code where nothing failed and a suite had fewer attempts judged than its floor

AGREES = re.compile(r"^(?:\d+ of \d+: )?agrees with ([a-z-]+):", re.MULTILINE)
WRONG_OUTPUT = re.compile(r"^agrees with (?!the right reading)", re.MULTILINE)


# Building.

def compile_source(tools, source, to):
    compiler = tools["CC" if source.suffix == ".c" else "CXX"]
    done = subprocess.run([*compiler, "-iquote", str(SOURCES), "-c", str(source), "-o", str(to)], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise Broken("does not compile: " + (errors or [done.stderr[:300]])[0])


def build(mutant, tools, folder):
    folder.mkdir(parents=True, exist_ok=True)
    objects = {pathlib.Path(o).name: o for o in tools["OBJECTS"]}
    for name, text in apply(mutant).items():
        source = folder / name
        source.write_text(text)
        objects[source.stem + ".o"] = str(folder / (source.stem + ".o"))
        compile_source(tools, source, folder / (source.stem + ".o"))
    subject = folder / "subject.so"
    done = subprocess.run(tools["LD"] + ["-o", str(subject), *objects.values(), *tools["LIBS"]], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Broken("does not link: " + done.stderr[:300])
    return subject


# Judging.

def attempts_of(journal):
    for line in journal.read_text().splitlines():
        record = json.loads(line)
        if "id" in record:
            yield record


def run_attest(subject, out, arguments, seconds=60):
    """The attempts of a run and its exit code."""
    out.mkdir(parents=True, exist_ok=True)
    journal = out / "results.jsonl"
    journal.unlink(missing_ok=True)
    command = [str(ROOT / "build/attest"), "run", "--subject", str(subject), "--out", str(out), "--no-progress",
               "-j", "1", "--timeout", str(seconds), *arguments]
    with open(out / "said.txt", "w") as said:
        process = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said)
        try:
            code = process.wait(RUN_SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()
            raise Broken(f"attest did not end within {RUN_SECONDS} s")
    if not journal.exists():
        raise Broken(f"attest exits {code} without a journal: " + (out / "said.txt").read_text()[-300:].strip())
    return list(attempts_of(journal)), code


def kill_of(attempt):
    detectors = [f["detector"] for f in attempt["finding"]] or [FAILED.get(attempt["verdict"], "floor") or "value"]
    return {"case": attempt["id"], "mode": attempt["mode"], "verdict": attempt["verdict"],
            "detectors": sorted(set(detectors)), "message": (attempt.get("message") or "").replace(f"{ROOT}/", ""),
            "findings": [f["text"] for f in attempt["finding"]]}


def key_of(attempt):
    return attempt["id"], attempt["mode"]


class Clean:
    """Which attempts the clean build does not fail, how long they may take, and how many one case comes to at most."""

    def __init__(self, attempts):
        self.judged = {key_of(a) for a in attempts if a["verdict"] in ("PASS", "MARGINAL")}
        self.sound = self.judged | {key_of(a) for a in attempts if a["verdict"] in NOT_JUDGED}
        self.failed = [a for a in attempts if key_of(a) not in self.sound]
        self.cases = list(dict.fromkeys(a["id"] for a in attempts))
        self.values = list(dict.fromkeys(a["id"] for a in attempts if a["mode"] == "eager"))
        self.smoke = list(dict.fromkeys(a["id"] for a in attempts if a["tier"] == "smoke"))
        self.seconds = max([LEAST_SECONDS, *(10 * a["seconds"] for a in attempts)])
        per_case = collections.Counter(a["id"] for a in attempts)
        self.most_failures = (ENOUGH_CASES - 1) * max(per_case.values(), default=1) + 1

    def says_killed(self, attempt, code):
        """The attempt failed; or was declined, and the run with it is not validated."""
        if attempt["verdict"] in FAILED:
            return key_of(attempt) in self.sound
        return code == UNVALIDATED and attempt["verdict"] in NOT_JUDGED and key_of(attempt) in self.judged


def phases(mutant, tier, clean):
    """Arguments of runs, the likeliest killers first; the last one is the whole tier."""
    patterns = mutant.field("cases").split()
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(case, pattern) for case in clean.cases):
            raise Broken(f"cases: {pattern} matches no case of the {tier} tier")
    if patterns:
        yield ["--tier", tier, *(word for p in patterns for word in ("-k", p))]
    elif tier != "smoke":
        yield ["--tier", "smoke"]
    yield ["--tier", tier]


def judge(mutant, subject, folder, tier, clean):
    enough = ["--max-fail", str(clean.most_failures)]
    kills = {}
    for number, arguments in enumerate(phases(mutant, tier, clean)):
        attempts, code = run_attest(subject, folder / f"run{number}", arguments + enough, clean.seconds)
        kills.update({key_of(a): kill_of(a) for a in attempts if clean.says_killed(a, code)})
        mutant.kills = list(kills.values())
        if len(mutant.killers) >= ENOUGH_CASES:
            return


# Explaining.

def wrong_outputs(mutant):
    """Its first cases whose output is wrong, and not only a row that it wrote; explain runs a case eagerly."""
    cases = [k["case"] for k in mutant.kills
             if k["mode"] == "eager" and any(text.startswith("output") for text in k["findings"])]
    return list(dict.fromkeys(cases))[:MOST_EXPLAINED]


def explain(mutant, subject, clean):
    """Which readings explain says fit each of these and of the smoke cases that fail, and which explain the mutant.

    explain is one process: a smoke case of which the mutant dies ends it. Then only those are asked that failed before.
    """
    first, patterns = wrong_outputs(mutant), mutant.field("cases").split()
    likely = [case for case in clean.values if any(fnmatch.fnmatchcase(case, p) for p in patterns)]
    for cases in (first + clean.smoke, first, [] if first else likely):
        cases = list(dict.fromkeys(c for c in cases if c in clean.values))
        # explain sums up over several cases alone: one that is by itself is given twice
        command = [str(ROOT / "build/attest"), "explain", *cases, *cases[:1], "--subject", str(subject)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=RUN_SECONDS) if cases else None
        *each, last = done.stdout.split("\n\n") if done else [""]
        if re.match(r"\d+ of \d+: ", last):
            mutant.explained = {part.split(":\n")[0]: AGREES.findall(part) for part in each if WRONG_OUTPUT.search(part)}
            mutant.readings = AGREES.findall(last)
            return


def naming(mutant):
    """What explain made of a killed mutant; "" where no output was wrong and its row has no hypothesis."""
    if mutant.outcome != "killed" or not (mutant.hypothesis or mutant.explained):
        return ""
    if not mutant.hypothesis:
        return "taken for another" if mutant.readings else "none of these"
    if mutant.hypothesis not in mutant.readings:
        return "missed"
    return "alone" if len(mutant.readings) == 1 else "among others"


def check_truth(mutant):
    """Whether the row of a killed mutant told the truth."""
    if mutant.reason:
        raise Broken("killed, and its row gives a reason why it is not: " + mutant.reason)
    words = mutant.field("says").split()
    said = [text for kill in mutant.kills for text in kill["findings"]]
    if words and not any(all(f"{w} " in text for w in words) for text in said):
        raise Broken(f"killed, but no finding names its {', '.join(words)}: " + (said[0] if said else "there are none"))


def settle(mutant, subject, clean):
    mutant.outcome = "killed" if len(mutant.killers) >= ENOUGH_CASES else "survived"
    if mutant.outcome != "killed":
        return
    if mutant.hypothesis or any("value" in k["detectors"] for k in mutant.kills):
        explain(mutant, subject, clean)
    check_truth(mutant)


def attempt_mutant(mutant, tools, folder, tier, clean):
    start = time.monotonic()
    try:
        subject = build(mutant, tools, folder)
        judge(mutant, subject, folder, tier, clean)
        settle(mutant, subject, clean)
    except (Broken, OSError, ValueError, subprocess.SubprocessError) as why:
        mutant.outcome, mutant.error = "error", str(why)
    if mutant.outcome == "killed":
        shutil.rmtree(folder)
    mutant.seconds = time.monotonic() - start
    return mutant


def try_all(mutants, tools, work, tier, clean, jobs):
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        waiting = [pool.submit(attempt_mutant, m, tools, work / m.id, tier, clean) for m in mutants]
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            m = future.result()
            print(f"{done}/{len(mutants)} {m.id}: {m.outcome} {m.seconds:.1f} s", file=sys.stderr)
    finally:
        pool.shutdown(cancel_futures=True)


# Reports.

def score(mutants, made):
    """Those proved equivalent are counted apart: there is nothing to see in them."""
    of = [m for m in mutants if m.made == made and not m.field("equivalent")]
    killed = sum(m.outcome == "killed" for m in of)
    equivalent = sum(m.made == made for m in mutants) - len(of)
    met = killed >= FLOOR[made] * len(of)
    return {"killed": killed, "of": len(of), "equivalent": equivalent, "floor": FLOOR[made], "met": met}


def names(mutants):
    """How often explain gives the fault its name, and how often it gives none to what has none."""
    count = collections.Counter(naming(m) for m in mutants)
    alone, among, missed = count["alone"], count["among others"], count["missed"]
    return {"alone": alone, "among_others": among, "missed": missed, "none_of_these": count["none of these"],
            "taken_for_another": count["taken for another"], "floor": NAMED_FLOOR,
            "met": alone + among >= NAMED_FLOOR * (alone + among + missed)}


def without_reason(mutants):
    return [m for m in mutants if m.outcome == "survived" and not m.reason]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row_of(m):
    told = ("case", "mode", "verdict", "detectors", "message")
    kills = [{key: kill[key] for key in told} for kill in m.kills[:MOST_KILLS]]
    return {"id": m.id, "table": m.table, "made": m.made, "files": [h.file for h in m.hunks], "why": m.field("why"),
            "outcome": m.outcome, "error": m.error, "equivalent": bool(m.field("equivalent")), "reason": m.reason,
            "hypothesis": m.hypothesis or None, "naming": naming(m), "readings": m.readings, "explained": m.explained,
            "kills": kills}


def write_json(path, mutants, tier, seconds):
    """A line a mutant, so that two runs can be compared by eye."""
    head = {"tier": tier, "seconds": round(seconds), "processor_seconds": round(processor_seconds()),
            "scores": {made: score(mutants, made) for made in FLOOR}, "names": names(mutants)}
    rows = ",\n".join(json.dumps(row_of(m)) for m in mutants)
    path.write_text(json.dumps(head)[:-1] + ', "mutants": [\n' + rows + "\n]}\n")


def cell(text, most=160):
    text = text if len(text) <= most else text[:most - 3] + "..."
    return text.replace("|", "\\|").replace("\n", " ")


def detectors_of(mutant):
    return ", ".join(sorted({d for kill in mutant.kills for d in kill["detectors"]}))


def markdown(mutants, tier):
    yield "# Mutants of the kernels\n"
    yield f"Which cases of the {tier} tier saw each fault on the CPU, up to the second.\n"
    yield "| made | killed | of | floor | and proved equivalent |\n|---|---|---|---|---|"
    for made in FLOOR:
        s = score(mutants, made)
        yield f"| {made} | {s['killed']} | {s['of']} | {s['floor']:.0%} | {s['equivalent']} |"
    yield "\n" + said_of_names(mutants)
    yield ("\n## Killed\n\n| mutant | table | hypothesis | explain says | cases | detectors | message |"
           "\n|---|---|---|---|---|---|---|")
    for m in mutants:
        if m.outcome == "killed":
            cases = "<br>".join(m.killers[:ENOUGH_CASES])
            said = ", ".join(m.readings) or naming(m)
            yield (f"| {m.id} | {m.table} | {m.hypothesis or '-'} | {said} | {cases} | {detectors_of(m)} | "
                   f"{cell(m.kills[0]['message'])} |")
    for title, outcome in (("Survived", "survived"), ("Errors", "error")):
        yield f"\n## {title}\n"
        for m in (m for m in mutants if m.outcome == outcome):
            one = f" One case saw it: {m.killers[0]}." if outcome == "survived" and m.kills else ""
            because = m.error or m.reason or "No reason is given."
            yield f"- **{m.id}** ({m.place}). {m.field('why')}{one} {because}"


def said_of_names(mutants):
    n = names(mutants)
    have, nameless = n["alone"] + n["among_others"] + n["missed"], n["none_of_these"] + n["taken_for_another"]
    return (f"explain: of {have} killed with a hypothesis {n['alone']} named alone, {n['among_others']} among others, "
            f"{n['missed']} missed, floor {n['floor']:.0%}{'' if n['met'] else ' MISSED'}; "
            f"of {nameless} without, none of these for {n['none_of_these']}")


def say_outcome(mutants):
    for m in mutants:
        if m.outcome == "error":
            print(f"error: {m.place}: {m.id}: {m.error}")
    for m in mutants:
        if m.outcome == "survived":
            seen = f"; one case saw it, {m.killers[0]}" if m.kills else ""
            print(f"survived: {m.id}{seen}: {m.reason or 'no reason is given in ' + m.place}")
    for made in FLOOR:
        s = score(mutants, made)
        print(f"{made}: killed {s['killed']} of {s['of']}, floor {s['floor']:.0%}{'' if s['met'] else ' MISSED'}; "
              f"and {s['equivalent']} proved equivalent")
    for m in mutants:
        if naming(m) in ("missed", "taken for another"):
            said = ", ".join(m.readings) or "none"
            print(f"explain: {m.id}: {m.hypothesis or 'no reading'}, and explain says {said}")
    print(said_of_names(mutants))
    print(f"killed {sum(m.outcome == 'killed' for m in mutants)} of {len(mutants)}")


def twins_tell(tools, work, jobs):
    """Whether the rows of known outcome come out so: a runner that calls everything killed would pass all else."""
    twins = read_table(SOURCES / "mutants/twins/twins.txt")
    clean = Clean(run_attest(ROOT / "build/subjects/cpu.so", work / "clean", ["--tier", "smoke"])[0])
    try_all(twins, tools, work, "smoke", clean, jobs)
    wrong = [m for m in twins if m.outcome != m.field("expect") or m.field("named") not in ("", naming(m))]
    for m in wrong:
        due = f"{m.field('expect')} {m.field('named')}".strip()
        print(f"error: {m.place}: {m.id}: {m.outcome} {naming(m)} instead of {due}: {m.error}")
    print(f"twins: {len(twins) - len(wrong)} of {len(twins)} as they have to be")
    return not wrong


def tools_from_environment():
    missing = [name for name in ("CC", "CXX", "LD", "OBJECTS", "LIBS") if name not in os.environ]
    if missing:
        sys.exit(f"mutants.py: {', '.join(missing)} not set; run it as `make mutants`")
    return {name: shlex.split(os.environ[name]) for name in ("CC", "CXX", "LD", "OBJECTS", "LIBS")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", type=pathlib.Path, help="default: all of cuda/mutants")
    parser.add_argument("-k", metavar="GLOB", action="append", help="only the mutants with such ids")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="mutants at a time; default: one a core")
    parser.add_argument("--tier", default="quick")
    parser.add_argument("--twins", action="store_true", help="only the rows whose outcome is known")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/mutants", help="default: build/mutants")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/reports", help="default: build/reports")
    return parser.parse_args()


def chosen(tables, globs):
    mutants = [m for table in tables or sorted(SOURCES.glob("mutants/*.txt")) for m in read_table(table.resolve())]
    check_rows(mutants)
    return [m for m in mutants if not globs or any(fnmatch.fnmatchcase(m.id, glob) for glob in globs)]


def is_good(mutants, clean):
    met = all(score(mutants, made)["met"] for made in FLOOR) and names(mutants)["met"]
    broken = clean.failed or without_reason(mutants) or any(m.outcome == "error" for m in mutants)
    return bool(mutants) and met and not broken


def main():
    a, start = arguments(), time.monotonic()
    tools = tools_from_environment()
    try:
        told = twins_tell(tools, a.work / "twins", a.j)
        if a.twins or not told:
            return 0 if told else 1
        mutants = chosen(a.tables, a.k)
        subject = ROOT / "build/subjects/cpu.so"
        clean = Clean(run_attest(subject, a.work / "clean", ["--tier", a.tier, "-j", str(a.j)])[0])
    except Broken as why:
        sys.exit(f"mutants.py: {why}")
    for attempt in clean.failed:
        print(f"error: the clean build: {attempt['verdict']} {attempt['id']} {attempt['mode']}: {attempt.get('message')}")
    try_all(mutants, tools, a.work, a.tier, clean, a.j)
    a.out.mkdir(parents=True, exist_ok=True)
    write_json(a.out / "mutants.json", mutants, a.tier, time.monotonic() - start)
    (a.out / "mutants.md").write_text("\n".join(markdown(mutants, a.tier)) + "\n")
    say_outcome(mutants)
    print(f"{time.monotonic() - start:.0f} s by the clock, {processor_seconds():.0f} s of processors", file=sys.stderr)
    return 0 if is_good(mutants, clean) else 1


if __name__ == "__main__":
    sys.exit(main())
