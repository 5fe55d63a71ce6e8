// What the executed attempts covered of what there is, and which values of two axes met.

const kindTitles = {
    suite: "Suites", mode: "Modes", tag: "Tags", clause: "Clauses of the contract", refused: "Clauses by a refusal",
    scenario: "Scenarios", rule: "Refusal rules by gate", gate: "Gates by a good call", poison: "Poison by place",
    axis: "Axes by value",
};

const items = raw.items.map(([key, declared, cases, tried, passed]) => {
    const colon = key.indexOf(":");
    return {kind: colon < 0 ? key : key.slice(0, colon), name: key.slice(colon + 1), cases, tried, passed};
});

function kindBlock(members) {
    const [{kind}] = members, title = kindTitles[kind] ?? kind;
    const covered = members.filter(item => item.tried > 0), open = members.filter(item => item.tried === 0);
    const columns = [[kind, ""], ["cases", "n"], ["attempts", "n"], ["passed", "n"]];
    const rows = covered.map(item => [item.name, count(item.cases), count(item.tried), count(item.passed)]);
    const openWords = open.length === 0 ? el("span", {class: "quiet"}, "all covered")
                                        : el("span", {class: "open"}, `${count(open.length)} not covered`);
    const names = open.flatMap((item, i) => [i === 0 ? "" : ", ", el("code", {}, item.name)]);
    return el("details", {class: "kind"},
              el("summary", {}, el("b", {}, title),
                 el("span", {class: "n"}, `${count(covered.length)} of ${count(members.length)}`), openWords),
              open.length === 0 ? null : el("p", {}, "Not covered: ", names, "."), scrolled(title, columns, rows));
}

// ---- pairs ----

const axisOf = item => item.name.split("=", 1)[0];
const axes = groupedBy(items.filter(item => item.kind === "axis"), axisOf)
    .map(values => ({name: axisOf(values[0]), values: values.map(item => item.name)}));

// "x\ny" of the values that no case can have together.
const impossible = new Set(raw.impossible.flatMap(([x, y]) => [`${x}\n${y}`, `${y}\n${x}`]));

// Executed attempts by two values of axes.
class Meetings {
    constructor() {
        this.counts = new Map();
        for (const same of groupedBy(attempts.filter(a => a.verdict.executed), a => a.way.axes)) {
            const values = [...new Set(same[0].way.axes)];
            for (const x of values) {
                for (const y of values) this.counts.set(`${x}\n${y}`, this.of(x, y) + same.length);
            }
        }
    }

    of(x, y) {
        return this.counts.get(`${x}\n${y}`) ?? 0;
    }

    // null: no case can have both
    table(a, b) {
        return a.values.map(x => b.values.map(y => impossible.has(`${x}\n${y}`) ? null : this.of(x, y)));
    }
}

const shade = part => `--part: ${Math.round(100 * part)}%`;
const valueOf = name => name.slice(name.indexOf("=") + 1);

// Names of rows and columns around cells.
function pairsTable(caption, rows, columns, cellOf) {
    const body = rows.map((row, i) => el("tr", {}, el("th", {scope: "row"}, row), columns.map((_, k) => cellOf(i, k))));
    const table = el("table", {class: "pairs"}, el("caption", {}, caption),
                     el("thead", {}, el("tr", {}, el("td"), columns.map(column => el("th", {scope: "col"}, column)))),
                     el("tbody", {}, body));
    return scroller(caption, table);
}

function valuesTable(meetings, a, b) {
    const counts = meetings.table(a, b), most = Math.max(1, ...counts.flat());
    const strength = n => shade(0.1 + 0.9 * Math.log1p(n) / Math.log1p(most));
    const cell = n => n === null ? el("td", {class: "quiet", title: "no case can have both"}, "–")
                    : n === 0 ? el("td", {class: "shade never"}, "never")
                              : el("td", {class: "shade", style: strength(n)}, count(n));
    return pairsTable(`Executed attempts by ${a.name} and ${b.name}`, a.values.map(valueOf), b.values.map(valueOf),
                      (i, k) => cell(counts[i][k]));
}

function pairsBlock() {
    const meetings = new Meetings(), values = el("div", {class: "values", role: "status"});
    const show = (a, b, button) => {
        values.replaceChildren(valuesTable(meetings, a, b));
        for (const other of table.querySelectorAll("[aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
        button.setAttribute("aria-pressed", "true");
    };
    const cell = (a, b) => {
        const counts = meetings.table(a, b).flat().filter(n => n !== null), all = counts.length;
        const met = counts.filter(n => n > 0).length;
        const button = el("button", {type: "button", "aria-pressed": "false",
                                     "aria-label": `${a.name} and ${b.name}: ${met} of ${all} pairs met`,
                                     onclick: () => show(a, b, button)}, `${met}/${all}`);
        return el("td", {class: "shade", style: shade(all === 0 ? 1 : met / all)}, button);
    };
    const rows = axes.slice(0, -1), columns = axes.slice(1), name = axis => axis.name;
    const table = pairsTable("Pairs of values that met, of all that can, by two axes; open one to see its values",
                             rows.map(name), columns.map(name), (i, k) => k < i ? el("td") : cell(rows[i], columns[k]));
    return [table, values];
}

function drawCoverage() {
    const known = Object.keys(kindTitles);
    const place = ([{kind}]) => known.includes(kind) ? known.indexOf(kind) : known.length;
    const kinds = groupedBy(items, item => item.kind).sort((a, b) => place(a) - place(b));
    section("coverage").append(quiet("Counted are attempts that were executed, whatever came of them."),
                               ...kinds.map(kindBlock));
    if (axes.length > 1) section("coverage").append(el("h3", {}, "Axes by pair"), ...pairsBlock());
}
