// What a plan says, as pictures. They move with the sliders: every number is computed from public ones.

import { asSentence, box, count, facts, make, short, t } from "./elements.js";
import { bars, bands, line, parts } from "./pictures.js";

const Z = 1.959964; // of a 95 % interval

/** The guarantee, the account, and what the noise does. */
export function shown(plan) {
  const runs = plan.plan.fits?.runs ?? plan.price.runs;
  const warnings = [plan.plan.delta, plan.covered ? null : t("not-covered"), runs === 0 ? t("no-run-fits") : null].filter(Boolean);
  const intervals = plan.intervals ? t("with-intervals", { level: short(100 * plan.intervals) }) : plan.kind !== "number" ? t("without-intervals") : isHuber(plan) ? t("number-no-intervals") : t("number-intervals");
  return [
    make("blockquote", { class: "guarantee", id: "in-words" }, plan.in_words, make("footer", {}, plan.guarantee)),
    ...warnings.map((warning) => box("caution", asSentence(warning))),
    facts([...(plan.kind === "number" ? ofNumber(plan) : ofEffects(plan)), [t("fact-runs"), count(runs)]]),
    account(plan, runs), errors(plan), curves(plan), exactness(plan), ...effects(plan),
    make("p", { class: "note" }, intervals, plan.plan.why ? ` ${t("mechanism-why")} ${asSentence(plan.plan.why)}` : ""),
    ...(plan.plan.more ?? []).map(([of, value]) => make("p", { class: "note" }, `${of}: ${value}`)),
  ];
}

const figure = (caption, picture, note = "") => make("figure", {}, make("figcaption", {}, caption), picture, note ? make("p", { class: "note" }, note) : "");

/** A number by Huber's loss is one training; by least squares it is sums. */
const isHuber = ({ plan }) => plan.mean_deviation === undefined;

/** What is spent, what this run takes, and the runs that could follow. */
function account({ price, left }, runs) {
  const cap = price.cap.epsilon ?? price.cap.rho;
  const symbol = price.cap.rho === undefined ? "ε" : "ρ";
  const used = Math.max(0, cap - left);
  const cost = Math.min(price.cost, left);
  const after = Math.max(0, runs - 1);
  // Too many to tell apart are one.
  const each = after > 0 ? Math.min(cost, (left - cost) / after) : 0;
  const later = after <= 40 ? Array(after).fill(["later", each / cap]) : [["later", after * each / cap]];
  const title = t("account-picture", { spent: short(used), cost: short(price.cost), left: short(Math.max(0, left - price.cost)) });
  const more = runs > 0 ? t("runs-more", { runs: count(runs) }) : t("runs-none");
  return figure(t("account-caption", { symbol, spent: short(used), cost: short(price.cost), cap: short(cap), more }),
    parts(title, [["used", used / cap], ["cost", cost / cap], ...later]));
}

/** What the noise does, for this budget and for others. */
function errors(plan) {
  if (plan.errors.length < 2) return "";
  const name = plan.guarantee.includes("ρ") ? t("rho") : t("epsilon");
  const kind = plan.kind !== "number" ? "error" : isHuber(plan) ? "huber" : "mean";
  return figure(t(`${kind}-caption`), line(t(`${kind}-caption`), plan.errors, plan.size, [name, t(`${kind}-axis`)]), t(`${kind}-note`));
}

/** The same model with straight lines and with curves. */
function curves(plan) {
  if (plan.kind === "number" && !isHuber(plan)) return make("p", { class: "note", id: "curves" }, t("curves-mean"));
  if (plan.curves.length === 0) return "";
  const made = figure(t("curves-caption"), bars("", plan.curves.map((of) => [t(`curves-${of.which}`, of), of.error])), t("curves-note"));
  made.id = "curves";
  return made;
}

/** How exactly rows that are held out tell how good the model is. */
function exactness({ exactness: found, held_out: held, unit }) {
  if (!found) return "";
  const { value } = found;
  const least = found.figure === "r_squared" ? 0 : 0.5;
  const within = (number) => Math.min(1, Math.max(least, number));
  const around = ({ all, sampling }) => [all, sampling].map((half) => [within(value - (half ?? 1)), within(value + (half ?? 1))]);
  const [[low, high]] = around(found.all);
  const words = { rows: count(found.rows), unit, figure: t(`figure-${found.figure}`), value, low: low.toFixed(2), high: high.toFixed(2) };
  const caption = held ? t("exactness-held", words) : t("exactness-if", words);
  const rows = [[t("exactness-all"), ...around(found.all)]];
  if (found.in_a_group) rows.push([t("exactness-group"), ...around(found.in_a_group)]);
  const made = figure(caption, bands(caption, rows, value, [least, 1]), t("exactness-note", { unit, about: t(`figure-${found.figure}-about`) }));
  made.id = "exactness";
  return made;
}

/** What the noise does to an outcome that is a number. */
const ofNumber = (plan) => {
  const error = isHuber(plan) ? [t("fact-predicted"), plan.plan.expected_error] : [t("fact-mean"), plan.plan.mean_deviation];
  return [[error[0], `± ${short(error[1])}`], [t("fact-sums"), count(plan.plan.released)], [t("fact-coefficients"), count(plan.plan.coefficients)]];
};

/** What the noise does to effects. */
function ofEffects({ plan, effects: all, kind }) {
  const sorted = all.map((effect) => effect.deviation).sort((a, b) => a - b);
  const middle = sorted.length ? sorted[Math.floor(sorted.length / 2)] : 0;
  const length = kind === "two" ? [[t("fact-length"), t("at-least", { length: short(2 * Z * middle), ratio: short(Math.exp(Z * middle)) })]] : [];
  return [[t("fact-effect"), short(middle)], ...length, [t("fact-coefficients"), count(plan.dimension)]];
}

function effects(plan) {
  const rows = plan.effects.map((effect) => [effect.against ? t("effect-against", effect) : effect.name, effect.deviation]);
  if (rows.length === 0) return [];
  rows.sort((a, b) => b[1] - a[1]);
  const few = rows.slice(0, 30);
  return [make("details", {}, make("summary", {}, t("effects-caption")), bars(t(plan.kind === "classes" ? "effects-classes" : "effects-help"), few),
    rows.length > few.length ? make("p", { class: "note" }, t("and-more", { count: rows.length - few.length })) : "")];
}
