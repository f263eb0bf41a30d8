// The page of `discretion studio`: steps from a table to a report. What is worth keeping is in files and in the ledger; this page
// remembers which study is open, and nothing else.

import { announce, asSentence, box, button, has, make, speak, t } from "./elements.js";
import { ask, Refusal, takeToken } from "./server.js";
import * as table from "./table.js";
import * as columns from "./columns.js";
import * as look from "./look.js";
import * as plan from "./plan.js";
import * as run from "./run.js";
import * as past from "./history.js";
import * as more from "./more.js";

const STEPS = { table, columns, look, plan, run, history: past, more };
const PAUSE = 300; // between the last key and the check
const NEEDS_STUDY = ["columns", "look", "plan", "run"];
const at = (id) => document.getElementById(id);

/** What is open. */
const app = {
  state: null,
  study: sessionStorage.getItem("study"),
  form: null,
  base: null,
  checked: null,
  dirty: false, // whether the form is not what was saved

  /** What is in the folder now. */
  async refresh() {
    app.state = await ask("state");
    at("where").textContent = t("where", { folder: app.state.folder });
    return app.state;
  },

  /** Opens a study file. */
  async open(name) {
    const opened = await ask("study", { study: name });
    Object.assign(app, { study: name, form: opened.form, base: opened.base, checked: opened, dirty: false, saving: null });
    sessionStorage.setItem("study", name);
  },

  /** Something was typed: after a pause it is saved, and `then` shows what is wrong with it. */
  changed(then) {
    app.dirty = true;
    clearTimeout(app.pause);
    app.pause = setTimeout(then, PAUSE);
  },

  /** Saves the open study, if it was changed, and says what is wrong with it. One after the other, so that the last one wins. */
  async save() {
    clearTimeout(app.pause);
    if (app.dirty) {
      app.dirty = false;
      app.saving = (app.saving ?? Promise.resolve()).catch(() => {}).then(async () => {
        try {
          const saved = await ask("save", { study: app.study, form: app.form, base: app.base });
          Object.assign(app, { base: saved.base, checked: saved });
        } catch (error) {
          app.dirty = true;
          throw error;
        }
      });
    }
    await app.saving;
    return app.checked;
  },

  /** A field of the open study. */
  get: (section, key) => app.form.sections[section]?.[key] ?? "",
  set(section, key, value) {
    app.form.sections[section] ??= {};
    app.form.sections[section][key] = value;
  },

  /** What the program knows about a field. */
  about: (section, name) => app.state.fields.find((field) => field.section === section && field.name === name),

  /** Shows a step. */
  go(step) {
    if (location.hash === `#/${step}`) show();
    else location.hash = `#/${step}`;
  },

  /** The address of a file in the folder. */
  link: (name) => app.state.files + name.split("/").map(encodeURIComponent).join("/"),

  /** Shows why something was not done, in the element that is there for it. */
  refuse(place, error) {
    const sentence = said(error);
    place.replaceChildren(box("wrong-box", sentence));
    announce(sentence);
  },
};

function said(error) {
  if (error instanceof Refusal) return error.status === 0 ? t("gone") : asSentence(error.message);
  console.error(error);
  return t("fault");
}

/** The steps, with what is done marked. */
function steps() {
  const current = step();
  const links = Object.keys(STEPS).map((name) => {
    const off = NEEDS_STUDY.includes(name) && !app.study;
    const attributes = { href: `#/${name}`, "aria-current": name === current ? "step" : undefined, "aria-disabled": off ? "true" : undefined };
    return make("li", {}, make("a", attributes, t(`step-${name}`)));
  });
  const about = app.study ? make("p", { class: "open-study" }, t("open-study", { study: app.study })) : null;
  at("steps").replaceChildren(make("ol", {}, links), ...(about ? [about] : []));
  at("steps").setAttribute("aria-label", t("steps"));
}

function step() {
  const name = location.hash.slice(2);
  return Object.hasOwn(STEPS, name) ? name : "table";
}

let showing = 0;

async function show() {
  const mine = ++showing;
  const [main, name] = [at("main"), step()];
  steps();
  const content = make("div", { class: `step step-${name}` });
  const heading = make("h1", { tabindex: "-1", id: "title" }, t(`title-${name}`));
  content.append(heading);
  if (has(`lead-${name}`)) content.append(make("p", { class: "lead" }, t(`lead-${name}`)));
  app.leave?.();
  app.leave = null;
  try {
    // What was typed is in the file before anything is asked of it: a run takes the file.
    await app.save().catch((error) => { if (name !== "table") throw error; });
    await app.refresh();
    if (NEEDS_STUDY.includes(name)) {
      if (!app.study) {
        content.append(box("caution", t("no-study")), button(t("to-table"), () => app.go("table")));
        main.replaceChildren(content);
        return;
      }
      await app.open(app.study);
    }
    const place = make("div", {});
    content.append(place);
    await STEPS[name].show(place, app);
  } catch (error) {
    const place = make("div", {});
    content.append(place);
    app.refuse(place, error);
    if (app.dirty) place.append(make("p", {}, t("not-saved")), button(t("to-table"), () => app.go("table")));
    if (error.status === 422) sessionStorage.removeItem("study");
  }
  if (mine !== showing) return;
  main.replaceChildren(content);
  document.title = `${t(`title-${name}`)} – ${t("name")}`;
  heading.focus({ preventScroll: false });
}

async function end(anyway = false) {
  try {
    await app.save();
    const { lost } = await ask("stop", { anyway });
    app.leave?.();
    at("steps").hidden = at("end").hidden = true;
    at("main").replaceChildren(make("h1", {}, t("ended")), lost ? box("caution", asSentence(lost)) : "", make("p", {}, t("ended-more")));
  } catch (error) {
    const place = make("div", {});
    app.refuse(place, error);
    place.append(button(t("end-anyway"), () => end(true), "danger"));
    at("main").prepend(place);
  }
}

async function begin() {
  const language = "en"; // a translation is another texts file
  speak(await (await fetch(`texts.${language}.json`)).json());
  at("name").textContent = t("name");
  at("skip").textContent = t("skip");
  at("skip").addEventListener("click", (event) => { event.preventDefault(); at("main").focus(); });
  if (!takeToken()) {
    at("main").replaceChildren(make("h1", {}, t("no-token")), make("p", {}, t("no-token-more")));
    return;
  }
  at("end").textContent = t("end");
  at("end").hidden = at("steps").hidden = false;
  at("end").addEventListener("click", () => end());
  addEventListener("hashchange", show);
  await show();
}

begin();
