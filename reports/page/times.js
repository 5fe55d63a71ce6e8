// Where the time went, the attempts that took longest, and how long the kernel takes where it was timed.

const SLOWEST = 10;

const sumOf = (items, which) => items.reduce((sum, a) => sum + a.seconds[which], 0);

function timesOf(of) {
    const slowest = of.reduce((slow, a) => a.seconds.all > slow.seconds.all ? a : slow);
    return {suite: of[0].case.suite ?? "", tried: of.length, all: sumOf(of, "all"), oracle: sumOf(of, "oracle"),
            subject: sumOf(of, "subject"), slowest, longest: slowest.seconds.all};
}

const timesColumns = [
    {title: "suite", key: row => row.suite, show: row => row.suite, heads: true},
    ofGroup("attempts", "tried", count),
    ofGroup("s", "all", figure),
    ofGroup("oracle s", "oracle", figure),
    ofGroup("subject s", "subject", figure),
    {...ofGroup("slowest ms", "longest", milliseconds),
     show: row => attemptLink(row.slowest, milliseconds(row.longest))},
];

// What `attest bench --json` wrote; null where a case was not timed.
function timed(row) {
    const {median = null, least = null, most = null, pages = null, bytes = null} = row;
    const rate = median > 0 ? 1e-9 * bytes / median : null;
    return {...row, median, least, most, pages, bytes, rate, tried: attempts.find(a => a.case.id === row.id)};
}

const microseconds = seconds => seconds === null ? "–" : figure(1e6 * seconds, 4);
const countOf = n => n === null ? "–" : count(n);
const benchColumns = [
    {title: "case", key: row => row.id, show: row => row.tried ? attemptLink(row.tried, row.id) : row.id, heads: true},
    {title: "verdict", key: row => row.verdict, show: row => verdictMark(verdictOf(row.verdict))},
    ofGroup("median µs", "median", microseconds),
    ofGroup("least µs", "least", microseconds),
    ofGroup("most µs", "most", microseconds),
    ofGroup("pages", "pages", countOf),
    ofGroup("bytes at least", "bytes", countOf),
    ofGroup("GB/s at that", "rate", figure),
];

function benchBlock() {
    const bench = besideOf("bench-data");
    if (!Array.isArray(bench?.cases)) {
        return quiet("No bench.json lay beside the reports when this page was written: attest bench --json, then the " +
                     "reports again.");
    }
    const {subject, version, device, arch, runs} = bench, rows = bench.cases.map(timed);
    const how = `${subject} ${version} on ${device} (${arch}): median of ${runs} after ${bench.warm_up} warm-ups, by ` +
                "the device's own events. Never a gate; of small shapes it says what a launch costs.";
    return [el("p", {}, how),
            new Grid({label: "Kernel times", noun: "cases", columns: benchColumns, rows, sort: 2}).element];
}

const inMilliseconds = (title, which) => ({title, key: a => a.seconds[which], show: a => milliseconds(a.seconds[which]),
                                           figures: true, down: true});
const slowestColumns = [
    {title: "case", key: a => a.case.id, show: a => attemptLink(a, a.case.id), heads: true},
    {title: "mode", key: mode, show: a => mode(a) ?? ""},
    inMilliseconds("ms", "all"), inMilliseconds("oracle ms", "oracle"), inMilliseconds("subject ms", "subject"),
];

function drawTimes() {
    const [all, oracle, subject] = ["all", "oracle", "subject"].map(which => figure(sumOf(attempts, which)));
    const rows = groupedBy(attempts, a => a.case.suite).map(timesOf);
    const slowest = [...attempts].sort((a, b) => b.seconds.all - a.seconds.all).slice(0, SLOWEST);
    section("times").append(
        el("p", {}, `${all} s in ${count(attempts.length)} attempts, of which the oracle took ${oracle} s and the ` +
                    `subject ${subject} s.`),
        new Grid({label: "Times by suite", noun: "suites", columns: timesColumns, rows, sort: 2}).element,
        el("h3", {}, "Slowest attempts"),
        new Grid({label: "Slowest attempts", noun: "slowest", columns: slowestColumns, rows: slowest, sort: 2}).element,
        el("h3", {}, "Kernel times"), ...[benchBlock()].flat());
}
