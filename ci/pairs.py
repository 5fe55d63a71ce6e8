#!/usr/bin/env python3
"""Writes cases/pairs.yaml: cases in which every two values of coverage's axes meet, wherever they can.

A covering array, built greedily: of the rows that hold one of the pairs still missing, and otherwise whatever meets most of the others, the
one that meets most is taken, until none is missing. The axes, their values and what is impossible are the program's own
(`attest cover --json`); what a value means in numbers stands here, and `attest cover` says whether it was meant so. No chance is in it:
the same axes give the same file.

    ci/pairs.py [--attest build/attest]            write the file
    ci/pairs.py --check [--attest build/attest]    fail where it is not what would be written
"""
import argparse
import collections
import difflib
import functools
import itertools
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "cases/pairs.yaml"

CONTEXT = {"16": (0, 16), "128": (17, 128), "1k": (129, 1024), "long": (1025, 1200)}
NEW = {"none": (0,), "one": (1,), "few": (2, 3, 5, 8), "many": (9, 11, 14, 16, 17, 20, 40, 130, 520, 600, 1030)}
COPIES = {"one": 1, "few": 1, "many": 4}
SOFTCAP = {"off": ("0",), "small": ("0.5", "2", "5"), "large": ("15", "30", "50")}
# calls that a mode makes of a case, about; life steps through a page
CALLS = {"plain": 9, "advance": 12, "interleave": 12, "pages": 4, "batch": 8, "chunk": 20, "identity": 3, "busy": 100, "life": 0,
         "speculate": 7}
DATA = ("normal", "uniform_codes", "one_hot")
CAPPED_DATA = ("normal", "rising")  # no single key can lead by enough under a cap, and equal scores do not show it
QUICK = 3e8  # the most that a row of the quick tier may cost
SEEDS = 24   # of the pairs missing, how many are tried for the next row

HEAD = """\
schema: 1
suite: pairs
about: Every two values of coverage's axes in one case, wherever they can meet. Written by ci/pairs.py; do not edit.
include: [geometries.yaml, clauses.yaml]
floor: {{quick: {floor}}}
defaults: {{spare_pages: 2}} # so that apart, which takes two, has as many pages as any other order
cases:
"""

WHY = {
    "plain": "A fault that takes two things at once, a window in a large page or a cap beside the other pairing, passes what turns one.",
    "plain-idle": "A call without tokens launches nothing, however wide its rows and wherever its pages.",
    "plain-large": "A prompt of more than a thousand tokens has sums, grids and windows that no short one has.",
    "advance": "What is frozen at capture may be frozen for one page size, window or batch alone.",
    "interleave": "Two graphs of one kernel may disturb each other at one shape, window or page size alone.",
    "interleave-idle": "A graph of nothing, replayed between those of another call, must leave it alone.",
    "pages": "A stride over pages may be wrong for one page size or width of rows alone.",
    "batch": "What leaks between sequences may leak under a window, a cap or another page size alone.",
    "chunk": "A position counted from the chunk may show under one pairing, window or page size alone.",
    "identity": "A span that is rotated may be taken for another at one width, page size or batch alone.",
    "busy": "A race may show at one page size, window or width alone.",
    "life": "A step over a page edge may go wrong under a window, a cap or another page size alone.",
    "life-idle": "Sequences whose cache somebody else filled idle first and decode then.",
    "speculate": "A rejected row may come back under a window, in shared pages or at another page size alone.",
    "speculate-idle": "The first drafts follow a call without tokens, and start where the cache ends that somebody else filled.",
}
COVERS = {"plain": "read.table", "advance": "capture, S9", "interleave": "capture, S10", "pages": "read.page, S4",
          "batch": "token.sequence, S26", "chunk": "token.position, S21", "identity": "rope.span, S25", "busy": "S27",
          "life": "write.slot, S31", "speculate": "write.negative, S32"}


# ---- axes ----

def axes_of(attest):
    """Values by axis, and the pairs that are impossible, both ways round. Modes that every case has are one value, plain."""
    # what the axes are is the same for any suite, so that a broken pairs.yaml is no obstacle
    command = [attest, "cover", "--json", "--cases", str(ROOT / "cases/geometry.yaml")]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    axes, impossible = {}, set()
    merged = {"mode=eager": "mode=plain", "mode=replay": "mode=plain"}
    for item in report["items"]:
        if item["item"].startswith("axis:") and item["declared"] and item["item"] != "axis:mode=refuse":
            word = item["item"][len("axis:"):]
            axis, value = merged.get(word, word).split("=")
            values = axes.setdefault(axis, [])
            if value not in values:
                values.append(value)
    for pair in report["pairs"]:
        for a, b in pair["impossible"]:
            a, b = f"{pair['axes'][0]}={a}", f"{pair['axes'][1]}={b}"
            impossible |= {(a, b), (b, a)}
    return axes, impossible


def geometries():
    """{name: {head_size, rotary_dim, ...}} of cases/geometries.yaml, whose entries are of one line each."""
    found = {}
    for line in (ROOT / "cases/geometries.yaml").read_text().splitlines():
        entry_of = re.fullmatch(r"  ([\w-]+): \{(.*)\}", line)
        if entry_of:
            sizes = {key: int(value) for key, value in re.findall(r"(\w+): (\d+)", entry_of[2])}
            found[entry_of[1]] = {"rotary_dim": 0, "rotary_offset": 0, **sizes}
    return found


GEOMETRY = geometries()


def width(geometry):
    return GEOMETRY[geometry]["head_size"] * GEOMETRY[geometry]["num_heads"]


# ---- what a row means in numbers ----

def past_class(past, block):
    return "none" if past == 0 else "in-page" if past < block else "page-multiple" if past % block == 0 else "pages"


def pasts(kind, block, low, high):
    """Lengths of a class up to `high`, the ones about `low` among them."""
    near = {0, 1, 3, 5, 11, 15, block - 1, block, block + 1, block + 5, 2 * block, 2 * block + 3, low - 1, low, low + 7,
            -(-low // block) * block, -(-low // block) * block + 5}
    return sorted(p for p in near if 0 <= p <= high and past_class(p, block) == kind)


@functools.lru_cache(maxsize=None)
def shapes(block, past, new, context, batch, shared, halved):
    """Sequences [(past, new)] of the classes, cheapest first."""
    low, high = CONTEXT[context]
    floor = (2 if halved else 1) * block if shared else 0  # what each sequence has to have of old tokens
    lengths = list(itertools.product(pasts(past, block, low, high), NEW[new]))
    found = [[(p, n)] + [(max(floor, p // 2), max(n - 1, min(n, 1))), (max(floor, min(p, 3)), min(n, 1))] * (batch != "one")
             for p, n in lengths if low <= p + n <= high and p >= floor]
    if not found and batch == "few":  # a long past and many new tokens that one sequence has no room for; the first writes what is shared
        found = [[(0, n), (p, 0), (p, 0)] for p, n in lengths if low <= max(p, n) <= high and p >= floor and n >= floor]
    return sorted(found, key=work)


def work(sequences):
    return sum(n * (p + n) + p / 8 for p, n in sequences)


def longest(sequences):
    return max((p + n for p, n in sequences), default=0)


def windows(kind, block, length):
    low, high = {"off": (-1, -1), "zero": (0, 0), "one": (1, 1), "in-page": (2, block - 1), "pages": (block, length - 1),
                 "past-context": (max(block, length), max(block, length) + 7)}[kind]
    if low > high:
        return []
    bites = max(low, min(high, length - 2))  # where there is room, narrower than the context
    return sorted({bites, (low + bites) // 2, low})


# What decides whether there are lengths and a window of a row's classes; of some axes only part of the value does.
TIED = ("block-size", "past", "new", "context", "window", "batch", "page-order", "mode")


def tie(axis, value):
    return {"page-order": value == "shared", "mode": value == "advance"}.get(axis, value)


def lengths_of(block, past, new, context, window, batch, shared, halved):
    """Sequences of these classes for which there is such a window, cheapest first."""
    if batch == "empty":
        options = [[]] if (past, new, context, shared) == ("none", "none", "16", False) else []
    else:
        options = shapes(int(block), past, new, context, batch, shared, halved)
    return [o for o in options if windows(window, int(block), longest(o))]


def feasible_lengths(axes):
    values = [sorted({tie(a, v) for v in axes[a]}) for a in TIED]
    return [frozenset(zip(TIED, row)) for row in itertools.product(*values) if lengths_of(*row)]


def numbers(row, turn):
    """The row as keys of a case. `turn` spreads the choices that are free."""
    block, shared = int(row["block-size"]), row["page-order"] == "shared"
    row = {"window": "off", "softcap": "off", "rotary": "none", **row}
    options = lengths_of(*(tie(a, row[a]) for a in TIED))
    cheap = [o for o in options if work(o) <= 2 * work(options[0]) + 200]
    sequences = cheap[turn % len(cheap)]
    window = windows(row["window"], block, longest(sequences))
    data = ("uniform_codes",) if row["mode"] == "identity" else DATA if row["softcap"] == "off" else CAPPED_DATA
    return {
        "geometry": row["geometry"], "dialect": row["dialect"], "dtype": row["dtype"], "block_size": block,
        "sequences": sequences, "copies": COPIES.get(row["batch"], 1), "page_order": "random" if shared else row["page-order"],
        "shared_prefix": int(shared), "local_window_size": window[turn % len(window)],
        "softcap": SOFTCAP[row["softcap"]][turn % len(SOFTCAP[row["softcap"]])],
        "do_rotary": int(row["rotary"] != "none"), "rotary_interleaved": int(row["rotary"] == "interleaved"),
        "data": data[turn % len(data)],
    }


def cost(row, case):
    """Multiplications of the calls that the mode makes, and elements of the caches that are filled and compared."""
    head_size, block = GEOMETRY[row["geometry"]]["head_size"], case["block_size"]
    calls = block + 4 if row["mode"] == "life" else CALLS[row["mode"]]
    scores = sum(n * (p + n) for p, n in case["sequences"]) * case["copies"]
    rows = sum(-(-(p + n + 1) // block) * block for p, n in case["sequences"]) * case["copies"]
    return calls * (scores * 2 * width(row["geometry"]) + rows * head_size * 4 + 5e4)


# ---- the array ----

class Array:
    def __init__(self, axes, impossible):
        self.axes, self.impossible = axes, impossible
        self.order = sorted(axes, key=lambda a: (-len(axes[a]), a))
        self.missing = {pair for a, b in itertools.combinations(self.order, 2)
                        for pair in itertools.product(self.words(a), self.words(b)) if pair not in impossible}
        self.used = collections.Counter()
        self.lengths = feasible_lengths(axes)
        self.can_be = functools.lru_cache(maxsize=None)(lambda said: any(said <= lengths for lengths in self.lengths))

    def words(self, axis):
        return [f"{axis}={value}" for value in self.axes[axis]]

    def goes_with(self, axis, value, row):
        more = {**row, axis: value}
        if any((f"{axis}={value}", f"{a}={v}") in self.impossible for a, v in row.items()):
            return False
        if is_refused(more) or is_too_large(more):
            return False
        return self.can_be(frozenset((a, tie(a, v)) for a, v in more.items() if a in TIED))

    def pair(self, a, v, b, w):
        return (f"{a}={v}", f"{b}={w}") if self.order.index(a) < self.order.index(b) else (f"{b}={w}", f"{a}={v}")

    def meets(self, row):
        """The missing pairs that a row, or what there is of it, meets. A call without tokens has little to show for its other values."""
        found = {self.pair(a, v, b, w) for (a, v), (b, w) in itertools.combinations(row.items(), 2)} & self.missing
        return {pair for pair in found if not set(pair).isdisjoint(IDLE)} if is_idle(row) else found

    def fill(self, row):
        """The row with every axis, each value one that meets most of what is missing, is not dear and is least used; None if none fits."""
        axis = next((a for a in self.order if a not in row and not (a in COMPUTED and is_idle(row))), None)
        if axis is None:
            return row
        fit = [v for v in self.axes[axis] if self.goes_with(axis, v, row)]
        gain = {v: len(self.meets({**row, axis: v})) for v in fit}
        for value in sorted(fit, key=lambda v: (-gain[v], is_dear(axis, v), self.used[axis, v], v)):
            full = self.fill({**row, axis: value})
            if full:
                return full
        return None

    def rows(self):
        while self.missing:
            weight = collections.Counter(word for pair in self.missing for word in pair)
            best, met = None, set()
            for seed in sorted(self.missing, key=lambda p: (-weight[p[0]] - weight[p[1]], p))[:SEEDS]:
                row = self.fill(dict(word.split("=") for word in seed))
                if row is None:
                    sys.exit(f"no case has both {seed[0]} and {seed[1]}; if none can, harness/pairs.c has to say why")
                if len(self.meets(row)) > len(met):
                    best, met = row, self.meets(row)
            self.missing -= met
            self.used.update(best.items())
            yield best


# what only a call with tokens has, and the values that say that there are none
COMPUTED = ("window", "softcap", "rotary")
IDLE = {"new=none", "batch=empty"}


def is_idle(row):
    return row.get("new") == "none" or row.get("batch") == "empty"


def is_refused(row):
    """onnxruntime takes rows in eights, and with RoPE in sixteens and angles in eights."""
    g = GEOMETRY[row.get("geometry", "tiny")]
    rotates = row.get("rotary", "none") != "none"
    odd = g["head_size"] % (16 if rotates else 8) or (rotates and (g["rotary_dim"] // 2 % 8 or g["rotary_offset"] % 8))
    return row.get("dialect") == "onnxruntime" and bool(odd)


def is_too_large(row):
    """A life through large pages and a prompt of over a thousand tokens are asked of narrow rows alone; the prompt in plain calls."""
    prompt = row.get("context") == "long" and row.get("past") in ("none", "in-page")
    life = row.get("mode") == "life" and (row.get("context") == "long" or row.get("block-size") in ("256", "512"))
    wide, batch = width(row.get("geometry", "tiny")) > 200, row.get("batch", "one")
    return (life and (wide or batch == "many")) or (prompt and (wide or batch != "one" or row.get("mode", "plain") != "plain"))


def is_dear(axis, value):
    """Of values that serve equally, those that make no large case are taken."""
    if axis == "geometry":
        return width(value) > 600
    dear = {"context": ("1k", "long"), "mode": ("busy", "life"), "batch": ("empty", "many"),
            "new": ("none", "many"), "block-size": ("256", "512")}
    return value in dear.get(axis, ())


# ---- the file ----

def written(value):
    return "[" + ", ".join(f"{{past: {p}, new: {n}}}" for p, n in value) + "]" if isinstance(value, list) else str(value)


def labelled(value):
    """As a value of an axis: sequences are called by their first and their number."""
    if not isinstance(value, list):
        return str(value)
    word = f"{value[0][0]}+{value[0][1]}" + f".{len(value)}" * (len(value) > 1) if value else "none"
    return f"{{label: {word}, value: {written(value)}}}"


def wrapped(first, words, width=120):
    """A list in flow style, broken where the line would be too long."""
    lines, line, indent = [], first + "[", " " * (len(first) + 1)
    for i, word in enumerate(words):
        word += "]" if i == len(words) - 1 else ","
        if len(line) + len(word) + 1 > width and not line.endswith("["):
            lines.append(line.rstrip())
            line = indent
        line += word if line.endswith("[") or line == indent else " " + word
    return "\n".join(lines + [line])


def why(name, mode):
    return WHY.get(name) or WHY[mode].replace(" alone.", ", and in large calls alone.")


def entry(name, mode, tier, idle, cases):
    columns = {c: [case[c] for case in cases] for c in cases[0]}
    fixed = {c: v[0] for c, v in columns.items() if all(x == v[0] for x in v)}
    lines = [f"  - name: {name}", f"    why: {why(name, mode)}", f"    covers: [{COVERS[mode]}{', hardening.no-token' * idle}]"]
    lines += ["    tags: [hardening]"] if idle else []
    lines += [f"    tier: {tier}"] if tier != "quick" else []
    lines += [f"    modes: [{mode}]"] if mode != "plain" else []
    lines += [f"    {c}: {written(v)}" for c, v in fixed.items()]
    zipped = [wrapped(f"      {c}: ", [labelled(x) for x in v]) for c, v in columns.items() if c not in fixed]
    lines += ["    zip:"] * bool(zipped) + zipped
    return "\n".join(lines)


def text_of(axes, impossible):
    groups, counts = {}, collections.Counter()
    for turn, row in enumerate(Array(axes, impossible).rows()):
        case = numbers(row, turn)
        idle, tier = row["new"] == "none", "quick" if cost(row, case) <= QUICK else "full"
        groups.setdefault((row["mode"], tier, idle), []).append(case)
        if tier == "quick" and not idle and row["mode"] not in ("advance", "interleave"):
            counts[row["dialect"], row["dtype"]] += 1
    entries = []
    for mode, tier, idle in sorted(groups, key=lambda g: (list(WHY).index(g[0]), g[1] == "full", g[2])):
        name = "-".join([mode] + ["idle"] * idle + ["large"] * (tier == "full"))
        entries.append(entry(name, mode, tier, idle, groups[mode, tier, idle]))
    return HEAD.format(floor=min(counts.values())) + "\n\n".join(entries) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--attest", default=str(ROOT / "build/attest"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = text_of(*axes_of(arguments.attest))
    if not arguments.check:
        FILE.write_text(text)
        return
    was = FILE.read_text() if FILE.exists() else ""
    if was != text:
        sys.stdout.writelines(difflib.unified_diff(was.splitlines(True), text.splitlines(True), "cases/pairs.yaml", "ci/pairs.py", n=0))
        sys.exit("cases/pairs.yaml is not what ci/pairs.py writes; run it, do not edit the file")


if __name__ == "__main__":
    main()
