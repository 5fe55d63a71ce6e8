// The kill matrix: each fault that was put into the kernels, and the suites whose cases saw it.

const killReport = besideOf("mutants-data");

const suiteOf = id => id.split("/", 1)[0];
const outcomes = ["error", "survived", "killed"]; // the most urgent first

function killDetail(m) {
    const kill = ({case: id, mode, verdict, message}) =>
        el("li", {}, el("code", {}, id), ` [${mode}] `, verdictMark(verdictOf(verdict)), ` ${message}`);
    const facts = [["hypothesis", m.hypothesis], ["files", m.files.join(", ")], ["table", m.table], ["made", m.made],
                   ["error", m.error], ["not killed, since", m.reason],
                   ["explain says", m.readings?.join(", ") || m.naming]];
    return el("div", {class: "attempt"}, el("p", {class: "why"}, m.why), definitions(facts),
              el("ul", {}, m.kills.map(kill)));
}

function killColumns(suites) {
    const detectors = m => [...new Set(m.kills.flatMap(kill => kill.detectors))].sort().join(", ");
    const kills = (m, suite) => m.kills.filter(kill => suiteOf(kill.case) === suite).length;
    const column = suite => ({title: suite, tall: true, down: true, key: m => kills(m, suite),
                              show: m => kills(m, suite) || ""});
    const outcome = m => el("span", {class: "outcome", "data-outcome": m.outcome}, m.outcome);
    return [
        {title: "outcome", key: m => outcomes.indexOf(m.outcome), show: outcome},
        {title: "mutant", key: m => m.id, show: m => m.id, heads: true},
        {title: "detectors", key: detectors, show: detectors},
        ...suites.map(column),
    ];
}

function drawMutants() {
    const home = section("mutants");
    if (killReport === null) {
        home.append(quiet("No mutants.json lay beside the reports when this page was written: make mutants, then the " +
                          "reports again."));
        return;
    }
    const {tier, scores, mutants: rows} = killReport;
    const suites = [...new Set(rows.flatMap(m => m.kills.map(kill => suiteOf(kill.case))))].sort(collator.compare);
    const score = ([made, {killed, of, floor}]) =>
        `${made}: killed ${killed} of ${of}, floor ${Math.round(100 * floor)} %`;
    const grid = new Grid({label: "Kill matrix", noun: "mutants", columns: killColumns(suites), rows, open: killDetail,
                           sort: 0});
    home.append(el("p", {}, Object.entries(scores).filter(([, {of}]) => of > 0).map(score).join("; ")),
                quiet(`Attempts of the ${tier} tier by suite that saw each fault, until two cases had.`), grid.element);
}
