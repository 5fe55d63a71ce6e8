// Error over budget of all attempts: a dot an attempt, a row a suite, a decade a step. What is correctly rounded has no
// place on a logarithmic axis and gets a band of its own, and so has what is infinitely wrong.

const LEAST = -6, MOST = 12; // decades; what lies beyond is drawn in the bands
const ROW_HEIGHT = 17;

const measures = {
    excess: "distance from the exact value to the reals that round to the answer, over the bound; 0 is correctly " +
            "rounded, above 1 fails",
    ratio: "error over the bound and half an ulp; a correctly rounded answer may come close to 1",
};
const dotKinds = [
    {title: "passed", colour: "--dot", is: a => a.verdict.name === "PASS"},
    {title: "marginal, waived", colour: "--warn", is: a => a.verdict.name !== "PASS" && !isBad(a)},
    {title: "failed", colour: "--bad", is: isBad},
];

// In -0.5..0.5, the same for the same attempt.
function scatter(index, salt) {
    let bits = Math.imul(index + salt, 0x9e3779b1);
    bits = Math.imul(bits ^ bits >>> 15, 0x85ebca6b);
    return ((bits ^ bits >>> 13) >>> 0) / 2 ** 32 - 0.5;
}

function decadeOf(value, index, top) {
    const aside = 0.4 * scatter(index, 1);
    if (value < 10 ** LEAST) return LEAST - 0.5 + 2 * aside;
    if (!(value < 10 ** top)) return top + 0.5 + 2 * aside;
    return Math.log10(value);
}

class ErrorPlot {
    constructor(home) {
        this.home = home;
        this.shown = attempts.filter(a => a.excess !== null);
        this.suites = [...new Set(this.shown.map(a => a.case.suite ?? ""))].sort(collator.compare);
        this.tip = el("div", {class: "tip", hidden: true});
    }

    // uPlot wants one ascending x, and a y of each series for each x.
    place(of) {
        const worst = this.shown.reduce((most, a) => Number.isFinite(a[of]) ? Math.max(most, a[of]) : most, 1);
        const row = new Map(this.suites.map((suite, i) => [suite, i]));
        this.top = Math.min(MOST, Math.max(1, Math.ceil(Math.log10(worst))));
        this.dots = this.shown.map(a => ({
            attempt: a, x: decadeOf(a[of], a.index, this.top),
            y: row.get(a.case.suite ?? "") + 0.62 * scatter(a.index, 1 << 20),
        })).sort((a, b) => a.x - b.x);
    }

    draw(of) {
        this.place(of);
        this.plot?.destroy();
        this.plot = new uPlot(this.options(), this.series(), this.home);
        this.plot.over.append(this.tip);
        this.home.setAttribute("aria-label", this.inWords(of));
    }

    fit() {
        this.plot.setSize({width: this.width(), height: this.plot.height});
    }

    width() {
        return Math.max(this.home.clientWidth, 300);
    }

    series() {
        return [this.dots.map(dot => dot.x),
                ...dotKinds.map(kind => this.dots.map(dot => kind.is(dot.attempt) ? dot.y : null))];
    }

    inWords(of) {
        const over = this.shown.filter(a => !(a[of] <= 1)).length;
        const worst = worstOf(this.shown, of);
        return `${count(this.shown.length)} attempts by suite and ${of}: ${count(over)} above 1; ` +
               `the worst, ${figure(worst[of])}, is ${worst.case.id}. The table under Tolerance has the same by suite.`;
    }

    options() {
        const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
        const font = "12px system-ui, sans-serif", rows = this.suites.length;
        const axis = {stroke: colour("--quiet"), font, grid: {stroke: colour("--line"), width: 1},
                      ticks: {show: false}};
        const decades = Array.from({length: this.top - LEAST + 1}, (_, i) => LEAST + i);
        const marks = [LEAST - 0.5, ...decades, this.top + 0.5];
        const named = at => at < LEAST ? "0" : at > this.top ? "inf" : at === 0 ? "1" : `1e${at}`;
        const widest = Math.max(...this.suites.map(suite => suite.length), 4);
        const dots = kind => ({stroke: colour(kind.colour), paths: () => null,
                               points: {show: true, size: 4, width: 0, fill: colour(kind.colour)}});
        return {
            width: this.width(), height: rows * ROW_HEIGHT + 60, legend: {show: false},
            cursor: {x: false, y: false, points: {show: false}, drag: {x: false, y: false, setScale: false}},
            scales: {x: {time: false, range: [LEAST - 1, this.top + 1]}, y: {range: [-0.6, rows - 0.4], dir: -1}},
            axes: [{...axis, splits: () => marks, values: (_, at) => at.map(named)},
                   {...axis, splits: () => [...this.suites.keys()], values: (_, at) => at.map(i => this.suites[i]),
                    size: 16 + 6.6 * widest}],
            series: [{}, ...dotKinds.map(dots)],
            hooks: {draw: [plot => this.limits(plot, colour)], ready: [plot => this.listen(plot)]},
        };
    }

    // Where MARGINAL begins, and where FAIL does.
    limits({ctx, bbox, valToPos}, colour) {
        const limits = [[0.75, "--warn", "marginal ", "right"], [1, "--bad", " fails", "left"]];
        for (const [limit, name, says, align] of limits) {
            const x = Math.round(valToPos(Math.log10(limit), "x", true)) + 0.5;
            ctx.save();
            ctx.strokeStyle = colour(name);
            ctx.lineWidth = devicePixelRatio;
            ctx.beginPath();
            ctx.moveTo(x, bbox.top);
            ctx.lineTo(x, bbox.top + bbox.height);
            ctx.stroke();
            ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
            ctx.fillStyle = colour(name);
            ctx.textAlign = align;
            ctx.fillText(says, x, bbox.top - 4 * devicePixelRatio);
            ctx.restore();
        }
    }

    nearest(plot, left, top) {
        let best = null, least = 12 ** 2;
        for (const dot of this.dots) {
            const away = (plot.valToPos(dot.x, "x") - left) ** 2 + (plot.valToPos(dot.y, "y") - top) ** 2;
            if (away < least) [best, least] = [dot, away];
        }
        return best;
    }

    listen(plot) {
        const at = event => this.nearest(plot, event.offsetX, event.offsetY);
        plot.over.addEventListener("mousemove", event => this.show(plot, at(event)));
        plot.over.addEventListener("mouseleave", () => this.show(plot, null));
        plot.over.addEventListener("click", event => {
            const dot = at(event);
            if (dot !== null) reveal(dot.attempt);
        });
    }

    show(plot, dot) {
        this.tip.hidden = dot === null;
        plot.over.style.cursor = dot === null ? "default" : "pointer";
        if (dot === null) return;
        const a = dot.attempt, left = plot.valToPos(dot.x, "x");
        this.tip.replaceChildren(verdictMark(a.verdict), ` ${figure(a.excess)} excess, ${figure(a.ratio)} ratio`,
                                 el("br"), `${a.case.id} [${a.way.mode ?? ""}]`);
        this.tip.style.top = `${plot.valToPos(dot.y, "y") + 12}px`;
        const flip = left > plot.over.clientWidth / 2;
        this.tip.style.left = flip ? "auto" : `${left}px`;
        this.tip.style.right = flip ? `${plot.over.clientWidth - left}px` : "auto";
    }
}

function drawError() {
    const home = el("div", {class: "plot", role: "img"}), plot = new ErrorPlot(home), says = quiet("");
    let of = "excess";
    const redraw = () => {
        says.textContent = `${of}: ${measures[of]}`;
        plot.draw(of);
    };
    const choose = event => {
        of = event.currentTarget.value;
        redraw();
    };
    const choice = name => el("label", {}, el("input", {type: "radio", name: "measure", value: name,
                                                        checked: name === of, onchange: choose}), name);
    const key = dotKinds.map(({colour, title}) => el("li", {}, el("i", {style: `background: var(${colour})`}), title));
    if (plot.shown.length === 0) {
        section("error").append(el("p", {}, "No attempt was judged against a budget."));
        return;
    }
    section("error").append(
        el("div", {class: "tools"}, el("fieldset", {}, el("legend", {}, "measure"), Object.keys(measures).map(choice)),
           el("ul", {class: "key"}, key)), says, home);
    redraw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(() => plot.fit()).observe(home);
}
