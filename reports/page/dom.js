// Elements from what they hold. Text becomes text nodes: nothing of a journal is ever parsed as markup.

function el(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (value === true) element.setAttribute(key, "");
        else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
    }
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
    return element;
}

const quiet = text => el("p", {class: "quiet"}, text);
const section = id => document.getElementById(id);
const verdictMark = ({name, status}) =>
    el("span", {class: "verdict", "data-verdict": name, "data-status": status}, name);

// What is wider than the page scrolls by itself, with the keys too.
const scroller = (label, table) =>
    el("div", {class: "scroll", role: "region", "aria-label": label, tabindex: "0"}, table);

// Pairs of a name and a text; those without a text are left out.
function definitions(pairs) {
    return el("dl", {}, pairs.filter(([, text]) => text !== null && text !== undefined && text !== "")
        .map(([name, text]) => el("div", {class: text.length > 30 ? "wide" : null}, el("dt", {}, name), el("dd", {}, text))));
}

// A line to be pasted into a shell.
function shellLine(text, does) {
    const said = el("span", {role: "status"});
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            const range = document.createRange();
            range.selectNodeContents(code);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            document.execCommand("copy");
        }
        said.textContent = "copied";
    };
    const code = el("code", {}, text);
    const button = el("button", {type: "button", onclick: copy, "aria-label": `Copy the line that ${does}`}, "copy");
    return el("div", {class: "shell"}, code, button, el("span", {class: "quiet"}, does), said);
}

// A table as it is: columns are [title, class], class "n" sets figures to the right; the first cell names its row.
function scrolled(caption, columns, rows) {
    const cell = (text, i) => i === 0 ? el("th", {scope: "row"}, text) : el("td", {class: columns[i][1]}, text);
    const heads = columns.map(([title, look]) => el("th", {scope: "col", class: look}, title));
    const body = rows.map(row => el("tr", {}, row.map(cell)));
    return scroller(caption, el("table", {}, el("caption", {class: "hidden"}, caption),
                                el("thead", {}, el("tr", {}, heads)), el("tbody", {}, body)));
}
