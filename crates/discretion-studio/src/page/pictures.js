// Pictures: bars and one line, drawn from numbers, each with a title for those who cannot see it.

import { make, short } from "./elements.js";

/** A bar of parts: pairs of a class and a share of the whole. */
export function shares(title, parts, width = 320) {
  let x = 0;
  const drawn = parts.filter(([, share]) => share > 0).map(([kind, share]) => {
    const length = Math.max(2, share * width);
    const rect = make("rect", { class: kind, x, y: 0, width: Math.min(length, width - x), height: 14 });
    x = Math.min(width, x + length);
    return rect;
  });
  return make("svg", { class: "chart shares", viewBox: `0 0 ${width} 14`, role: "img", preserveAspectRatio: "none" },
    make("title", {}, title), make("rect", { class: "rest", x: 0, y: 0, width, height: 14 }), drawn);
}

/** Parts of a whole one after the other, each with a line at its end. */
export function parts(title, shares) {
  let x = 0;
  const drawn = shares.filter(([, share]) => share > 0).map(([kind, share]) => {
    const width = Math.max(2, 640 * share);
    const made = make("rect", { class: kind, x, y: 0, width: Math.max(1, width - (kind === "later" ? 2 : 0)), height: 14 });
    x += width;
    return made;
  });
  return make("svg", { class: "chart shares account", viewBox: "0 0 640 14", role: "img", preserveAspectRatio: "none" },
    make("title", {}, title), make("rect", { class: "rest", x: 0, y: 0, width: 640, height: 14 }), drawn);
}

/** Intervals around a value, a wide one and a narrow one in it, each pair with its name above it. */
export function bands(title, rows, value, [from, to]) {
  const [width, left, right, high] = [640, 24, 24, 62];
  const height = rows.length * high + 38;
  const x = (number) => left + (width - left - right) * (number - from) / (to - from);
  const levels = Array.from({ length: 6 }, (_, i) => from + i * (to - from) / 5);
  const one = ([name, wide, narrow], i) => make("g", {},
    make("text", { x: left, y: i * high + 20, "text-anchor": "start", class: "axis-name" }, name),
    make("rect", { class: "second", x: x(wide[0]), y: i * high + 32, width: Math.max(2, x(wide[1]) - x(wide[0])), height: 18 }),
    make("rect", { class: "first", x: x(narrow[0]), y: i * high + 36, width: Math.max(2, x(narrow[1]) - x(narrow[0])), height: 10 }));
  return make("svg", { class: "chart line-chart", viewBox: `0 0 ${width} ${height}`, role: "img" }, make("title", {}, title),
    levels.map((level) => make("g", {}, make("line", { class: "grid", x1: x(level), x2: x(level), y1: 28, y2: height - 34 }),
      make("text", { x: x(level), y: height - 12, "text-anchor": "middle" }, level.toFixed(1)))),
    rows.map(one), make("line", { class: "mark", x1: x(value), x2: x(value), y1: 28, y2: height - 34 }));
}

/** Bars on their side, each with its name and its number. */
export function bars(title, rows, kind = "first") {
  const most = Math.max(...rows.map(([, value]) => value), 1e-300);
  return make("table", { class: "bars" }, title ? make("caption", {}, title) : null,
    make("tbody", {}, rows.map(([name, value]) => {
      const bar = make("svg", { class: "chart", viewBox: "0 0 200 12", preserveAspectRatio: "none", "aria-hidden": "true" },
        make("rect", { class: kind, x: 0, y: 1, width: Math.max(1, 200 * value / most), height: 10 }));
      return make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "bar" }, bar), make("td", { class: "number" }, short(value)));
    })));
}

/** A line between logarithmic axes, with the place where somebody is. */
export function line(title, points, here, [xName, yName]) {
  const [width, height, left, right, foot, top] = [640, 264, 88, 24, 56, 34];
  const xs = points.map(([x]) => Math.log(x));
  const ys = points.map(([, y]) => Math.log(y));
  const [lowest, highest] = [Math.min(...ys), Math.max(...ys)];
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const x = (value) => left + (width - left - right) * (to > from ? (Math.log(value) - from) / (to - from) : 0.5);
  const y = (value) => height - foot - 8 - (height - foot - top - 16) * (highest > lowest ? (Math.log(value) - lowest) / (highest - lowest) : 0.5);
  const path = points.map(([px, py], i) => `${i ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
  const ticks = points.filter((_, i) => i % 2 === (points.length - 1) % 2);
  const levels = (highest > lowest ? [lowest, (lowest + highest) / 2, highest] : [lowest]).map(Math.exp);
  const nearest = points.reduce((best, point) => Math.abs(Math.log(point[0] / here)) < Math.abs(Math.log(best[0] / here)) ? point : best);
  return make("svg", { class: "chart line-chart", viewBox: `0 0 ${width} ${height}`, role: "img" }, make("title", {}, title),
    levels.map((level) => make("g", {}, make("line", { class: "grid", x1: left, x2: width - right, y1: y(level), y2: y(level) }),
      make("text", { x: left - 8, y: y(level) + 4, "text-anchor": "end" }, short(level)))),
    ticks.map(([value]) => make("text", { x: x(value), y: height - foot + 22, "text-anchor": "middle" }, short(value))),
    make("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, xName),
    make("text", { x: left, y: 18, "text-anchor": "start", class: "axis-name" }, yName),
    make("path", { class: "line first", d: path }),
    make("circle", { class: "here", cx: x(nearest[0]), cy: y(nearest[1]), r: 6 }));
}
