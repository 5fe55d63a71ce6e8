#!/usr/bin/env python3
"""Pictures of a page of reports, for reports/README.md: screenshots.py build/reports/index.html reports/images"""

import pathlib
import sys

import browser

WIDTH = 1360
FAILURE = """{
    const pick = document.getElementById('pick-suite');
    pick.value = 'softcap';
    pick.dispatchEvent(new Event('change'));
    document.querySelector('#attempts .opener').click();
    document.querySelector('#attempts .filters').scrollIntoView();
}"""
COVERAGE = "document.querySelector('#coverage').scrollIntoView(); document.querySelectorAll('.pairs button')[19].click()"
PICTURES = {
    "overview": ("scrollTo(0, 0)", 640),
    "failure": (FAILURE, 1440),
    "error": ("document.querySelector('#error').scrollIntoView()", 680),
    "coverage": (COVERAGE, 860),
}


def main(source, folder):
    with browser.browser() as page:
        for name, (script, height) in PICTURES.items():
            page.size(WIDTH, height)
            page.open(pathlib.Path(source).resolve().as_uri(), "document.documentElement?.dataset.ready !== undefined")
            page.run(script)
            page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            page.screenshot(pathlib.Path(folder) / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
