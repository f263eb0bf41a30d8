// The run: what it costs before it is charged, a clear yes, progress, and what came of it. A closed tab stops nothing.

import { announce, asSentence, box, button, field, input, make, part, t, tick } from "./elements.js";
import { ask } from "./server.js";

const OFTEN = 400; // milliseconds between two looks at a run

export async function show(place, app) {
  if (!app.checked.ready) {
    place.append(box("caution", t("run-open")), button(t("to-columns"), () => app.go("columns")));
    return;
  }
  const job = { study: app.study, folder: freeFolder(app) };
  place.append(runner(app, job, { rehearse: true }));
}

/** A folder without results yet: named after the study, as on the command line. */
export function freeFolder(app, stem = app.study.replace(/\.toml$/, "")) {
  let free = stem;
  for (let n = 2; app.state.folders.includes(free); n++) free = `${stem}-${n}`;
  return free;
}

/** Asks for the price, then for a yes, and follows the run. `job` may change until the price is asked for. */
export function runner(app, job, { rehearse = false, what = "fit" } = {}) {
  const id = (name) => (what === "fit" ? name : `${what}-${name}`);
  const [said, price, under] = [make("div", { class: "said" }), make("div", { id: id("price") }), make("div", { id: id("progress") })];
  const consents = make("div", { class: "consents" });
  const folder = input(job.folder, (value) => { job.folder = value.trim(); price.replaceChildren(); }, { id: id("run-folder") });
  let seeded = false;
  /** What looks like a mistake can be allowed, one by one, as flags do on the command line. */
  const offer = (allow) => {
    for (const name of allow ?? []) {
      if (consents.querySelector(`[data-consent=${name}]`)) continue;
      const allowed = tick(t(`consent-${name}`), false, (ticked) => { job[name] = ticked; price.replaceChildren(); });
      allowed.dataset.consent = name;
      consents.append(allowed);
    }
  };
  const refuse = (error) => { app.refuse(said, error); offer(error.allow); };
  const asks = button(t("ask-price"), async () => {
    asks.disabled = true;
    price.replaceChildren();
    said.replaceChildren(box("note-box", t("pricing")));
    try {
      await app.save();
      const quote = seeded ? null : await ask("quote", job);
      said.replaceChildren();
      const yes = button(seeded ? t("yes-rehearse") : t("yes"), () => start(quote?.base), seeded ? "go" : "go charge");
      yes.id = id("yes");
      price.replaceChildren(box(seeded ? "not-private-box" : "price-box", make("p", { class: "big" }, seeded ? t("rehearse-price") : asSentence(quote.sentence)),
        seeded ? "" : make("p", {}, t(what === "answers" ? "session-stays" : "charge-stays")), yes));
      announce(seeded ? t("rehearse-price") : quote.sentence);
      yes.focus();
    } catch (error) { refuse(error); }
    asks.disabled = false;
  }, "go");
  asks.id = id("ask-price");
  /** The price was said for a study; it is that study that runs, or none. */
  const start = async (base) => {
    price.replaceChildren();
    try {
      await ask("run", seeded ? { ...job, seed: 1 } : { ...job, base });
      said.replaceChildren();
      follow();
    } catch (error) { refuse(error); }
  };
  let watching = null;
  let before = "";
  const follow = async () => {
    clearTimeout(watching);
    try {
      await app.refresh();
    } catch (error) { return app.refuse(under, error); }
    const { run } = app.state;
    if (!run) return;
    const over = ["done", "refused"].includes(run.stage);
    // What is over is shown where it was asked for.
    if (over && run.what !== what) return;
    if (run.stage !== before) announce(over ? (run.refused ?? t("run-done")) : t(`stage-${run.stage}`));
    before = run.stage;
    if (over && run.study === job.study) offer(run.allow);
    under.replaceChildren(...progress(app, run));
    asks.disabled = !over;
    if (!over) watching = setTimeout(follow, OFTEN);
  };
  const before_that = app.leave;
  app.leave = () => { before_that?.(); clearTimeout(watching); };
  if (app.state.run) follow();
  const rehearsal = tick(t("rehearse"), false, (ticked) => { seeded = ticked; price.replaceChildren(); }, t("rehearse-help"));
  rehearsal.id = id("rehearse");
  // Where there are several jobs each has a heading of its own.
  const around = (...content) => (what === "fit" ? part(t("price"), ...content) : make("div", {}, content));
  return make("div", {},
    around(field(t("run-folder"), folder, { help: t("run-folder-help") }),
      rehearse ? rehearsal : "",
      consents, asks, said, price),
    under);
}

function progress(app, run) {
  const title = t(`progress-${run.what}`, run);
  const warnings = run.said.map((sentence) => box("caution", asSentence(sentence)));
  if (run.stage === "refused") return [part(title, box("wrong-box", asSentence(run.refused)), ...warnings)];
  if (run.stage === "done") return [part(title, box(run.private ? "done-box" : "not-private-box", run.private ? t("run-done") : t("run-done-seeded"), run.account ? ` ${run.account}.` : ""), ...warnings, results(app, run))];
  const share = run.read && run.read[1] > 0 ? run.read[0] / run.read[1] : null;
  const bar = make("progress", run.stage === "reading" && share !== null ? { max: 1, value: share, "aria-label": t("stage-reading") } : { "aria-label": t(`stage-${run.stage}`) });
  const stop = button(run.stopping ? t("stopping") : t("stop-run"), () => { stop.disabled = true; ask("stop-run").catch(() => {}); }, "second");
  stop.id = "stop-run";
  stop.disabled = run.stopping;
  return [part(title, make("p", {}, t(`stage-${run.stage}`)), bar,
    run.charge ? box("caution", t("charged", { charge: run.charge })) : "", ...warnings, make("p", { class: "note" }, t("tab-may-close")), stop)];
}

/** Links to what was made, and the dossier. */
function results(app, run) {
  const said = make("div", {});
  const links = make("ul", { class: "links" }, run.files.map((name) => make("li", {}, fileLink(app, name))));
  const model = run.files.find((name) => name.endsWith("model.json"));
  const dossier = model ? button(t("make-dossier"), () => makeDossier(app, model, run.study, said), "second") : "";
  if (dossier) dossier.id = "make-dossier";
  const summary = run.summary ? make("pre", { class: "file", tabindex: "0", "aria-label": t("run-summary") }, run.summary) : "";
  return make("div", {}, summary, links, dossier, said);
}

/** A file of the folder, in a tab of its own. */
export const fileLink = (app, name) => name.endsWith(".csv") ? make("span", {}, name) : make("a", { href: app.link(name), target: "_blank", rel: "noopener noreferrer" }, name);

/** Writes the dossier of a model, shows its files, and asks for what only a person can say. */
export async function makeDossier(app, model, study, said) {
  try {
    const made = await ask("dossier", { model, study: study ?? null });
    const files = make("ul", { class: "links" }, made.files.map((name) => make("li", {}, fileLink(app, name))));
    const asks = made.missing.length && study ? questions(app, model, study, made.missing, said) : "";
    said.replaceChildren(box("done-box", t("dossier-made"), files), asks);
    announce(t("dossier-made"));
  } catch (error) { app.refuse(said, error); }
}

/** Answers go into the study file, and from there into the dossier. */
function questions(app, model, study, missing, said) {
  const answers = {};
  const fields = missing.map(({ question, key }) => field(asSentence(question).replace(/\.$/, "?"), input("", (value) => { answers[key] = value.trim(); }, { id: `about-${key}` })));
  const save = button(t("about-save"), async () => {
    try {
      const opened = await ask("study", { study });
      const given = Object.fromEntries(Object.entries(answers).filter(([, value]) => value));
      opened.form.sections.about = { ...opened.form.sections.about, ...given };
      const saved = await ask("save", { study, form: opened.form, base: opened.base });
      if (study === app.study) Object.assign(app, { form: opened.form, base: saved.base, checked: saved });
      const wrong = saved.problems.map((problem) => problem.sentence).join(" ");
      if (wrong) return said.append(box("wrong-box", asSentence(wrong)));
      await makeDossier(app, model, study, said);
    } catch (error) { app.refuse(said, error); }
  }, "second");
  save.id = "about-save";
  return part(t("dossier-missing"), make("p", {}, t("about-help", { study })), make("div", { class: "fields" }, fields), save);
}
