// The plan: what a budget buys, from public numbers alone. Sliders write into the study file; the program computes.

import { announce, box, button, count, facts, field, input, make, part, select, short, t, tick } from "./elements.js";
import { ask } from "./server.js";
import { bars, line } from "./pictures.js";

const PAUSE = 250;
const LEAST = 0.05, MOST = 10; // of ε on the slider; a field takes others

export async function show(place, app) {
  const said = make("div", { class: "said" });
  const found = make("div", { id: "plan-found" });
  let timer = null;
  let asked = 0;
  const changed = () => { clearTimeout(timer); timer = setTimeout(update, PAUSE); };
  app.leave = () => clearTimeout(timer);
  const rows = () => Math.round(Number(sessionStorage.getItem("rows") ?? 10_000));
  const update = async () => {
    const mine = ++asked;
    try {
      const saved = await app.save();
      for (const element of place.querySelectorAll("[data-for]")) element.textContent = "";
      if (!saved.ready) {
        for (const problem of saved.problems) {
          const at = place.querySelector(`[data-for="${problem.section}//${problem.key ?? ""}"]`) ?? said;
          at.textContent = problem.sentence;
        }
        found.replaceChildren(box("note-box", t("plan-open", { open: saved.open.length, wrong: saved.problems.length })));
        next.disabled = true;
        return;
      }
      said.replaceChildren();
      const delta = app.get("spend", "delta");
      const plan = await ask("plan", { study: app.study, rows: rows(), epsilon: Number(app.get("spend", "epsilon")), delta: delta === "" ? null : Number(delta) });
      if (mine !== asked) return;
      found.replaceChildren(...shown(plan, app));
      next.disabled = false;
      announce(plan.in_words);
    } catch (error) { found.replaceChildren(); next.disabled = true; app.refuse(said, error); }
  };
  const next = button(t("to-run"), () => app.go("run"), "go");
  next.id = "to-run";
  place.append(part(t("spend"), make("p", {}, t("spend-help")), make("div", { class: "fields" }, epsilon(app, changed), delta(app, changed), rowsField(app, said, changed))),
    said, found, settings(app, changed), next);
  await update();
}

/** A slider beside a field: two ways to say the same number. */
function slider(label, value, { least, most, step, shown, typed, id, name, help }) {
  const of = input(value, (text) => { typed(text); const number = Number(text); if (text !== "" && Number.isFinite(number)) range.value = shown(number); }, { id, inputmode: "decimal", class: "narrow-field" });
  const range = make("input", { type: "range", min: least, max: most, step, value: shown(Number(value) || 1), "aria-label": label, oninput: (event) => { const text = typed.of(Number(event.target.value)); of.value = text; typed(text); } });
  const made = field(label, of, { help, name });
  made.insertBefore(range, made.querySelector(".help"));
  return made;
}

function epsilon(app, changed) {
  if (app.get("spend", "epsilon") === "" && app.get("spend", "rho") === "") app.set("spend", "epsilon", "1");
  const typed = (text) => { app.set("spend", "epsilon", text); changed(); };
  typed.of = (position) => String(Number(Math.exp(position).toPrecision(2)));
  return slider(t("epsilon"), app.get("spend", "epsilon"), { least: Math.log(LEAST), most: Math.log(MOST), step: 0.05, shown: Math.log, typed, id: "epsilon", name: "spend//epsilon", help: t("epsilon-help") });
}

function delta(app, changed) {
  const choices = [["", t("no-delta")], ...[5, 6, 7, 8, 9].map((power) => [`1e-${power}`, `10⁻${"⁰¹²³⁴⁵⁶⁷⁸⁹"[power]}`])];
  const value = app.get("spend", "delta");
  const known = choices.find(([of]) => of !== "" && Number(of) === Number(value));
  if (value !== "" && !known) choices.push([value, value]);
  return field(t("delta"), select(known ? known[0] : value, choices, (chosen) => { app.set("spend", "delta", chosen); changed(); }, { id: "delta" }), { help: t("delta-help"), name: "spend//delta" });
}

function rowsField(app, said, changed) {
  const value = sessionStorage.getItem("rows") ?? "10000";
  const typed = (text) => { sessionStorage.setItem("rows", text); changed(); };
  typed.of = (position) => String(Math.round(Number(Math.exp(position).toPrecision(2))));
  const made = slider(t("rows"), value, { least: Math.log(100), most: Math.log(1e7), step: 0.1, shown: Math.log, typed, id: "rows", name: "rows", help: t("rows-help") });
  const counted = button(t("count-rows"), async () => {
    counted.disabled = true;
    try {
      const found = await ask("rows", { study: app.study });
      made.querySelector("#rows").value = String(found.rows);
      made.querySelector("input[type=range]").value = Math.log(found.rows);
      typed(String(found.rows));
    } catch (error) { app.refuse(said, error); }
    counted.disabled = false;
  }, "second");
  counted.id = "count-rows";
  made.append(counted);
  return made;
}

/** What the plan says, as pictures. */
function shown(plan, app) {
  const { price } = plan;
  const cap = price.cap.epsilon ?? price.cap.rho;
  const symbol = price.cap.rho === undefined ? "ε" : "ρ";
  const runs = plan.plan.fits?.runs ?? price.runs;
  const used = Math.max(0, cap - plan.left);
  const cost = Math.min(price.cost, plan.left);
  const account = make("svg", { class: "chart shares account", viewBox: "0 0 320 14", role: "img", preserveAspectRatio: "none" },
    make("title", {}, t("account-picture", { spent: short(used), cost: short(price.cost), left: short(Math.max(0, plan.left - price.cost)) })),
    make("rect", { class: "rest", x: 0, y: 0, width: 320, height: 14 }),
    make("rect", { class: "used", x: 0, y: 0, width: 320 * used / cap, height: 14 }),
    make("rect", { class: "cost", x: 320 * used / cap, y: 0, width: Math.max(2, 320 * cost / cap), height: 14 }));
  const level = plan.intervals;
  const z = 1.959964; // of a 95 % interval
  const rows = plan.effects.map((effect) => [effect.against ? t("effect-against", effect) : effect.name, effect.deviation]);
  rows.sort((a, b) => b[1] - a[1]);
  const few = rows.slice(0, 30);
  const middle = rows.length ? rows[Math.floor(rows.length / 2)][1] : 0;
  const warnings = [plan.plan.delta, plan.covered ? null : t("not-covered"), runs === 0 ? t("no-run-fits") : null].filter(Boolean);
  return [
    make("blockquote", { class: "guarantee", id: "in-words" }, plan.in_words, make("footer", {}, plan.guarantee)),
    ...warnings.map((warning) => box("caution", warning)),
    facts([[t("fact-effect"), short(middle)], [t("fact-length"), t("at-least", { length: short(2 * z * middle), ratio: short(Math.exp(z * middle)) })],
      [t("fact-coefficients"), count(plan.plan.dimension)], [t("fact-runs"), count(runs)]]),
    make("figure", {}, make("figcaption", {}, t("account-caption", { symbol, spent: short(used), cost: short(price.cost), cap: short(cap), runs: count(runs) })), account),
    make("figure", {}, make("figcaption", {}, t("error-caption")), line(t("error-caption"), plan.errors, Number(app.get("spend", "epsilon")), [t("epsilon"), t("error-axis")]), make("p", { class: "note" }, t("error-note"))),
    make("details", {}, make("summary", {}, t("effects-caption")), bars(t("effects-help"), few),
      rows.length > few.length ? make("p", { class: "note" }, t("and-more", { count: rows.length - few.length })) : ""),
    make("p", { class: "note" }, level ? t("with-intervals", { level: short(100 * level) }) : t("without-intervals"), " ", plan.plan.why ? `${t("mechanism-why")} ${plan.plan.why}.` : ""),
    ...(plan.plan.more ?? []).map(([name, value]) => make("p", { class: "note" }, `${name}: ${value}`)),
  ];
}

/** The account's cap, intervals, rows held out, λ. */
function settings(app, changed) {
  const text = (section, key, more = {}) => field(t(`${section}-${key}`), input(app.get(section, key), (value) => { app.set(section, key, value); changed(); }, { id: `${section}-${key}`, ...more }), { help: t(`${section}-${key}-help`), name: `${section}//${key}` });
  const turn = (section, key, usual) => tick(t(`${section}-on`), section in app.form.sections, (on) => {
    if (on) app.form.sections[section] = { [key]: usual };
    else delete app.form.sections[section];
    changed();
  }, t(`${section}-help`));
  return make("div", {},
    part(t("budget"), make("p", {}, t("budget-help")), make("div", { class: "fields" }, text("budget", "epsilon"), text("budget", "delta"))),
    part(t("model"), turn("intervals", "level", "0.95"), turn("evaluate", "share", "0.15"), make("div", { class: "fields" }, text("model", "lambda"))));
}
