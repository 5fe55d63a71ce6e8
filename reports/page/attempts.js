// The table of all attempts and what narrows it down.

const mode = a => a.way.mode;
const facets = [
    ["suite", a => a.case.suite], ["verdict", a => a.verdict.name], ["dtype", a => a.case.dtype],
    ["geometry", a => a.case.geometry], ["dialect", a => a.case.dialect], ["mode", mode],
];

const attemptColumns = [
    {title: "verdict", key: a => severity(a), show: a => verdictMark(a.verdict), down: true, then: 7},
    {title: "suite", key: a => a.case.suite, show: a => a.case.suite ?? ""},
    {title: "case", key: a => restOfId(a.case), show: a => restOfId(a.case), heads: true},
    {title: "mode", key: mode, show: a => mode(a) ?? ""},
    {title: "dtype", key: a => a.case.dtype, show: a => a.case.dtype ?? ""},
    {title: "geometry", key: a => a.case.geometry, show: a => a.case.geometry ?? ""},
    {title: "dialect", key: a => a.case.dialect, show: a => a.case.dialect ?? ""},
    {title: "error / budget", key: a => a.excess, show: a => figure(a.excess), figures: true, down: true, then: 8},
    {title: "ratio", key: a => a.ratio, show: a => figure(a.ratio), figures: true, down: true},
    {title: "ms", key: a => a.seconds.all, show: a => milliseconds(a.seconds.all), figures: true, down: true},
];

// What failed before what the harness broke, then what was not judged, then what is worth a look, then the rest.
function severity(a) {
    const {status, name} = a.verdict;
    return status === 1 ? 5 : status === 3 ? 4 : status === 2 ? 3 : name === "PASS" ? 0 : name === "MARGINAL" ? 2 : 1;
}

const grid = new Grid({label: "Attempts", noun: "attempts", columns: attemptColumns, rows: attempts, open: detailOf,
                       sort: 0});

function counted(of) {
    const seen = new Map();
    for (const a of attempts) seen.set(of(a), (seen.get(of(a)) ?? 0) + 1);
    return [...seen].filter(([value]) => value !== null).sort(([a], [b]) => collator.compare(a, b));
}

const search = el("input", {type: "search", id: "search", placeholder: "in the id, or what is wrong",
                            spellcheck: "false", autocomplete: "off", oninput: () => narrow()});
const pickers = facets.map(([name, of]) => {
    const options = counted(of).map(([value, n]) => el("option", {value}, `${value} (${count(n)})`));
    const all = el("option", {value: ""}, "all");
    const picker = el("select", {id: `pick-${name}`, onchange: () => narrow()}, all, options);
    return {name, of, picker};
});

// What the words of the search are looked for in, made when it is first needed.
const searched = new Array(attempts.length).fill(null);
const textOf = a => searched[a.index] ??= [
    a.case.id, mode(a), a.verdict.name, a.way.rule, a.message, ...a.explanation, ...a.case.covers, ...a.case.tags,
    ...a.findings.map(f => `${f.detector} ${f.text}`),
].join("\n").toLowerCase();

function narrow() {
    const picked = pickers.filter(({picker}) => picker.value !== "").map(({of, picker}) => [of, picker.value]);
    const sought = search.value.toLowerCase().split(/\s+/).filter(word => word !== "");
    grid.filter(a => picked.every(([of, value]) => of(a) === value) &&
                     (sought.length === 0 || sought.every(word => textOf(a).includes(word))));
    clear.disabled = picked.length + sought.length === 0;
}

// Everything but the given facets and words is let through.
function pick(values, words = "") {
    for (const {name, picker} of pickers) picker.value = values[name] ?? "";
    search.value = words;
    narrow();
}

const clear = el("button", {type: "button", disabled: true, onclick: () => pick({})}, "clear");

function reveal(attempt) {
    if (!grid.reveal(attempt)) {
        pick({});
        grid.reveal(attempt);
    }
    remember(attempt, true);
}

// The address names the attempt that was opened last, so that a link to it can be passed on.
function remember(attempt, open) {
    history.replaceState(null, "", open ? "#attempt=" + encodeURIComponent(keyOf(attempt)) : "#attempts");
}

function revealNamed() {
    const [name, key] = location.hash.split("=", 2);
    if (name !== "#attempt") return;
    const attempt = attempts.find(a => encodeURIComponent(keyOf(a)) === key);
    if (attempt !== undefined) reveal(attempt);
}

const attemptLink = (a, text) => el("button", {type: "button", class: "link", onclick: () => reveal(a)}, text);

function drawAttempts() {
    const labelled = (id, title, control) => el("label", {for: id}, el("span", {}, title), control);
    grid.onToggle = remember;
    const controls = [labelled("search", "search", search),
                      pickers.map(({name, picker}) => labelled(`pick-${name}`, name, picker)), clear];
    const stay = event => event.preventDefault();
    section("attempts").append(
        el("form", {class: "filters", role: "search", "aria-label": "Filter of attempts", onsubmit: stay}, controls),
        grid.element);
}
