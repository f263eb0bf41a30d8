// The first step: a table, and a study file for it; or a study that is there already.

import { announce, area, box, button, field, input, make, part, t } from "./elements.js";
import { ask, upload } from "./server.js";

export async function show(place, app) {
  const said = make("div", { class: "said" });
  const chosen = { table: app.state.tables[0] ?? "", study: "", query: "" };
  place.append(studies(app), tables(app, chosen, said), said);
}

const isDatabase = (name) => /\.(sqlite3?|db)$/i.test(name);

/** Studies that are in the folder. */
function studies(app) {
  if (app.state.studies.length === 0) return "";
  const said = make("div", { class: "said" });
  const open = async (name) => {
    try {
      await app.open(name);
      app.go("columns");
    } catch (error) { app.refuse(said, error); }
  };
  const items = app.state.studies.map((study) => make("li", {},
    button(study.name, () => open(study.name), "choice"),
    make("span", { class: "note" }, study.ready ? t("study-ready", study) : t("study-open"))));
  return part(t("studies"), make("ul", { class: "choices" }, items), said);
}

function tables(app, chosen, said) {
  const name = input("", (value) => { chosen.study = value.trim(); }, { id: "study-name" });
  const suggest = () => {
    const stem = chosen.table.split("/").pop().split(".")[0].replace(/[^\w-]+/g, "-") || "study";
    const taken = app.state.studies.map((study) => study.name);
    let free = `${stem}.toml`;
    for (let n = 2; taken.includes(free); n++) free = `${stem}-${n}.toml`;
    name.value = chosen.study = free;
    asks.hidden = !isDatabase(chosen.table);
  };
  const choose = (table) => { chosen.table = table; suggest(); };
  const asks = field(t("query"), area("", (value) => { chosen.query = value.trim(); }, { id: "query", placeholder: t("query-example") }), { help: t("query-help") });
  const radio = (table, index) => {
    const id = `table-${index}`;
    const box = make("input", { type: "radio", name: "table", id, value: table, checked: table === chosen.table, onchange: () => choose(table) });
    return make("li", {}, box, make("label", { for: id }, table));
  };
  const list = make("ul", { class: "choices", id: "tables" }, app.state.tables.map(radio));
  const typed = input("", (value) => { if (value.trim()) choose(value.trim()); }, { id: "typed-path", placeholder: t("typed-example") });
  const file = make("input", { type: "file", id: "drop-file", accept: ".csv,.tsv,.gz,.parquet,.arrow,.feather,.sqlite,.sqlite3,.db" });
  const take = async (dropped) => {
    said.replaceChildren(box("note-box", t("taking", { file: dropped.name })));
    try {
      const taken = await upload(dropped);
      await app.refresh();
      chosen.table = taken.name;
      list.replaceChildren(...app.state.tables.map(radio));
      suggest();
      said.replaceChildren();
      announce(t("taken", { file: taken.name }));
    } catch (error) { app.refuse(said, error); }
  };
  file.addEventListener("change", () => { if (file.files[0]) take(file.files[0]); });
  const drop = make("div", { class: "drop" }, field(t("drop"), file, { help: t("drop-help") }));
  for (const kind of ["dragover", "drop"]) drop.addEventListener(kind, (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => { if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); });
  const go = async () => {
    try {
      if (!chosen.table) return said.replaceChildren(box("wrong-box", t("choose-table")));
      const { form } = await ask("draft", { table: chosen.table, query: isDatabase(chosen.table) ? chosen.query : null });
      Object.assign(app, { study: chosen.study, form, base: null, dirty: true });
      await app.save();
      sessionStorage.setItem("study", chosen.study);
      sessionStorage.removeItem("rows");
      app.go("columns");
    } catch (error) { app.refuse(said, error); }
  };
  asks.hidden = true;
  if (chosen.table) suggest();
  const next = button(t("begin"), go, "go");
  next.id = "begin";
  return part(t("new-study"),
    app.state.tables.length ? make("p", {}, t("tables")) : make("p", {}, t("no-tables")), list, drop,
    field(t("typed"), typed, { help: t("typed-help") }), asks,
    field(t("study-name"), name, { help: t("study-name-help") }), next);
}
