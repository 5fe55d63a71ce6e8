// The journal as the page sees it: attempts, each with the case that it tried and the way in which it was tried.

const raw = JSON.parse(document.getElementById("data").textContent);
const verdicts = raw.verdicts;
const verdictOf = name => verdicts.find(v => v.name === name) ?? {name};

// What cannot be seen is written out, as everywhere in the page.
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const visible = text => text.replace(hidden, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

// A file that lay beside the reports, or null.
const besideOf = id => JSON.parse(document.getElementById(id).textContent,
                                  (_, value) => typeof value === "string" ? visible(value) : value);

const figures = {nan: NaN, inf: Infinity, "-inf": -Infinity};
const number = value => typeof value === "string" ? figures[value] ?? Number(value) : value;

const lists = new Map(); // each made once, so that equal lists are one

function listAt(at) {
    if (!lists.has(at)) lists.set(at, raw.pool[at].map(item => raw.pool[item]));
    return lists.get(at);
}

const readers = {text: at => raw.pool[at], list: listAt, number};

// Rows of the pool as objects, each made once; equal rows are one object.
function decoder(fields) {
    const known = new Map();
    return at => {
        if (!known.has(at)) {
            const row = raw.pool[at];
            known.set(at, Object.fromEntries(fields.map(([name, kind], i) => [name, readers[kind](row[i])])));
        }
        return known.get(at);
    };
}

const caseAt = decoder(raw.fields.case);
const wayAt = decoder(raw.fields.way);
const tensorAt = decoder(raw.fields.tensor);

// NaN is worse than all; -1 stands for no budget.
const isWorse = (a, b) => Number.isNaN(a) ? !Number.isNaN(b) : a > b;
const worstOf = (items, of) =>
    items.reduce((worst, item) => worst === null || isWorse(item[of], worst[of]) ? item : worst, null);

function attemptOf(row, index) {
    const [caseRow, wayRow, verdict, message, output, findings, oracle, subject, all, tensorRows, found, explained] =
        row;
    const tensors = tensorRows.map(tensorAt);
    const judged = tensors.filter(t => !(t.excess < 0));
    return {
        index, verdict: verdicts[verdict], case: caseAt(caseRow), way: wayAt(wayRow), tensors,
        excess: worstOf(judged, "excess")?.excess ?? null, ratio: worstOf(judged, "ratio")?.ratio ?? null,
        message: raw.pool[message], explanation: listAt(explained), output: raw.pool[output], findingsAll: findings,
        findings: found.filter((_, i) => i % 2 === 0).map((detector, i) =>
            ({detector: raw.pool[detector], text: raw.pool[found[2 * i + 1]]})),
        seconds: {oracle: number(oracle), subject: number(subject), all: number(all)},
    };
}

const attempts = raw.attempts.map(attemptOf);

// What sets the case apart within its suite: "edge/dialect=onnxruntime,local_window_size=16".
const restOfId = c => c.suite && c.id.startsWith(c.suite + "/") ? c.id.slice(c.suite.length + 1) : c.id;
const reproOf = a => a.way.after === null ? a.way.before : a.way.before + a.case.id + a.way.after;
const isBad = a => a.verdict.status === 1 || a.verdict.status === 3; // the subject's fault, the harness's
const keyOf = a => `${a.case.id};${a.way.mode ?? ""};${a.way.subject ?? ""}`;
