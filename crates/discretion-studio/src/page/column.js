// One column: what it is, its bounds or values, and what is rarer behind "more".

import { area, field, input, make, select, t, tick } from "./elements.js";

const KINDS = ["number", "category", "date", "drop", "outcome", "person"];

/** A column as part of a list. `fields` are those that the program knows; what has to be filled in comes first. */
export function row(column, { fields, changed, roles }) {
  const choices = KINDS.map((kind) => [kind, t(`kind-${kind}`)]);
  const kind = select(column.kind, choices, (chosen) => roles(column, chosen), { "aria-label": t("kind-of", { name: column.name }) });
  const known = fields.filter((field) => field.section === "columns" && field.of.includes(column.kind));
  const [first, rest] = [known.filter((field) => field.required), known.filter((field) => !field.required)];
  const more = rest.map((field) => one(column, field, changed));
  const said = rest.some((field) => (column.fields[field.name] ?? "") !== "");
  const mark = column.looked_up && first.length > 0 ? lookedUp(column, changed) : null;
  return make("div", { class: `column${mark ? " looked-up" : ""}`, role: "listitem", "data-field": `columns/${column.name}/`, "data-column": column.name },
    make("div", { class: "column-head" }, make("h3", {}, column.name),
      make("div", { class: "field kind", "data-field": `columns/${column.name}/kind` }, kind),
      make("p", { class: "help" }, t(`kind-${column.kind}-help`))),
    make("div", { class: "column-fields" }, first.map((field) => one(column, field, changed)), mark,
      more.length ? make("details", { open: said }, make("summary", {}, t("more-of-column")), make("div", { class: "fields" }, more)) : null),
    make("p", { class: "wrong", "data-for": `columns/${column.name}/` }));
}

/** That this was read from the rows, until a person says that it is public. */
function lookedUp(column, changed) {
  const mark = make("div", { class: "not-private-box small" }, make("p", {}, t("looked-up")),
    tick(t("public-now"), false, (ticked) => { column.looked_up = !ticked; changed(); mark.classList.toggle("settled", ticked); mark.closest(".column").classList.toggle("looked-up", !ticked); }));
  return mark;
}

function one(column, { name: key, holds, words, default: usual }, changed) {
  const set = (value) => { column.fields[key] = value; changed(); };
  const value = column.fields[key] ?? "";
  const label = t(`field-${key}`);
  const about = { "aria-label": `${label}: ${column.name}` };
  const name = `columns/${column.name}/${key}`;
  const help = t(`field-${key}-help`);
  if (holds === "flag") {
    return make("div", { class: "field", "data-field": name }, tick(label, value === "true", (ticked) => set(ticked ? "true" : ""), help),
      make("p", { class: "wrong", "data-for": name }));
  }
  if (holds === "word") {
    const choices = [["", t(`word-${usual ?? "free"}`)], ...words.filter((word) => word !== usual).map((word) => [word, t(`word-${word}`)])];
    return field(label, select(value, choices, set, about), { help, name });
  }
  if (holds === "lines") return field(label, area(value, set, { ...about, rows: key === "values" ? 4 : 2 }), { help, name });
  const example = column.kind === "date" && ["min", "max", "missing"].includes(key) ? t("date-example") : "";
  return field(label, input(value, set, { ...about, placeholder: example, inputmode: column.kind === "number" ? "decimal" : "text" }), { help: ["min", "max"].includes(key) ? "" : help, name });
}
