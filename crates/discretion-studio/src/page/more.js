// What else one does with a study: the density of columns, and scores for a table that needs no protection.

import { announce, area, box, button, field, input, make, part, select, t, tick } from "./elements.js";
import { ask } from "./server.js";
import { freeFolder, runner } from "./run.js";

export async function show(place, app) {
  place.append(await density(app), predict(app), part(t("answers"), make("p", {}, t("answers-help"))));
}

/** A histogram of chosen columns. */
async function density(app) {
  const studies = app.state.studies.filter((study) => study.ready).map((study) => study.name);
  if (studies.length === 0) return part(t("density"), make("p", {}, t("density-open")));
  const study = studies.includes(app.study) ? app.study : studies[0];
  const { form } = await ask("study", { study });
  const columns = form.columns.filter((column) => !["drop", "person"].includes(column.kind)).map((column) => column.name);
  const job = { study, folder: freeFolder(app, `${study.replace(/\.toml$/, "")}-density`), density: [] };
  const choose = columns.map((name) => tick(name, false, (ticked) => { job.density = ticked ? [...job.density, name] : job.density.filter((known) => known !== name); }));
  return part(t("density"), make("p", {}, t("density-help", { study })), make("fieldset", { class: "ticks" }, make("legend", {}, t("density-columns")), choose), runner(app, job));
}

/** Scores of a table by a model of this folder. */
function predict(app) {
  if (app.state.models.length === 0) return part(t("predict"), make("p", {}, t("no-models")));
  const asked = { model: app.state.models[0], table: app.state.tables[0] ?? "", keep: [], out: "scores.csv" };
  const said = make("div", { id: "predict-said" });
  const go = button(t("predict-go"), async () => {
    go.disabled = true;
    try {
      const made = await ask("predict", asked);
      const sentence = t("predicted", { rows: made.rows, file: made.file });
      said.replaceChildren(box("done-box", sentence, made.for_owner ? make("p", {}, t("predicted-owner")) : ""));
      announce(sentence);
    } catch (error) { app.refuse(said, error); }
    go.disabled = false;
  }, "go");
  go.id = "predict-go";
  const table = input(asked.table, (value) => { asked.table = value.trim(); }, { id: "predict-table", list: "predict-tables" });
  return part(t("predict"), make("p", {}, t("predict-help")), make("div", { class: "fields" },
    field(t("predict-model"), select(asked.model, app.state.models.map((name) => [name, name]), (name) => { asked.model = name; }, { id: "predict-model" })),
    field(t("predict-table"), table, { help: t("predict-table-help") }),
    field(t("predict-keep"), area("", (value) => { asked.keep = value.split("\n").map((line) => line.trim()).filter(Boolean); }, { id: "predict-keep" }), { help: t("predict-keep-help") }),
    field(t("predict-out"), input(asked.out, (value) => { asked.out = value.trim(); }, { id: "predict-out" }))),
    make("datalist", { id: "predict-tables" }, app.state.tables.map((name) => make("option", { value: name }))), go, said);
}
