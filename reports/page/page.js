// The sections in their order, and the keys.

drawOverview();
drawFaults();
drawAttempts();
drawError();
drawTolerance();
drawCoverage();
drawMutants();
drawTimes();

for (const heading of document.querySelectorAll("main > section > h2")) {
    const {id} = heading.parentElement;
    heading.id = `${id}-heading`;
    heading.parentElement.setAttribute("aria-labelledby", heading.id);
    document.querySelector("nav ul").append(el("li", {}, el("a", {href: `#${id}`}, heading.textContent)));
}

// "/" goes to the search, as in a pager.
document.addEventListener("keydown", event => {
    const typing = event.target.matches("input:not([type=radio]), select, textarea");
    if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || typing) return;
    event.preventDefault();
    search.focus();
    search.select();
});

addEventListener("hashchange", revealNamed);
revealNamed();
document.documentElement.dataset.ready = "";
