// The second step: what every column is. The program checks each field as it is typed; nothing is looked up in the rows unless
// somebody asks for it, and then it is marked.

import { announce, area, box, button, field, input, make, part, select, t } from "./elements.js";
import { ask } from "./server.js";
import { row } from "./column.js";

export async function show(place, app) {
  const said = make("div", { class: "said", id: "columns-said" });
  const file = make("pre", { class: "file", tabindex: "0", "aria-label": t("study-file") });
  const changed = () => app.changed(save);
  const save = async () => {
    try {
      await app.save();
      said.replaceChildren();
      mark();
    } catch (error) { app.refuse(said, error); }
  };

  const rows = make("div", { class: "column-list", role: "list", "aria-label": t("columns") });
  const draw = () => {
    rows.replaceChildren(...app.form.columns.map((column) => row(column, { fields: app.state.fields, changed, roles })));
    outcome.replaceChildren(...outcomeFields(app, changed, roles, draw));
    mark();
  };
  /** The outcome and the person are one column each. */
  const roles = (column, kind) => {
    for (const other of app.form.columns) {
      if (other !== column && other.kind === kind && ["outcome", "person"].includes(kind)) other.kind = "drop";
    }
    column.kind = kind;
    draw();
    changed();
  };
  const mark = () => {
    file.textContent = app.checked.text ?? "";
    marks(place, app);
    const [open, wrong] = [app.checked.open.length, app.checked.problems.length];
    status.replaceChildren(app.checked.ready ? box("done-box", t("study-complete")) : box("note-box", t("study-state", { open, wrong })));
    next.disabled = !app.checked.ready;
    announce(app.checked.ready ? t("study-complete") : t("study-state", { open, wrong }));
  };
  const status = make("div", {});
  const outcome = make("div", { class: "fields" });
  const next = button(t("to-plan"), () => app.go("plan"), "go");
  next.id = "to-plan";

  if (app.checked.comments_go) place.append(box("caution", t("comments-go")));
  place.append(
    part(t("outcome"), make("p", {}, t("outcome-help")), outcome),
    part(t("columns"), make("p", {}, t("columns-help")), sources(app, said, async () => { app.dirty = true; draw(); await save(); }), rows),
    part(t("table-words"), make("div", { class: "fields" },
      field(t("account"), input(app.get("data", "account"), (value) => { app.set("data", "account", value); changed(); }, { id: "account" }), { help: t("account-help"), name: "data//account" }),
      field(t("na"), area(app.get("data", "na"), (value) => { app.set("data", "na", value); changed(); }, { id: "na" }), { help: t("na-help"), name: "data//na" }))),
    status, said, next,
    make("details", {}, make("summary", {}, t("study-file")), make("p", { class: "note" }, t("study-file-help", { study: app.study })), file));
  draw();
}

/** What can be predicted, with the fields that say it. */
const PREDICTED = { number: ["outcome_min", "outcome_max", "outcome_scale"], above: ["above"], classes: ["classes"], two: ["positive", "negative"] };

/** Which column is the outcome, and what its values mean. */
function outcomeFields(app, changed, roles, redraw) {
  const column = app.form.columns.find((known) => known.kind === "outcome");
  const names = [["", t("choose")], ...app.form.columns.map((known) => [known.name, known.name])];
  const choose = (name) => {
    const chosen = app.form.columns.find((known) => known.name === name);
    if (chosen) roles(chosen, "outcome");
  };
  const set = (key) => (value) => { app.set("data", key, value); changed(); };
  const one = (key) => {
    const [value, more] = [app.get("data", key), { id: `data-${key}` }];
    const made = key === "outcome_scale"
      ? select(value, [["", t("word-linear")], ["log", t("word-log")]], set(key), more)
      : app.about("data", key)?.holds === "lines" ? area(value, set(key), more) : input(value, set(key), { ...more, inputmode: "decimal" });
    return field(t(`data-${key}`), made, { help: t(`data-${key}-help`), name: `data//${key}` });
  };
  const data = (app.form.sections.data ??= {});
  const kind = Object.keys(PREDICTED).find((name) => PREDICTED[name].some((key) => key in data)) ?? "two";
  const predict = (chosen) => {
    for (const key of Object.values(PREDICTED).flat()) delete data[key];
    for (const key of PREDICTED[chosen]) data[key] = "";
    redraw();
    changed();
  };
  const kinds = Object.keys(PREDICTED).map((name) => [name, t(`predicts-${name}`)]);
  return [
    field(t("outcome-column"), select(column?.name ?? "", names, choose, { id: "outcome-column" }), { name: "data//target" }),
    field(t("predicts"), select(kind, kinds, predict, { id: "predicts" }), { help: t(`predicts-${kind}-help`), name: "data//" }),
    ...PREDICTED[kind].map(one),
  ];
}

/** Where bounds and values come from: a person, a data dictionary, or the rows themselves. */
function sources(app, said, done) {
  const merge = async (asked, lookedUp) => {
    try {
      const { form } = await ask("draft", { table: app.get("data", "path").split("\n")[0], query: app.get("data", "query") || null, ...asked });
      for (const column of app.form.columns) {
        const found = form.columns.find((known) => known.name === column.name);
        if (!found || ["outcome", "person"].includes(column.kind)) continue;
        const says = Object.values(found.fields).some((text) => text !== "") || found.kind === "drop";
        if (!says || (lookedUp && found.kind === "outcome")) continue;
        Object.assign(column, { kind: found.kind === "outcome" ? column.kind : found.kind, fields: { ...column.fields, ...found.fields } });
        if (lookedUp) column.looked_up = column.kind !== "drop";
      }
      await done();
    } catch (error) { app.refuse(said, error); }
  };
  const others = app.state.tables.filter((name) => !app.get("data", "path").split("\n").includes(name));
  const dictionary = input("", () => {}, { id: "dictionary", list: "dictionaries", placeholder: t("dictionary-example") });
  const known = make("datalist", { id: "dictionaries" }, others.map((name) => make("option", { value: name })));
  const load = button(t("dictionary-load"), () => dictionary.value.trim() && merge({ dictionary: dictionary.value.trim() }, false), "second");
  const lookUp = button(t("look-up"), () => merge({ look_up: true }, true), "danger");
  lookUp.id = "look-up";
  return make("details", { class: "sources" }, make("summary", {}, t("sources")),
    field(t("dictionary"), dictionary, { help: t("dictionary-help") }), known, load,
    box("not-private-box", make("p", {}, t("look-up-help")), lookUp));
}

/** Puts each sentence at its field. Fields that are still open say so quietly. */
function marks(place, app) {
  for (const element of place.querySelectorAll("[data-for]")) element.textContent = "";
  for (const element of place.querySelectorAll("[aria-invalid]")) element.removeAttribute("aria-invalid");
  for (const element of place.querySelectorAll(".is-open")) element.classList.remove("is-open");
  const at = (problem) => {
    const name = `${problem.section}/${problem.column ?? ""}/${problem.key ?? ""}`;
    const whole = `${problem.section}/${problem.column ?? ""}/`;
    const fields = [...place.querySelectorAll("[data-field]")];
    return fields.find((known) => known.dataset.field === name) ?? fields.find((known) => known.dataset.field === whole);
  };
  for (const open of app.checked.open) at(open)?.classList.add("is-open");
  for (const problem of app.checked.problems) {
    const found = at(problem);
    const said = found?.querySelector("[data-for]") ?? place.querySelector("#columns-said");
    said.textContent = problem.sentence;
    found?.querySelector("input, select, textarea")?.setAttribute("aria-invalid", "true");
    found?.closest("details")?.setAttribute("open", "");
  }
}
