// The plan: what a budget buys, from public numbers alone. Sliders write into the study file; the program computes.

import { announce, asSentence, box, button, field, input, make, part, select, t, tick } from "./elements.js";
import { ask } from "./server.js";
import { shown } from "./planned.js";

// The least and the most on each slider; the field beside it takes others.
const RANGE = { epsilon: [0.05, 10], rho: [0.001, 5], rows: [100, 1e7] };
const MOST_ROWS = 1e12;
const USUAL = { epsilon: { spend: "1", budget: "3" }, rho: { spend: "0.1", budget: "0.5" } };

export async function show(place, app) {
  const said = make("div", { class: "said" });
  const found = make("div", { id: "plan-found" });
  const few = { columns: null, wrong: false }; // all, unless somebody wants to know what fewer would bring
  let asked = 0;
  const changed = () => app.changed(update);
  const rows = () => whole(sessionStorage.getItem("rows") ?? "10000", MOST_ROWS);
  const update = async () => {
    const mine = ++asked;
    try {
      const checked = await app.save();
      if (mine !== asked) return;
      for (const element of place.querySelectorAll("[data-for]")) element.textContent = "";
      said.replaceChildren();
      if (!checked.ready) {
        for (const problem of checked.problems) {
          const at = place.querySelector(`[data-for="${problem.section}//${problem.key ?? ""}"]`);
          if (at) at.textContent = problem.sentence;
          else said.append(box("wrong-box", asSentence(problem.sentence)));
        }
        found.replaceChildren(box("note-box", t("plan-open", { open: checked.open.length, wrong: checked.problems.length })));
        next.disabled = true;
        return;
      }
      const wrong = { rows: rows() === null ? t("rows-wrong") : "", columns: few.wrong ? t("columns-wrong") : "" };
      for (const [name, sentence] of Object.entries(wrong).filter(([, sentence]) => sentence)) place.querySelector(`[data-for="${name}"]`).textContent = sentence;
      if (wrong.rows || wrong.columns) {
        found.replaceChildren();
        next.disabled = true;
        return;
      }
      const plan = await ask("plan", { study: app.study, rows: rows(), columns: few.columns });
      if (mine !== asked) return;
      found.replaceChildren(...shown(plan));
      next.disabled = few.columns !== null;
      announce(plan.in_words);
    } catch (error) { found.replaceChildren(); next.disabled = true; app.refuse(said, error); }
  };
  const next = button(t("to-run"), () => app.go("run"), "go");
  next.id = "to-run";
  const spend = make("div", { class: "fields" });
  const cap = make("div", { class: "fields" });
  const draw = () => {
    spend.replaceChildren(measure(app, () => { draw(); changed(); }), ...amounts(app, changed), rowsField(app, said, update), ...columnsField(app, few, update));
    cap.replaceChildren(...capFields(app, changed));
  };
  draw();
  place.append(part(t("spend"), make("p", {}, t("spend-help")), spend), said, found,
    part(t("budget"), make("p", {}, t("budget-help")), cap), settings(app, changed), next);
  await update();
}

/** A whole number from 1 on, or nothing. */
const whole = (text, most) => (/^\s*\d+\s*$/.test(text) && Number(text) >= 1 && Number(text) <= most ? Number(text) : null);

/** A slider beside a field: two ways to say the same number. */
function slider(label, value, { least, most, step, shown, typed, id, name, help }) {
  const of = input(value, (text) => { typed(text); const number = Number(text); if (text !== "" && Number.isFinite(number)) range.value = shown(number); }, { id, inputmode: "decimal", class: "narrow-field" });
  const range = make("input", { type: "range", min: least, max: most, step, value: shown(Number(value) || 1), "aria-label": label, oninput: (event) => { const text = typed.of(Number(event.target.value)); of.value = text; typed(text); } });
  const made = field(label, of, { help, name });
  made.insertBefore(range, made.querySelector(".help"));
  return made;
}

const logarithmic = (digits) => (position) => String(Number(Math.exp(position).toPrecision(digits)));

/** What budgets are counted in. */
const counted = (app) => (app.get("spend", "rho") !== "" || app.get("budget", "rho") !== "" ? "rho" : "epsilon");

function measure(app, redraw) {
  const choose = (chosen) => {
    for (const section of ["spend", "budget"]) {
      const { epsilon, delta, rho, ...rest } = app.form.sections[section] ?? {};
      app.form.sections[section] = { ...rest, [chosen]: USUAL[chosen][section] };
    }
    redraw();
  };
  const choices = [["epsilon", t("in-epsilon")], ["rho", t("in-rho")]];
  return field(t("measure"), select(counted(app), choices, choose, { id: "measure" }), { help: t("measure-help") });
}

/** ε with its δ, or ρ. */
function amounts(app, changed) {
  const key = counted(app);
  const typed = (text) => { app.set("spend", key, text); changed(); };
  typed.of = logarithmic(2);
  const [least, most] = RANGE[key].map(Math.log);
  const amount = slider(t(key), app.get("spend", key), { least, most, step: 0.05, shown: Math.log, typed, id: key, name: `spend//${key}`, help: t(`${key}-help`) });
  return key === "rho" ? [amount] : [amount, delta(app, changed)];
}

function delta(app, changed) {
  const choices = [["", t("no-delta")], ...[5, 6, 7, 8, 9].map((power) => [`1e-${power}`, `10⁻${"⁰¹²³⁴⁵⁶⁷⁸⁹"[power]}`])];
  const value = app.get("spend", "delta");
  const known = choices.find(([of]) => of !== "" && Number(of) === Number(value));
  if (value !== "" && !known) choices.push([value, value]);
  return field(t("delta"), select(known ? known[0] : value, choices, (chosen) => { app.set("spend", "delta", chosen); changed(); }, { id: "delta" }), { help: t("delta-help"), name: "spend//delta" });
}

/** Waits for a pause, without saving anything: rows and columns of a plan are no part of the study. */
function soon(update) {
  let timer = null;
  return () => { clearTimeout(timer); timer = setTimeout(update, 200); };
}

function rowsField(app, said, update) {
  const again = soon(update);
  const typed = (text) => { sessionStorage.setItem("rows", text); again(); };
  typed.of = (position) => String(Math.round(Number(logarithmic(2)(position))));
  const [least, most] = RANGE.rows.map(Math.log);
  const made = slider(t("rows"), sessionStorage.getItem("rows") ?? "10000", { least, most, step: 0.1, shown: Math.log, typed, id: "rows", name: "rows", help: t("rows-help") });
  const counts = button(t("count-rows"), async () => {
    counts.disabled = true;
    try {
      await app.save();
      const found = await ask("rows", { study: app.study });
      made.querySelector("#rows").value = String(found.rows);
      made.querySelector("input[type=range]").value = Math.log(found.rows);
      typed(String(found.rows));
    } catch (error) { app.refuse(said, error); }
    counts.disabled = false;
  }, "second");
  counts.id = "count-rows";
  made.append(counts);
  return made;
}

/** What fewer columns would bring. */
function columnsField(app, few, update) {
  const all = app.form.columns.filter((column) => ["number", "category", "date"].includes(column.kind)).length;
  if (all < 2) return [];
  const again = soon(update);
  const typed = (text) => {
    const number = whole(text, all);
    few.wrong = number === null;
    few.columns = number === all ? null : number;
    again();
  };
  typed.of = (position) => String(position);
  return [slider(t("used-columns"), String(few.columns ?? all), { least: 1, most: all, step: 1, shown: (number) => number, typed, id: "used-columns", name: "columns", help: t("used-columns-help", { all }) })];
}

const text = (app, changed, section, key) =>
  field(t(`${section}-${key}`), input(app.get(section, key), (value) => { app.set(section, key, value); changed(); }, { id: `${section}-${key}` }), { help: t(`${section}-${key}-help`), name: `${section}//${key}` });

/** The most that may ever be spent, in what budgets are counted in. */
const capFields = (app, changed) => (counted(app) === "rho" ? ["rho"] : ["epsilon", "delta"]).map((key) => text(app, changed, "budget", key));

/** Where there are two classes: a penalty around a released base rate. */
function baseRate(app, changed) {
  const isOfTwo = !["classes", "outcome", "outcome_min", "outcome_max"].some((key) => key in (app.form.sections.data ?? {}));
  const isPrivate = app.get("model", "base_rate") === "private";
  if (!isOfTwo && !isPrivate) return "";
  const made = tick(t("model-base_rate"), isPrivate, (on) => { app.set("model", "base_rate", on ? "private" : ""); changed(); }, t("model-base_rate-help"));
  made.id = "base-rate-on";
  made.append(make("span", { class: "wrong", "data-for": "model//base_rate" }));
  return made;
}

/** Intervals, rows held out, base rate, λ. */
function settings(app, changed) {
  const held = make("div", { class: "fields", id: "evaluate-fields" });
  const draw = () => held.replaceChildren(...("evaluate" in app.form.sections ? [text(app, changed, "evaluate", "share"), by(app, changed)] : []));
  const turn = (section, key) => tick(t(`${section}-on`), section in app.form.sections, (on) => {
    if (on) app.form.sections[section] = { [key]: app.about(section, key).default };
    else delete app.form.sections[section];
    draw();
    changed();
  }, t(`${section}-help`));
  const [intervals, evaluate] = [turn("intervals", "level"), turn("evaluate", "share")];
  evaluate.id = "evaluate-on";
  draw();
  return part(t("model"), intervals, evaluate, held, baseRate(app, changed), make("div", { class: "fields" }, text(app, changed, "model", "lambda")));
}

/** By whose values rows that are held out are counted apart. */
const by = (app, changed) => {
  const value = app.get("evaluate", "by");
  return field(t("evaluate-by"), select(value, groupings(app.form, value), (chosen) => { app.set("evaluate", "by", chosen); changed(); }, { id: "evaluate-by" }), { help: t("evaluate-by-help"), name: "evaluate//by" });
};

/** The columns whose values can be groups, for a choice. What is chosen already stays. */
export const groupings = (form, chosen = "") => {
  const names = form.columns.filter((column) => column.kind === "category").map((column) => column.name);
  if (chosen && !names.includes(chosen)) names.push(chosen);
  return [["", t("by-nothing")], ...names.map((name) => [name, name])];
};
