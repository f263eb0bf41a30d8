// What else one does with a study: the density of columns, scores for a table that needs no protection, how good a model is on other
// rows, and answers to queries.

import { announce, area, asSentence, box, button, field, input, make, part, select, t, tick } from "./elements.js";
import { ask } from "./server.js";
import { groupings } from "./plan.js";
import { freeFolder, runner } from "./run.js";

export async function show(place, app) {
  const ready = app.state.studies.filter((study) => study.ready).map((study) => study.name);
  const study = ready.includes(app.study) ? app.study : ready[0];
  if (!study) return place.append(box("note-box", t("more-open")), predict(app));
  if (study === app.study) await app.open(study);
  const form = study === app.study ? app.form : (await ask("study", { study })).form;
  place.append(density(app, study, form), predict(app), evaluate(app, study, form), study === app.study ? answers(app) : "");
}

/** A histogram of chosen columns. */
function density(app, study, form) {
  const columns = form.columns.filter((column) => !["drop", "person"].includes(column.kind)).map((column) => column.name);
  const job = { study, folder: freeFolder(app, `${stem(study)}-density`), density: [] };
  const choose = columns.map((name) => tick(name, false, (ticked) => { job.density = ticked ? [...job.density, name] : job.density.filter((known) => known !== name); }));
  return part(t("density"), make("p", {}, t("density-help", { study })), make("fieldset", { class: "ticks" }, make("legend", {}, t("density-columns")), choose), runner(app, job, { what: "density" }));
}

/** The first table that needs no query. */
const text = (app) => app.state.tables.find((name) => !/\.(sqlite3?|db)$/i.test(name)) ?? "";

const stem = (study) => study.replace(/\.toml$/, "");

/** How good a model is on rows that never trained it. */
function evaluate(app, study, form) {
  if (app.state.models.length === 0) return part(t("evaluation"), make("p", {}, t("no-models")));
  const asked = { model: app.state.models[0], table: text(app), by: "", account: "" };
  const job = { study, folder: freeFolder(app, `${stem(study)}-evaluation`), evaluate: asked };
  const table = input(asked.table, (value) => { asked.table = value.trim(); }, { id: "evaluate-table", list: "predict-tables" });
  return part(t("evaluation"), make("p", {}, t("evaluation-help", { study })), make("div", { class: "fields" },
    field(t("predict-model"), select(asked.model, app.state.models.map((name) => [name, name]), (name) => { asked.model = name; }, { id: "evaluate-model" })),
    field(t("evaluation-table"), table, { help: t("evaluation-table-help") }),
    field(t("evaluate-by"), select("", groupings(form), (name) => { asked.by = name; }, { id: "evaluation-by" }), { help: t("evaluate-by-help") }),
    field(t("evaluation-account"), input("", (value) => { asked.account = value.trim(); }, { id: "evaluate-account" }), { help: t("evaluation-account-help") })),
  runner(app, job, { what: "evaluation", rehearse: true }));
}

/** Answers to a file of queries, by a vote. What the vote is stands in the study. */
function answers(app) {
  const said = make("div", { class: "said" });
  const check = async () => {
    try {
      const checked = await app.save();
      for (const element of section.querySelectorAll("[data-for]")) element.textContent = "";
      said.replaceChildren();
      for (const problem of checked.problems) {
        const at = section.querySelector(`[data-for="${problem.section}//${problem.key ?? ""}"]`);
        if (at) at.textContent = problem.sentence;
        else said.append(box("wrong-box", asSentence(problem.sentence)));
      }
    } catch (error) { app.refuse(said, error); }
  };
  const set = (key) => (value) => { app.set("vote", key, value); app.changed(check); };
  const job = { study: app.study, folder: freeFolder(app, `${stem(app.study)}-answers`), answer: { queries: null, gammas: null, student: false } };
  const file = input("", (value) => { job.answer.queries = value.trim() || null; }, { id: "answer-queries", list: "predict-tables" });
  const about = (key, made) => field(t(`vote-${key}`), made, { help: t(`vote-${key}-help`), name: `vote//${key}` });
  const typed = (key, more) => about(key, input(app.get("vote", key), set(key), { id: `vote-${key}`, ...more }));
  const chosen = (key, choices, value = app.get("vote", key)) => about(key, select(value, choices, set(key), { id: `vote-${key}` }));
  const answer = app.get("vote", "answer");
  const gammas = input("", (value) => { job.answer.gammas = value.trim() || null; }, { id: "answer-gammas", list: "predict-tables" });
  const student = tick(t("answer-student"), false, (ticked) => { job.answer.student = ticked; }, t("answer-student-help"));
  student.id = "answer-student";
  const section = part(t("answers"), make("p", {}, t("answers-help", { study: app.study })), make("div", { class: "fields" },
    field(t("answer-queries"), file, { help: t("answer-queries-help") }),
    typed("queries", { inputmode: "numeric", placeholder: "1000" }),
    chosen("learner", ...learners(app)),
    chosen("answer", [["", t("vote-sure")], ["all", t("vote-all")]], answer === "sure" ? "" : answer),
    typed("confidence", { inputmode: "decimal" }),
    chosen("scores", [["", t("told-labels")], ["true", t("told-scores")]], app.get("vote", "scores") === "false" ? "" : app.get("vote", "scores")),
    typed("gamma", { inputmode: "decimal", placeholder: "0.1" }),
    field(t("answer-gammas"), gammas, { help: t("answer-gammas-help") })), student,
  said, runner(app, job, { what: "answers", rehearse: true }));
  return section;
}

/** What can learn, and what does. A program is named in the study file. */
function learners(app) {
  const value = app.get("vote", "learner");
  const known = [["", t("learner-logistic")], ['"trees"', t("learner-trees")], ['"boosting"', t("learner-boosting")]];
  if (value === '"logistic"') return [known, ""];
  return [known.some(([of]) => of === value) ? known : [...known, [value, t("learner-other", { learner: value })]], value];
}

/** Scores of a table by a model of this folder. */
function predict(app) {
  if (app.state.models.length === 0) return part(t("predict"), make("p", {}, t("no-models")));
  const asked = { model: app.state.models[0], table: text(app), keep: [], out: "scores.csv" };
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
