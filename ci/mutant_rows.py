"""The rows of cuda/mutants and what they make of a source; its README has their fields."""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "cuda"
FIELDS = ("hypothesis", "why", "cases", "says", "equivalent", "survives", "expect", "message", "named")


class Broken(Exception):
    """A row that cannot be tried, with the reason."""


@dataclasses.dataclass
class Hunk:
    file: str
    find: list = dataclasses.field(default_factory=list)
    replace: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Mutant:
    id: str
    table: str
    place: str
    fields: dict = dataclasses.field(default_factory=dict)
    hunks: list = dataclasses.field(default_factory=list)
    outcome: str = "not tried"  # killed, survived or error
    error: str = ""
    kills: list = dataclasses.field(default_factory=list)
    explained: dict = dataclasses.field(default_factory=dict)  # by case, the readings that answer as the mutant does
    readings: list = dataclasses.field(default_factory=list)  # those of all these cases
    seconds: float = 0.0

    def field(self, name):
        return self.fields.get(name, "")

    @property
    def hypothesis(self):
        return self.field("hypothesis").strip("- ")

    @property
    def reason(self):
        return self.field("equivalent") or self.field("survives")

    @property
    def made(self):
        return "machine-made" if self.table.startswith("machine") else "hand-made"

    @property
    def killers(self):
        return list(dict.fromkeys(kill["case"] for kill in self.kills))


def read_table(path):
    mutants, last = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        place = f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if match := re.fullmatch(r"mutant ([a-z0-9-]+)", line):
            mutants.append(Mutant(match[1], path.stem, place))
        elif not mutants:
            raise Broken(f"{place}: the first row has to begin with 'mutant ID'")
        elif line[0] in "-+" and mutants[-1].hunks and line[1:2] in ("", " "):
            hunk = mutants[-1].hunks[-1]
            (hunk.find if line[0] == "-" else hunk.replace).append(line[2:])
        elif match := re.fullmatch(r"file: (\S+)", line):
            mutants[-1].hunks.append(Hunk(match[1]))
        elif (match := re.fullmatch(r"([a-z]+): (.*)", line)) and match[1] in FIELDS:
            last = match[1]
            mutants[-1].fields[last] = match[2]
        elif line.startswith("  ") and last in mutants[-1].fields:
            mutants[-1].fields[last] += " " + line.strip()
        else:
            raise Broken(f"{place}: neither a field ({', '.join(FIELDS)}, file) nor text to find or to put: {line}")
    return mutants


def check_rows(mutants):
    seen, known = {}, (ROOT / "oracle/hypotheses_table.c").read_text()
    for m in mutants:
        if m.id in seen:
            raise Broken(f"{m.place}: mutant {m.id} is also at {seen[m.id]}")
        seen[m.id] = m.place
        if not m.hunks or not (m.field("why") or m.made == "machine-made"):
            raise Broken(f"{m.place}: mutant {m.id} needs why:, file: and what to find and to put")
        if m.hypothesis and f'"{m.hypothesis}"' not in known:
            raise Broken(f"{m.place}: hypothesis {m.hypothesis} is not in oracle/hypotheses_table.c")


def pattern_of(lines):
    """The lines as they stand, however far they are indented."""
    return r"\n[ \t]*".join(re.escape(line.strip()) for line in lines)


def apply(mutant):
    """The changed sources by file name."""
    changed = {}
    for hunk in mutant.hunks:
        path = ROOT / hunk.file
        if path.parent != SOURCES or path.suffix not in (".c", ".cu") or not path.is_file():
            raise Broken(f"{hunk.file} is no .c or .cu file of cuda/")
        text = changed.get(path.name) or path.read_text()
        places = list(re.finditer(pattern_of(hunk.find), text)) if hunk.find else []
        if len(places) != 1:
            raise Broken(f"the text to find is in {hunk.file} {len(places)} times and has to be once: {hunk.find}")
        changed[path.name] = text[:places[0].start()] + "\n".join(hunk.replace) + text[places[0].end():]
    return changed
