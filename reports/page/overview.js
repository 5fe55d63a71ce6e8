// Verdict, counts and environment; and each fault once, with the line that repeats it.

const FIRST_FAULTS = 4, MOST_FAULTS = 100;

function drawCounts() {
    const shown = verdicts.filter(v => v.attempts > 0);
    const show = name => { pick({verdict: name}); section("attempts").scrollIntoView(); };
    const button = v => el("button", {type: "button", onclick: () => show(v.name)}, el("b", {}, count(v.attempts)), " ",
                           verdictMark(v));
    return el("ul", {class: "counts", "aria-label": "Attempts by verdict"}, shown.map(v => el("li", {}, button(v))));
}

function drawOverview() {
    const missing = raw.planned - attempts.length;
    const warnings = [
        [!raw.complete, "The journal has no end mark: the run was cut short."],
        [missing > 0, `${count(missing)} of ${count(raw.planned)} planned attempts left no record.`],
    ];
    section("overview").append(
        ...warnings.filter(([holds]) => holds).map(([, text]) => el("p", {class: "warning"}, text)), drawCounts(),
        el("details", {open: true}, el("summary", {}, "Environment"), definitions(raw.header)));
}

function fault([at, n]) {
    const a = attempts[at], finding = a.findings[0], name = a.case.name;
    const said = finding === undefined ? a.message ?? "" : [el("b", {}, finding.detector), ": ", finding.text];
    const show = () => {
        pick({suite: a.case.suite, verdict: a.verdict.name}, name ?? "");
        section("attempts").scrollIntoView();
    };
    const more = n === 1 ? null : el("button", {type: "button", class: "link quiet", onclick: show},
                                     `and ${count(n - 1)} more of ${a.case.suite}/${name}`);
    return el("li", {},
              el("div", {class: "fault"}, verdictMark(a.verdict), attemptLink(a, a.case.id),
                 el("span", {class: "quiet"}, a.way.mode ?? ""), more),
              el("p", {}, said), explanationOf(a), reproOf(a) === null ? null : shellLine(reproOf(a), "repeats it"));
}

// How many failing attempts each reading explains alone, most first, of those that have an explanation; null for none.
function explainedLine() {
    const explained = attempts.filter(a => isBad(a) && a.explanation.length > 0), tally = new Map();
    const alone = explained.filter(a => a.explanation.length === 1 && !a.explanation[0].startsWith("none of "));
    for (const a of alone) {
        const name = a.explanation[0].split(":")[0];
        tally.set(name, (tally.get(name) ?? 0) + 1);
    }
    const sorted = [...tally].sort(([, n], [, m]) => m - n);
    const part = ([name, n], i) => [i === 0 ? "" : ", ", el("b", {}, name),
                                    ` in ${count(n)}${i === 0 ? ` of ${count(explained.length)}` : ""}`];
    return sorted.length === 0 ? null : el("p", {class: "explained"}, "Explained by one reading alone: ",
                                           sorted.map(part));
}

function drawFaults() {
    const {faults} = raw, home = section("faults");
    if (faults.length === 0) {
        home.remove();
        return;
    }
    const tried = faults.reduce((sum, [, n]) => sum + n, 0), rest = faults.slice(FIRST_FAULTS, MOST_FAULTS);
    const beyond = faults.length - FIRST_FAULTS - rest.length;
    home.append(quiet(`${count(faults.length)} in ${count(tried)} attempts: a fault is a case before its expansion, ` +
                      "seen by one detector."),
                explainedLine() ?? "",
                el("ol", {class: "faults"}, faults.slice(0, FIRST_FAULTS).map(fault)));
    if (rest.length === 0) return;
    home.append(el("details", {}, el("summary", {}, `${count(rest.length)} more`),
                   el("ol", {class: "faults", start: FIRST_FAULTS + 1}, rest.map(fault)),
                   beyond > 0 ? quiet(`and ${count(beyond)}, which are in the table below`) : null));
}
