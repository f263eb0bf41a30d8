// What a reader would see, asked of the page itself.
const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 0;
const named = (element) => element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);

// Everything that reaches past the right edge and is not inside a box that scrolls. On paper nothing does.
function tooWide() {
  const scrolls = (e) => e && (["auto", "scroll"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const edge = document.documentElement.clientWidth + 0.5;
  const late = [...document.body.querySelectorAll("*")].filter(
    (e) => shown(e) && !scrolls(e.parentElement) && e.getBoundingClientRect().right > edge,
  );
  const page = document.scrollingElement.scrollWidth;
  return late.map((e) => `${e.tagName}: ${named(e)}`).concat(page > edge ? [`the page is ${page} wide`] : []);
}

// Tables that do not fit their box, so that a reader has to scroll sideways.
function cutTables() {
  const cut = [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth);
  return cut.map((box) => `${box.ariaLabel}: ${box.scrollWidth} in ${box.clientWidth}`);
}

// Labels of a chart that overlap each other or leave the chart.
function crowdedLabels() {
  const found = [];
  for (const svg of [...document.querySelectorAll("svg")].filter(shown)) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((e) => ({ words: named(e), box: e.getBoundingClientRect() }));
    for (const { words, box } of texts) {
      // Chromium's box of a text that begins with a T, as Trinadad does, begins 1.0 pixels before it.
      const past = Math.max(frame.left - box.left, box.right - frame.right, box.bottom - frame.bottom, frame.top - box.top);
      if (past > 1.01)
        found.push(`${words} leaves the chart by ${past.toFixed(1)}`);
    }
    texts.forEach((a, i) =>
      texts.slice(i + 1).forEach((b) => {
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        // Boxes are as high as the font's highest letter; lines may share a little of that.
        if (across > 0.5 && down > 3) found.push(`${a.words} meets ${b.words}`);
      }),
    );
  }
  return found;
}

// Texts whose contrast with what lies behind them is below 4.5, the threshold of WCAG AA.
function faintTexts() {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
    if (!own || !shown(e) || ["title", "desc"].includes(e.tagName)) continue;
    const style = getComputedStyle(e);
    const pair = [parse(e.closest("svg") ? style.fill : style.color).slice(0, 3), behind(e)].map(light).sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)}: ${named(e)}`);
  }
  return found;
}

// The rows of every forest plot: what they say, and where they stand.
function marks() {
  return [...document.querySelectorAll("svg")].map((svg) =>
    [...svg.querySelectorAll("[data-name][data-estimate]")].map((row) => {
      const data = row.dataset;
      const number = (text) => (text === undefined ? null : Number(text));
      const at = (selector, name) => {
        const part = row.querySelector(selector);
        return part ? Number(part.getAttribute(name)) : null;
      };
      return {
        name: data.name,
        estimate: number(data.estimate), lower: number(data.lower), upper: number(data.upper),
        // The whole interval: what a declared bound adds is a bar of its own behind the others.
        dot: at(".dot", "cx"), left: at(".bound", "x1") ?? at(".privacy", "x1"), right: at(".bound", "x2") ?? at(".privacy", "x2"),
      };
    }),
  );
}
