// One attempt in full: what its case is for, the elements that failed in the operator's words, which wrong reading
// explains them, the line that repeats it, how far each tensor was off, and what the case comes to.

const wholeFinding = new RegExp([
    /^(?<what>.*): token (?<token>\d+) \((?<where>[^)]*)\)(?:, head (?<head>\d+))?, channel (?<channel>\d+): /,
    /want (?:(?<wantBits>0x[0-9a-f]+) \((?<wantOf>\S+)\)|(?<want>\S+)), /,
    /got (?:(?<bits>0x[0-9a-f]+) \((?<ofBits>\S+)\)|(?<got>\S+) \((?<gotBits>0x[0-9a-f]+)\))/,
    /(?:, allowed (?:only (?<only>\S+)|(?<low>\S+) to (?<high>\S+)))?$/,
].map(part => part.source).join(""));

const words = ["token", "sequence", "position", "page", "slot", "head", "channel"];
const inBits = (value, bits) => bits ? [value, " ", el("code", {class: "bits"}, bits)] : value;
const asBits = (text, dtype) => text === undefined ? null : bitsOf(number(text), dtype);

// A finding about one element as a row of the table, or null.
function elementOf(finding, dtype) {
    const found = wholeFinding.exec(finding.text)?.groups;
    if (found === undefined) return null;
    const place = {token: found.token, head: found.head, channel: found.channel};
    for (const [, word, at] of found.where.matchAll(/(\w+) (-?\d+)/g)) place[word] = at;
    const want = found.want ?? found.wantOf, got = found.got ?? found.ofBits;
    const {only, low, high} = found;
    const end = text => inBits(text, asBits(text, dtype));
    const allowed = only !== undefined ? ["only ", end(only)] : low === undefined ? "–" : [end(low), " to ", end(high)];
    return [found.what, ...words.map(word => place[word] ?? "–"), inBits(want, found.wantBits ?? asBits(want, dtype)),
            inBits(got, found.gotBits ?? found.bits), allowed];
}

function findingsOf(a) {
    const rows = a.findings.map(finding => elementOf(finding, a.case.dtype));
    const sentences = a.findings.filter((_, i) => rows[i] === null);
    const elements = rows.filter(row => row !== null);
    const more = a.findingsAll - a.findings.length;
    const columns = [["element", ""], ...[...words, "want", "got", "allowed"].map(word => [word, "n"])];
    if (a.findings.length === 0) return null;
    return el("div", {}, el("h3", {}, "What is wrong"),
              elements.length === 0 ? null : scrolled("Elements that failed", columns, elements),
              sentences.map(f => el("p", {}, el("b", {}, f.detector), ": ", f.text)),
              more > 0 ? quiet(`and ${count(more)} more`) : null);
}

// The readings that answer as the subject did, "window-wider: the window keeps one key more"; null where none was
// sought.
function explanationOf(a) {
    if (a.explanation.length === 0) return null;
    const reading = (text, i) => {
        const at = text.indexOf(":");
        return [i === 0 ? "" : "; or ", el("b", {}, at < 0 ? text : text.slice(0, at)), at < 0 ? "" : text.slice(at)];
    };
    return el("p", {class: "explanation"}, "agrees with ", a.explanation.map(reading));
}

const placeOf = t => words.filter(word => t[word] >= 0).map(word => `${word} ${t[word]}`).join(", ") || "–";
const ulpsOf = t => t.ulps > 2 ** 60 ? "inf" : count(t.ulps);

const tensorLines = [
    ["elements", t => count(t.elements)],
    ["mismatches", t => count(t.mismatches)],
    ["error / budget", t => measure(t.excess)],
    ["ratio", t => measure(t.ratio)],
    ["median ratio", t => measure(t.ratio_median)],
    ["worst absolute", t => figure(t.absolute)],
    ["worst relative", t => figure(t.relative)],
    ["worst ULP", ulpsOf],
    ["of fixed tolerance", t => measure(t.fixed)],
    ["worst element", placeOf],
    ["want", (t, shown) => shown(t.want)],
    ["got", (t, shown) => shown(t.got)],
    ["allowed from", (t, shown) => shown(t.low)],
    ["allowed to", (t, shown) => shown(t.high)],
];

function tensorsOf(a) {
    if (a.tensors.length === 0) return null;
    const shown = value => inBits(figure(value, 9), bitsOf(value, a.case.dtype));
    const rows = tensorLines.map(([title, show]) => [title, ...a.tensors.map(t => show(t, shown))]);
    const columns = [["", ""], ...a.tensors.map(t => [t.tensor, "n"])];
    return el("div", {}, el("h3", {}, "Error against budget"), scrolled("Error against budget", columns, rows));
}

const cut = pair => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];

// What the case's matrix gave it, then where it lies on the axes of coverage.
function caseOf(a) {
    const [, ...rest] = restOfId(a.case).split("/");
    const given = rest.join("/").split(",").filter(pair => pair.includes("=")).map(cut);
    const axes = a.way.axes.map(cut);
    const known = new Set(given.map(([name]) => name));
    const c = a.case;
    return [...given, ...axes.filter(([name]) => !known.has(name)), ["data", c.design], ["expected", c.expect],
            ["stands in", c.place], ["covers", c.covers.join(" ")], ["tags", c.tags.join(" ")]];
}

// The call that the case comes to, as `attest show` has it; null where an older journal does not say.
function expansionOf({attributes, shapes, sequences}) {
    if (shapes.length === 0) return null;
    const pairs = attributes.map(text => [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)]);
    const tensors = shapes.map(text => /^(\S+) (\S+) (.*)$/.exec(text)?.slice(1) ?? [text, "", ""]);
    const lengths = sequences.map(text => {
        const [, times = "1", past, fresh] = /^(?:(\d+) x )?past (\d+), new (\d+)$/.exec(text) ?? [];
        return past === undefined ? [text, "", ""] : [times, past, fresh];
    });
    const block = (title, columns, rows) => el("div", {}, el("h3", {}, title), scrolled(title, columns, rows));
    return el("div", {class: "thirds"},
              block("Attributes", [["attribute", ""], ["value", "n"]], pairs),
              block("Tensors", [["tensor", ""], ["type", ""], ["shape", ""]], tensors),
              block("Sequences", [["how many", ""], ["past", "n"], ["new", "n"]], lengths));
}

const begin = digest => digest && `${digest}…`;

function recordOf(a) {
    const {way, seconds} = a;
    const replays = way.replays > 0 ? `${way.replays_equal} of ${way.replays} bit-equal to eager` : null;
    const nodes = way.kernels + way.other_nodes > 0 ? `${way.kernels} kernel, ${way.other_nodes} other` : null;
    const [all, oracle, subject] = [seconds.all, seconds.oracle, seconds.subject].map(milliseconds);
    return [["subject", way.subject], ["mode", way.mode], ["gate", way.gate], ["rule", way.rule],
            ["arithmetic", way.arithmetic], ["replays", replays], ["graph nodes", nodes],
            ["time", `${all} ms; oracle ${oracle}, subject ${subject}`], ["device", way.device],
            ["worker", String(way.worker)], ["tier", a.case.tier], ["content", a.case.hash],
            ["inputs SHA-256", begin(a.case.inputs)], ["output SHA-256", begin(a.output)]];
}

// `attest repro ...` as another command of the program, without the options that this one does not take.
function asCommand(line, command, ...without) {
    if (!line.includes(" repro ")) return null;
    const leaveOut = (rest, option) => rest.replace(new RegExp(` --${option} ('[^']*'|\\S+)`), "");
    return without.reduce(leaveOut, line.replace(" repro ", ` ${command} `));
}

function linesOf(a) {
    const line = reproOf(a);
    if (line === null) return null;
    const wrong = isBad(a) && a.tensors.some(t => t.mismatches > 0), unexplained = wrong && a.explanation.length === 0;
    const lines = [["repeats it", line], ["explains it", unexplained ? asCommand(line, "explain", "mode") : null],
                   ["shows the case in full", asCommand(line, "show", "mode", "subject", "device")]];
    const given = lines.filter(([, text]) => text !== null);
    return el("div", {}, el("h3", {}, "Again"), given.map(([does, text]) => shellLine(text, does)));
}

function detailOf(a) {
    const explained = explanationOf(a);
    const message = a.message === null ? null : el("p", {class: "message"}, a.message);
    return el("div", {class: "attempt"}, el("p", {class: "why"}, a.case.why ?? ""), message, findingsOf(a),
              explained === null ? null : el("div", {}, el("h3", {}, "Explanation"), explained), linesOf(a),
              el("div", {class: "thirds"}, tensorsOf(a),
                 el("div", {}, el("h3", {}, "Case"), definitions([["id", a.case.id], ...caseOf(a)])),
                 el("div", {}, el("h3", {}, "Attempt"), definitions(recordOf(a)))), expansionOf(a.case));
}
