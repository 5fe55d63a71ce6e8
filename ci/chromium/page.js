// What the tests ask of the page from within.
const every = selector => [...document.querySelectorAll(selector)];
const inAttempts = selector => every("#attempts " + selector);
const rows = () => inAttempts(".grid tbody tr[data-row]").map(tr => [...tr.cells].map(cell => cell.textContent));
const titles = () => inAttempts(".grid thead th").map(th => th.textContent);
const heading = title => inAttempts(".grid thead th").find(th => th.textContent === title);

function put(id, value, event) {
    const control = document.getElementById(id);
    control.value = value;
    control.dispatchEvent(new Event(event));
}

const seek = words => put("search", words, "input");
const choose = (facet, value) => put("pick-" + facet, value, "change");

// Milliseconds from an act to the layout that shows what it did; the least of a few, since the machine may be shared.
function quickest(act) {
    const taken = [];
    for (let i = 0; i < 6; i++) {
        const start = performance.now();
        act(i);
        document.body.getBoundingClientRect();
        taken.push(performance.now() - start);
    }
    return Math.min(...taken.slice(1));
}

function redPixels(canvas) {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let red = 0;
    for (let i = 0; i < data.length; i += 4) red += data[i] > 180 && data[i + 1] < 90 && data[i + 3] > 200;
    return red;
}

function place(selector) {
    const {left, top, width, height} = document.querySelector(selector).getBoundingClientRect();
    return {left, top, width, height};
}

// [red, green, blue] of a colour of the style sheet.
function colour(name) {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const rgb = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
    probe.remove();
    return rgb;
}
