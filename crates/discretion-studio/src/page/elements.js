// Elements of the page, made from texts and values alone: nothing is ever parsed as markup.

let texts = {};

/** Takes the texts of a language. */
export const speak = (of) => { texts = of; };

/** A text by its key, with {names} filled in. */
export function t(key, values = {}) {
  const text = texts[key];
  if (text === undefined) throw new Error(`no text is called ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Whether there is a text of this key. */
export const has = (key) => texts[key] !== undefined;

/** An element with attributes and children. Attributes that begin with "on" are handlers. */
export function make(tag, attributes = {}, ...children) {
  const drawn = ["svg", "line", "path", "text", "title", "rect", "g", "circle"].includes(tag);
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const count = (number) => Number(number).toLocaleString("en");
export const short = (number) => {
  const rounded = Number(Number(number).toPrecision(3));
  return rounded !== 0 && Math.abs(rounded) < 1e-3 ? rounded.toExponential() : String(rounded);
};

/** A sentence with its capital letter and its full stop. */
export const asSentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`.replace(/([.?!])\.$/, "$1");

let last = 0;
export const fresh = (stem) => `${stem}-${++last}`;

/** A button. */
export const button = (label, act, kind = "") => make("button", { type: "button", class: kind, onclick: act }, label);

/** A field with its label, what it means, and a place for what is wrong with it. */
export function field(label, input, { help = "", name = "" } = {}) {
  const id = input.id || fresh("field");
  input.id = id;
  const described = [];
  const parts = [make("label", { for: id }, label), input];
  if (help) {
    described.push(`${id}-help`);
    parts.push(make("p", { class: "help", id: `${id}-help` }, help));
  }
  described.push(`${id}-said`);
  parts.push(make("p", { class: "wrong", id: `${id}-said`, "data-for": name }));
  input.setAttribute("aria-describedby", described.join(" "));
  return make("div", { class: "field", "data-field": name }, parts);
}

/** A field of one line. */
export const input = (value, changed, more = {}) =>
  make("input", { type: "text", value, autocomplete: "off", spellcheck: "false", oninput: (event) => changed(event.target.value), ...more });

/** A field of several lines. */
export function area(value, changed, more = {}) {
  const made = make("textarea", { rows: 3, spellcheck: "false", oninput: (event) => changed(event.target.value), ...more });
  made.value = value;
  return made;
}

/** One of several. Choices are pairs of a value and its name. */
export function select(value, choices, changed, more = {}) {
  const options = choices.map(([of, name]) => make("option", { value: of, selected: of === value }, name));
  return make("select", { onchange: (event) => changed(event.target.value), ...more }, options);
}

/** A box to tick, with its words. */
export function tick(label, ticked, changed, help = "") {
  const id = fresh("tick");
  const box = make("input", { type: "checkbox", id, checked: ticked, onchange: (event) => changed(event.target.checked) });
  const about = help ? make("span", { class: "help" }, ` ${help}`) : null;
  return make("p", { class: "tick" }, box, make("label", { for: id }, label, about));
}

/** Names with values, as a list that can be read aloud. */
export const facts = (pairs) =>
  make("dl", { class: "key-facts" }, pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));

/** Tells those who listen. */
export function announce(sentence) {
  document.getElementById("live").textContent = sentence;
}

/** A sentence in a coloured box. */
export const box = (kind, ...content) => make("div", { class: kind, role: kind === "wrong-box" ? "alert" : undefined }, content);

/** A part of the page with its heading. */
export const part = (heading, ...content) => make("section", {}, make("h2", {}, heading), content);
