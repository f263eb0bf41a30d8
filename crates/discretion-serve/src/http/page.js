// The page of `discretion serve`. It talks to its own service and to nobody else, and keeps the token in memory alone.
"use strict";

const at = (id) => document.getElementById(id);
const BATCH = 25; // queries in one request of a table: a sign of progress for every tick or two
const PATIENCE = 5; // how often a request is sent again when the connection fails

let token = "";
let schema = null;

/** An element with text and children; never markup from elsewhere. */
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "line", "path", "text", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const count = (number) => Number(number).toLocaleString("en");
const short = (number) => Number(Number(number).toPrecision(3)).toString();

/** A refusal in the service's own words. */
class Refusal extends Error {
  constructor(status, problem) {
    const detail = problem?.detail ?? `the service answered with ${status}`;
    super(`${detail[0].toUpperCase()}${detail.slice(1)}.`);
    this.status = status;
  }
}

async function call(path, options = {}) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, { ...options, headers });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response.status, body);
  return body;
}

const pause = (millis) => new Promise((done) => setTimeout(done, millis));

/** Asks under one key, as often as it takes: the service answers a key once. */
async function ask(body) {
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
  for (let attempt = 1; ; attempt++) {
    try {
      return await call("/v1/answers", { method: "POST", headers, body: JSON.stringify(body) });
    } catch (error) {
      const again = !(error instanceof Refusal) || error.status === 503;
      if (!again || attempt >= PATIENCE) throw error;
      await pause(500 * attempt);
    }
  }
}

function facts(list, pairs) {
  list.replaceChildren(...pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function shownAnswer(answer) {
  if (answer === null || answer === undefined) return "no answer";
  return schema.answers.kind === "score" ? short(answer) : answer;
}

// ---- the analyst ----

function field(column, number) {
  const id = `field-${number}`;
  const label = make("label", { for: id }, column.name);
  if (column.kind === "category") {
    const options = column.values.map((value) => make("option", { value }, value));
    return make("p", {}, label, make("select", { id, "data-name": column.name }, make("option", { value: "" }, "(not known)"), ...options));
  }
  label.append(" ", make("small", {}, `${count(column.min)} to ${count(column.max)}`));
  return make("p", {}, label, make("input", { id, "data-name": column.name, inputmode: "decimal", "data-number": "yes" }));
}

async function showBudget() {
  const budget = await call("/v1/budget");
  const pairs = [["asked with your token", budget.limit === null ? count(budget.used) : `${count(budget.used)} of ${count(budget.limit)}`]];
  if (budget.session) {
    pairs.push(["questions left", count(budget.session.queries_left)]);
    pairs.push(["unanswerable ones left", count(budget.session.unstable_left)]);
  }
  pairs.push(["answers leave every", `${short(schema.tick_seconds)} s`]);
  facts(at("analyst-facts"), pairs);
  return budget;
}

function openAnalyst() {
  at("fields").replaceChildren(...schema.columns.map(field));
  const names = schema.columns.map((column) => column.name).join(", ");
  at("many-hint").textContent = `Columns: ${names}. An empty field is a missing value.`;
  at("analyst").hidden = false;
}

async function askOne(event) {
  event.preventDefault();
  const button = event.submitter ?? event.target.querySelector("button");
  const query = {};
  for (const input of at("fields").querySelectorAll("[data-name]")) {
    const value = input.value.trim();
    query[input.dataset.name] = value === "" ? null : value;
  }
  const said = at("one-said");
  said.className = "";
  said.textContent = "Asked; the answer comes with the next tick.";
  button.disabled = true;
  try {
    const { answer } = await ask({ query });
    said.className = "big";
    if (answer === null) said.textContent = "No answer: nothing can be said about this one.";
    else said.replaceChildren(`${schema.target}: `, make("strong", {}, shownAnswer(answer)));
    await showBudget();
  } catch (error) {
    said.className = "caution";
    said.textContent = error.message;
  } finally {
    button.disabled = false;
  }
}

/** Records of a CSV text: quoted fields may hold commas, quotes and line ends. */
function parseCsv(text) {
  const records = [];
  let [record, value, quoted] = [[], "", false];
  const end = () => { record.push(value); value = ""; };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') value += c;
      else if (text[i + 1] === '"') { value += '"'; i++; }
      else quoted = false;
    } else if (c === '"' && value.trim() === "") { quoted = true; value = ""; }
    else if (c === ",") end();
    else if (c === "\n" || c === "\r") {
      if (c === "\r" && text[i + 1] === "\n") i++;
      end();
      if (record.length > 1 || record[0].trim() !== "") records.push(record);
      record = [];
    } else value += c;
  }
  if (value !== "" || record.length) { end(); records.push(record); }
  return records;
}

const quote = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function showTable(header, records, answers) {
  const head = make("tr", {}, ...[...header, "answer"].map((name) => make("th", { scope: "col" }, name)));
  const rows = records.slice(0, answers.length).map((record, i) => {
    const known = answers[i] !== null;
    const last = make("td", { class: known ? "answer" : "none" }, shownAnswer(answers[i]));
    return make("tr", {}, ...record.map((value) => make("td", {}, value)), last);
  });
  at("many-table").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
  at("many-table").hidden = false;
  const shown = (answer) => (answer === null ? "" : String(answer));
  const lines = records.map((record, i) => [...record, shown(answers[i] ?? null)].map(quote).join(","));
  const text = `${[...header, "answer"].map(quote).join(",")}\n${lines.join("\n")}\n`;
  const link = at("download");
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  at("download-line").hidden = false;
}

async function askMany(event) {
  event.preventDefault();
  const button = event.submitter ?? event.target.querySelector("button");
  const [said, bar] = [at("many-said"), at("bar")];
  said.className = "";
  const refuse = (sentence) => { said.className = "caution"; said.textContent = sentence; };
  const [header, ...records] = parseCsv((await at("file").files[0].text()).replace(/^\ufeff/, ""));
  if (!records.length) return refuse("The file has no rows below its header line.");
  const uneven = records.findIndex((record) => record.length !== header.length);
  if (uneven >= 0) return refuse(`Row ${uneven + 1} has ${records[uneven].length} fields and the header has ${header.length}.`);
  const names = header.map((name) => name.trim());
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) return refuse(`The header has the column ${JSON.stringify(twice)} twice.`);
  const queries = records.map((record) => Object.fromEntries(record.map((value, i) => [names[i], value])));
  const size = Math.min(BATCH, schema.most_queries);
  const answers = [];
  button.disabled = true;
  at("many-table").hidden = at("download-line").hidden = true;
  at("many-progress").hidden = false;
  bar.max = queries.length;
  bar.value = 0;
  let ended = "";
  try {
    while (answers.length < queries.length) {
      const told = await ask({ queries: queries.slice(answers.length, answers.length + size) });
      answers.push(...told.answers);
      bar.value = answers.length;
      said.textContent = `${count(answers.length)} of ${count(queries.length)}`;
      if (told.session_ended) { ended = "The session has ended: the remaining questions were not asked."; break; }
    }
  } catch (error) {
    ended = `Stopped after ${count(answers.length)} of ${count(queries.length)}. ${error.message}`;
  }
  const known = answers.filter((answer) => answer !== null).length;
  if (ended) refuse(ended);
  else said.textContent = `${count(known)} of ${count(queries.length)} answered; nothing can be said about the others.`;
  if (answers.length) showTable(header, records, answers);
  at("many-progress").hidden = true;
  button.disabled = false;
  await showBudget().catch(() => {});
}

// ---- the custodian ----

/** A step line of what was used over time, below the most there may be. */
function chart(title, kind, history, most, used) {
  const [width, height, left, right, top, bottom] = [700, 240, 84, 14, 22, 38];
  const times = history.map((moment) => Date.parse(moment.at));
  const first = times[0] ?? 0;
  const now = Math.max(times.at(-1) ?? 0, Date.now());
  const span = Math.max(now - first, 1000);
  const x = (time) => left + ((time - first) / span) * (width - left - right);
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  const svg = make("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" }, make("title", {}, title));
  for (const share of [0, 0.5, 1]) {
    const value = Math.round(most * share);
    svg.append(make("line", { class: share === 1 ? "most" : "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    svg.append(make("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, count(value)));
  }
  let path = "";
  let before = 0;
  history.forEach((moment, i) => {
    path += i === 0 ? `M${x(times[i])},${y(0)}` : `L${x(times[i])},${y(before)}`;
    before = used(moment);
    path += `L${x(times[i])},${y(before)}`;
  });
  if (path) svg.append(make("path", { class: `line ${kind}`, d: `${path}L${x(now)},${y(before)}` }));
  const when = (time) => new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  if (times.length) svg.append(make("text", { x: left, y: height - 8 }, when(first)));
  if (times.length) svg.append(make("text", { x: width - right, y: height - 8, "text-anchor": "end" }, "now"));
  const said = times.length ? `${count(before)} of ${count(most)}` : "nothing yet";
  return make("figure", {}, make("figcaption", {}, make("strong", {}, title), `: ${said}`), svg);
}

async function openCustodian() {
  const view = await call("/v1/custodian");
  const { session } = view;
  facts(at("custodian-facts"), [
    ["account", view.account],
    ["questions answered", `${count(session.queries - session.queries_left)} of ${count(session.queries)}`],
    ["unanswerable, paid for", `${count(session.unstable - session.unstable_left)} of ${count(session.unstable)}`],
    ["models", count(session.models)],
    ["tick", `${short(view.tick_seconds)} s`],
  ]);
  at("account-text").textContent =
    `${view.symbol} = ${short(view.spent)} of ${view.cap} is spent, ${short(view.left)} is left. This session is charge ${session.charge}; it was paid for in full when it was opened.`;
  [at("spent").max, at("spent").value] = [view.cap_amount, view.spent];
  at("charts").replaceChildren(
    chart("Questions answered", "first", view.history, session.queries, (moment) => session.queries - moment.queries_left),
    chart("Unanswerable ones, paid for", "second", view.history, session.unstable, (moment) => session.unstable - moment.unstable_left),
  );
  const head = make("tr", {}, ...["name", "role", "queries asked", "limit", "state"].map((name) => make("th", { scope: "col" }, name)));
  const rows = view.tokens.map((one) => {
    const cells = [one.name, one.role, count(one.used), one.limit === null ? "none" : count(one.limit), one.revoked ? "revoked" : "open"];
    return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
  });
  at("tokens").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
  at("custodian").hidden = false;
}

// ---- the door ----

async function enter(event) {
  event.preventDefault();
  const said = at("token-said");
  said.className = said.textContent = "";
  token = at("token").value.trim();
  try {
    const { role } = await showBudget();
    if (role === "custodian") await openCustodian();
    else openAnalyst();
    at("enter").hidden = true;
    at("token").value = "";
    at("title").focus();
  } catch (error) {
    token = "";
    said.className = "caution";
    said.textContent = error.status === 401 ? "This token is not known here, or was revoked. Ask the custodian for another." : error.message;
  }
}

async function start() {
  try {
    schema = await call("/v1/schema");
    at("title").textContent = `Private answers about ${schema.target}`;
    at("title").tabIndex = -1;
    document.title = at("title").textContent;
    at("guarantee").textContent = `All answers together are private: ${schema.guarantee}.`;
  } catch (error) {
    at("token-said").className = "caution";
    at("token-said").textContent = `The service cannot be reached. ${error.message}`;
  }
}

at("token-form").addEventListener("submit", enter);
at("one-form").addEventListener("submit", askOne);
at("many-form").addEventListener("submit", askMany);
start();
