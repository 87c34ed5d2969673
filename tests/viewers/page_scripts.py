# SPDX-License-Identifier: MIT OR GPL-2.0
"""Scripts that tests run in a browser, for all pages with flame graphs."""

# This script chooses an option of a menu by its text.
CHOOSE = """
    const select = document.getElementById(arguments[0]);
    const found = Array.from(select.options).find((o) => o.text === arguments[1]);
    select.value = found.value;
    select.dispatchEvent(new Event("change"));
"""
# This script returns the labels and relative widths of a graph's boxes.
BOXES = """
    return Array.from(document.querySelectorAll("#flames [data-box]"), (box) =>
        [box.getAttribute("aria-label"), box.getBoundingClientRect().width /
            document.getElementById("flames").getBoundingClientRect().width]);
"""
# This script returns the label of the element that has the focus.
FOCUSED = "return document.activeElement.getAttribute('aria-label')"
# This script returns the smallest contrast between text and background among the
# elements that match a selector.
CONTRAST = """
    const channel = (c) =>
        (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) =>
        0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const behind = (element) => {
        for (; element; element = element.parentElement) {
            const colour = parse(getComputedStyle(element).backgroundColor);
            if (colour.length === 3 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    const chosen = Array.from(document.querySelectorAll(arguments[0]));
    return Math.min(...chosen.map((element) => {
        const text = light(parse(getComputedStyle(element).color));
        const ground = light(behind(element));
        return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    }));
"""
