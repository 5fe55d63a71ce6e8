// Where the time went, and the attempts that took longest.

const SLOWEST = 20;

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

function drawTimes() {
    const [all, oracle, subject] = ["all", "oracle", "subject"].map(which => figure(sumOf(attempts, which)));
    const rows = groupedBy(attempts, a => a.case.suite).map(timesOf);
    const slowest = [...attempts].sort((a, b) => b.seconds.all - a.seconds.all).slice(0, SLOWEST);
    const item = a => el("li", {}, `${milliseconds(a.seconds.all)} ms `, attemptLink(a, a.case.id),
                         ` [${a.way.mode ?? ""}]`);
    section("times").append(
        el("p", {}, `${all} s in ${count(attempts.length)} attempts, of which the oracle took ${oracle} s and the ` +
                    `subject ${subject} s.`),
        new Grid({label: "Times by suite", noun: "suites", columns: timesColumns, rows, sort: 2}).element,
        el("details", {}, el("summary", {}, "Slowest attempts"), el("ol", {}, slowest.map(item))));
}
