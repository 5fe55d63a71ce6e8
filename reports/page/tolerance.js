// How far answers were from right, by suite, dtype and tensor.

function sumUp(measured) {
    const tensors = measured.map(({tensor}) => tensor);
    const medians = tensors.map(t => t.ratio_median).filter(ratio => ratio >= 0).sort((a, b) => a - b);
    const {length} = medians;
    const worst = of => worstOf(tensors, of)[of], total = of => tensors.reduce((sum, t) => sum + t[of], 0);
    const worstOne = measured.reduce((most, m) => isWorse(m.tensor.excess, most.tensor.excess) ? m : most);
    return {
        ...measured[0], worst: worstOne, tried: measured.length, elements: total("elements"),
        mismatches: total("mismatches"), excess: worst("excess"),
        median: length === 0 ? -1 : (medians[(length - 1) >> 1] + medians[length >> 1]) / 2,
        absolute: worst("absolute"), relative: worst("relative"), ulps: worst("ulps"), fixed: worst("fixed"),
    };
}

function groupedBy(items, keyOf) {
    const groups = new Map();
    for (const item of items) {
        const key = keyOf(item);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(item);
    }
    return [...groups.values()];
}

const toleranceWords =
    "No tolerance is typed in: the bound of each element is derived from the contract and from how the subject says " +
    "that it computes. The last column is the worst absolute error over the fixed tolerance of the operator's pull " +
    "request (3e-2 for float16, 1.2e-1 for bfloat16): reported, never used.";

// A column of figures: the worst, the most, the longest come first.
const ofGroup = (title, of, show) =>
    ({title, key: row => row[of], show: row => show(row[of]), figures: true, down: true});
const toleranceColumns = [
    {title: "suite", key: row => row.attempt.case.suite, show: row => row.attempt.case.suite ?? "", heads: true},
    {title: "dtype", key: row => row.attempt.case.dtype, show: row => row.attempt.case.dtype ?? ""},
    {title: "tensor", key: row => row.tensor.tensor, show: row => row.tensor.tensor},
    ofGroup("attempts", "tried", count),
    ofGroup("elements", "elements", count),
    ofGroup("mismatches", "mismatches", count),
    {...ofGroup("worst error / budget", "excess", measure),
     show: row => row.excess < 0 ? "–" : attemptLink(row.worst.attempt, figure(row.excess))},
    ofGroup("median ratio", "median", measure),
    ofGroup("worst absolute", "absolute", figure),
    ofGroup("worst relative", "relative", figure),
    {...ofGroup("worst ULP", "ulps", count), show: ulpsOf},
    ofGroup("of the fixed tolerance", "fixed", measure),
];

function drawTolerance() {
    const measured = attempts.flatMap(attempt => attempt.tensors.map(tensor => ({attempt, tensor})));
    const keyOfGroup = ({attempt: {case: c}, tensor}) => [c.suite, c.dtype, tensor.tensor].join("\n");
    const rows = groupedBy(measured, keyOfGroup).map(sumUp);
    const grid = new Grid({label: "Tolerance by suite, dtype and tensor", noun: "groups", columns: toleranceColumns,
                           rows, sort: 6});
    section("tolerance").append(quiet(toleranceWords), rows.length === 0 ? "Nothing was measured." : grid.element);
}
