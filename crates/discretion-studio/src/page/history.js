// History: the accounts of this folder's studies, every charge, every model; and two models side by side.

import { box, button, count, facts, field, make, part, select, short, t } from "./elements.js";
import { ask } from "./server.js";
import { fileLink, makeDossier } from "./run.js";

export async function show(place, app) {
  const { accounts } = await ask("history");
  if (accounts.length === 0) place.append(box("note-box", t("no-accounts")));
  place.append(...accounts.map((account) => one(account)), models(app), compare(app));
}

/** What is spent of an account, and on what. */
function one({ standing, history }) {
  const symbol = standing.cap.rho === undefined ? "ε" : "ρ";
  const cap = standing.cap.epsilon ?? standing.cap.rho;
  const left = Math.max(0, cap - standing.spent.amount);
  const picture = make("svg", { class: "chart shares account", viewBox: "0 0 320 14", role: "img", preserveAspectRatio: "none" },
    make("title", {}, t("spent-of", { spent: short(standing.spent.amount), cap: short(cap), symbol })),
    make("rect", { class: "rest", x: 0, y: 0, width: 320, height: 14 }),
    make("rect", { class: "used", x: 0, y: 0, width: Math.min(320, 320 * standing.spent.amount / cap), height: 14 }));
  const more = standing.more_like_last;
  const rows = history.map((entry) => make("tr", {}, make("td", {}, String(entry.number)), make("td", {}, entry.at.replace("T", " ").slice(0, 16)), make("td", {}, what(entry)), make("td", {}, released(entry))));
  return part(t("account-named", { account: standing.account }), picture,
    facts([[t("spent"), `${symbol} = ${short(standing.spent.amount)}`], [t("left"), `${symbol} = ${short(left)}`], [t("charges"), count(standing.charges)], [t("more-runs"), more ? count(more.runs) : "–"]]),
    standing.unreleased > 0 ? box("caution", t("unreleased", { count: standing.unreleased })) : "",
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("account-named", { account: standing.account }) },
      make("table", {}, make("thead", {}, make("tr", {}, ["entry", "when", "what", "released"].map((name) => make("th", { scope: "col" }, t(`col-${name}`))))), make("tbody", {}, rows))));
}

/** The last two parts of a path: which folder, which file. */
const near = (path) => path.split(/[\\/]/).slice(-2).join("/");

function what(entry) {
  if (entry.kind === "opened") return t("was-opened");
  if (entry.kind === "raised") return t("was-raised", { reason: entry.reason });
  return entry.what.replace(/(\/[^\s/]+)+/g, near);
}

function released(entry) {
  if (entry.kind !== "charged") return "";
  const left = [entry.answers > 0 ? t("answers-left", { count: entry.answers }) : null, ...entry.releases.map((file) => near(file.file))].filter(Boolean);
  return left.join(", ") || t("nothing-released");
}

/** Every model in the folder. */
function models(app) {
  if (app.state.models.length === 0) return part(t("models"), make("p", {}, t("no-models")));
  const said = make("div", {});
  const study = (model) => app.state.studies.map((known) => known.name).find((name) => model.startsWith(`${name.replace(/\.toml$/, "")}/`)) ?? null;
  const item = (model) => {
    const page = model.replace(/model\.json$/, "report.html");
    return make("li", {}, fileLink(app, app.state.pages.includes(page) ? page : model), " ",
      button(t("make-dossier"), () => makeDossier(app, model, study(model), said), "choice"));
  };
  return part(t("models"), make("ul", { class: "links" }, app.state.models.map(item)), said);
}

/** Two models: what they promise, and their effects. */
function compare(app) {
  if (app.state.models.length < 2) return "";
  const chosen = [app.state.models[0], app.state.models[1]];
  const found = make("div", { id: "compared" });
  const said = make("div", {});
  const choices = app.state.models.map((name) => [name, name]);
  const pick = (place) => field(t(place === 0 ? "first-model" : "second-model"), select(chosen[place], choices, (name) => { chosen[place] = name; update(); }, { id: `model-${place}` }));
  const update = async () => {
    const asked = chosen.join(" | ");
    try {
      const [one, other] = await Promise.all(chosen.map(async (name) => (await fetch(app.link(name))).json()));
      // Answers may arrive in another order than they were asked for: only the last choice is shown.
      if (asked !== chosen.join(" | ")) return;
      found.replaceChildren(beside(one, other));
      found.dataset.shown = asked;
    } catch (error) { app.refuse(said, error); }
  };
  update();
  return part(t("compare"), make("p", {}, t("compare-help")), make("div", { class: "fields" }, pick(0), pick(1)), said, found);
}

/** What a model predicts: models of one kind have effects in the same unit. */
function kind(of) {
  if (of.format.startsWith("discretion-number")) return `number: ${of.fit.of}`;
  return of.coefficients.some((known) => known.class) ? "classes" : "two";
}

/** How good a model is: by rows that were held out for that, or else by what its own rows say of it. */
function quality(of) {
  const figures = of.quality?.figures;
  if (figures) return measured(figures);
  if (!Number.isFinite(of.fit?.explained)) return "–";
  return t("quality-number", { explained: short(100 * of.fit.explained), left: short(of.fit.residual_deviation) });
}

/** The figure that is looked at first, with its interval. */
function measured(figures) {
  const auc = figures.auc ?? figures.mean_auc;
  if (auc) return t("quality-auc", { value: short(auc.value), lower: short(auc.lower), upper: short(auc.upper) });
  const [key, share] = figures.explained ? ["quality-explained", figures.explained] : ["quality-accuracy", figures.accuracy];
  return share ? t(key, { value: short(100 * share.value), lower: short(100 * share.lower), upper: short(100 * share.upper) }) : t("quality-little");
}

/** The same for each group of two models: its name, and what is known of it in both. */
function groups(one, other) {
  const of = (model) => new Map((model.quality?.groups ?? []).map((group) => [t("quality-of", { by: model.quality.by, value: group.value }), group.warning ? t("quality-little") : measured(group.figures)]));
  const [first, second] = [of(one), of(other)];
  return [...new Set([...first.keys(), ...second.keys()])].map((name) => [name, first.get(name) ?? "–", second.get(name) ?? "–"]);
}

const known = (number) => (Number.isFinite(number) ? short(number) : "–");

function beside(one, other) {
  const cells = (of) => [
    of.privacy.private ? of.privacy.statement.split(":")[0] : t("not-private"), count(of.training.rows), count(of.training.dimension),
    known(of.training.expected_error), known(of.training.lambda), quality(of),
  ];
  const names = ["guarantee", "rows", "coefficients", "error", "lambda", "quality"].map((name) => t(`compare-${name}`));
  const [left, right] = [cells(one), cells(other)];
  const row = ([name, first, second]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, first), make("td", {}, second), make("td", {}));
  const rows = [...names.map((name, i) => [name, left[i], right[i]]), ...groups(one, other)];
  const head = make("thead", {}, make("tr", {}, ["", t("first-model"), t("second-model"), ""].map((name) => make("th", { scope: "col" }, name))));
  const alike = kind(one) === kind(other);
  return make("div", {}, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("compare") },
    make("table", { class: "compared" }, head, make("tbody", {}, rows.map(row)), alike ? effects(one, other) : "")),
  alike ? "" : box("note-box", t("compare-unlike")));
}

/** Effects side by side, with bars around zero. Of several classes each has its own. */
function effects(one, other) {
  const of = (model) => new Map(model.coefficients.filter((known) => known.effect).map((known) => [known.class ? t("effect-of-class", { class: known.class, name: known.name }) : known.name, known.effect]));
  const [first, second] = [of(one), of(other)];
  const all = [...new Set([...first.keys(), ...second.keys()])];
  const most = Math.max(1e-9, ...[...first.values(), ...second.values()].map((effect) => Math.abs(effect.value)));
  const bar = (effect, kind) => effect ? make("rect", { class: kind, x: Math.min(120, 120 + 118 * effect.value / most), y: kind === "first" ? 1 : 8, width: Math.max(1, 118 * Math.abs(effect.value) / most), height: 6 }) : "";
  const shown = (effect) => {
    if (!effect) return "–";
    const interval = effect.interval;
    const ends = interval ? [interval.lower ?? interval[0], interval.upper ?? interval[1]] : null;
    return ends && ends.every(Number.isFinite) ? `${short(interval.estimate ?? effect.value)} (${short(ends[0])} … ${short(ends[1])})` : short(effect.value);
  };
  const row = (name) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, shown(first.get(name))), make("td", {}, shown(second.get(name))),
    make("td", {}, make("svg", { class: "chart pair", viewBox: "0 0 240 15", "aria-hidden": "true" }, make("line", { class: "grid", x1: 120, x2: 120, y1: 0, y2: 15 }), bar(first.get(name), "first"), bar(second.get(name), "second"))));
  const unit = { two: t("effects-odds"), classes: t("effects-scores") }[kind(one)] ?? t("effects-number", { of: one.fit?.of });
  return make("tbody", {}, make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: 4 }, unit)), all.map(row));
}
