// A table of many rows: sorted by its headings, a page of them at a time, rows that open. Twenty thousand rows stay
// quick because a sort is made once and a filter only walks along it.

const PAGE_ROWS = 100;

// Nothing, then numbers or texts, then what is no number.
function compareKeys(a, b) {
    const kind = key => key === null ? 0 : Number.isNaN(key) ? 2 : 1;
    return kind(a) - kind(b) || (typeof a === "string" ? collator.compare(a, b) : a < b ? -1 : a > b ? 1 : 0);
}

class Grid {
    // columns: {title, key(row), show(row)}, and where it applies: figures: set to the right; tall: the heading stands
    // on end; down: sorted downwards at first; then: number of the column that decides among equals; heads: names the
    // row, and opens it.
    constructor({label, noun, columns, rows, open, sort}) {
        Object.assign(this, {label, noun, columns, rows, open, from: 0, opened: new Set(), passes: () => true});
        this.ranks = columns.map(() => null);
        this.head = columns.map((column, i) => this.heading(column, i));
        this.body = el("tbody");
        this.said = el("p", {class: "said", role: "status"});
        this.pager = el("div", {class: "pager", role: "group", "aria-label": `Pages of ${noun}`});
        this.table = el("table", {class: "grid"}, el("caption", {class: "hidden"}, label),
                        el("thead", {}, el("tr", {}, this.head)), this.body);
        this.table.addEventListener("keydown", event => this.step(event));
        this.element = el("div", {}, this.said, scroller(`Table of ${noun}`, this.table), this.pager);
        this.sortBy(sort, columns[sort].down === true);
    }

    heading(column, i) {
        const click = () => this.sortBy(i, this.sorted.column === i ? !this.sorted.down : column.down === true);
        return el("th", {scope: "col", class: Grid.look(column)},
                  el("button", {type: "button", onclick: click}, column.title));
    }

    static look(column) {
        return column.tall ? "tall" : column.figures ? "n" : null;
    }

    // Places in the order of a column, 0..most, found once: a later sort compares numbers alone.
    rankOf(i) {
        if (this.ranks[i] !== null) return this.ranks[i];
        const keys = this.rows.map(this.columns[i].key), different = [...new Set(keys)].sort(compareKeys);
        const place = new Map(different.map((key, at) => [key, at]));
        return this.ranks[i] = {at: Uint32Array.from(keys, key => place.get(key)), most: different.length - 1};
    }

    // Both ranks and the row in one number, 2^53 being far away, so that no function has to compare.
    sortBy(column, down) {
        const {then = column} = this.columns[column], {length} = this.rows;
        const first = this.rankOf(column), second = this.rankOf(then);
        const place = at => down ? first.most - first.at[at] : first.at[at];
        const weigh = at => (place(at) * (second.most + 1) + second.most - second.at[at]) * length + at;
        this.sorted = {column, down};
        this.order = Uint32Array.from(Float64Array.from(this.rows.keys(), weigh).sort(), weight => weight % length);
        this.head.forEach((th, i) => i === column ? th.setAttribute("aria-sort", down ? "descending" : "ascending")
                                                  : th.removeAttribute("aria-sort"));
        this.filter(this.passes);
    }

    filter(passes) {
        this.passes = passes;
        this.shown = this.order.filter(at => passes(this.rows[at]));
        this.from = 0;
        this.draw();
    }

    draw() {
        const page = this.shown.subarray(this.from, this.from + PAGE_ROWS), all = this.rows.length;
        this.body.replaceChildren(...Array.from(page, at => this.row(at)).flat());
        const part = this.shown.length === all ? "" : `${count(this.shown.length)} of `;
        this.said.textContent = `${part}${count(all)} ${this.noun}`;
        this.drawPager(`${count(this.from + 1)} to ${count(this.from + page.length)}`);
    }

    drawPager(range) {
        const {from} = this, last = PAGE_ROWS * Math.floor(Math.max(0, this.shown.length - 1) / PAGE_ROWS);
        const turn = (title, to) => el("button", {type: "button", disabled: to < 0 || to > last || to === from,
                                                  onclick: () => this.turnTo(to)}, title);
        this.pager.hidden = last === 0;
        this.pager.replaceChildren(turn("first", 0), turn("previous", from - PAGE_ROWS), range,
                                   turn("next", from + PAGE_ROWS), turn("last", last));
    }

    turnTo(from) {
        this.from = from;
        this.draw();
        this.table.scrollIntoView();
        this.body.querySelector("button")?.focus({preventScroll: true});
    }

    row(at) {
        const row = this.rows[at], opened = this.opened.has(at);
        const cells = this.columns.map(column => {
            const shown = column.show(row), look = {class: Grid.look(column)};
            if (!column.heads) return el("td", look, shown);
            return el("th", {scope: "row", ...look}, this.open ? this.opener(at, shown, opened) : shown);
        });
        const tr = el("tr", {"data-row": at}, cells);
        return opened ? [tr, this.detail(at)] : [tr];
    }

    opener(at, text, opened) {
        return el("button", {type: "button", class: "opener", "aria-expanded": opened ? "true" : "false",
                             onclick: event => this.toggle(at, event.currentTarget)}, text);
    }

    detail(at) {
        return el("tr", {class: "detail"}, el("td", {colspan: this.columns.length}, this.open(this.rows[at])));
    }

    toggle(at, button) {
        const tr = button.closest("tr");
        const open = !this.opened.delete(at);
        if (open) {
            this.opened.add(at);
            tr.after(this.detail(at));
        } else {
            tr.nextElementSibling.remove();
        }
        button.setAttribute("aria-expanded", String(open));
        this.onToggle?.(this.rows[at], open);
    }

    // Turns to the row's page, opens it and puts the focus there; false where the filter hides it.
    reveal(row) {
        const at = this.rows.indexOf(row), place = this.shown.indexOf(at);
        if (place < 0) return false;
        this.opened.add(at);
        this.from = place - place % PAGE_ROWS;
        this.draw();
        const button = this.body.querySelector(`tr[data-row="${at}"] .opener`);
        button.closest("tr").scrollIntoView({block: "start"});
        button.focus({preventScroll: true});
        return true;
    }

    // Up, down, Home and End go from row to row.
    step(event) {
        const buttons = [...this.body.querySelectorAll(".opener")], here = buttons.indexOf(document.activeElement);
        const to = {ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1}[event.key];
        if (here < 0 || to === undefined) return;
        event.preventDefault();
        buttons[to]?.focus();
    }
}
