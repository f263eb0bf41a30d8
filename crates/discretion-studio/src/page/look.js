// The custodian's look: counts of the rows without noise, in a colour that says so. It is never published and nothing is charged.

import { asSentence, box, button, count, facts, make, part, t } from "./elements.js";
import { ask } from "./server.js";
import { shares } from "./pictures.js";

export async function show(place, app) {
  place.closest(".step")?.classList.add("not-private-step");
  const found = make("div", { id: "look-found" });
  const said = make("div", { class: "said" });
  const go = async () => {
    go_button.disabled = true;
    said.replaceChildren(box("note-box", t("looking")));
    try {
      const { report, summary } = await ask("look", { study: app.study });
      found.replaceChildren(...shown(report, summary));
      said.replaceChildren();
    } catch (error) { app.refuse(said, error); }
    go_button.disabled = false;
  };
  const go_button = button(t("look-now"), go, "danger");
  go_button.id = "look-now";
  place.append(box("not-private-box", make("p", {}, make("strong", {}, t("not-private")), " ", t("look-warning"))), go_button, said, found);
}

function shown(report, summary) {
  const worst = { fine: "done-box", look: "caution", mistake: "wrong-box" }[report.verdict];
  const rows = report.rows;
  return [
    part(t("look-found"), box(worst, summary), facts([[t("rows"), count(rows)], [t("columns"), count(report.columns.length)]]),
      make("p", { class: "note" }, make("span", { class: "key lost" }), t("key-lost"), " ", make("span", { class: "key missing" }), t("key-missing"), " ",
        make("span", { class: "key positive" }), t("key-positive"))),
    make("div", { class: "looks" }, report.columns.map((column) => one(column, rows))),
    make("p", {}, asSentence(report.whole_rows.sentence)),
  ];
}

function one(column, rows) {
  const of = (number) => (rows > 0 ? (number ?? 0) / rows : 0);
  const parts = column.classes
    ? column.classes.slice(1).map((known) => ["positive", of(known.rows)])
    : [["lost", of((column.clipped_low ?? 0) + (column.clipped_high ?? 0) + (column.other ?? 0) + (column.refused ?? 0))], ["missing", of(column.missing)]];
  const sentences = column.findings.map((finding) => make("p", { class: `finding ${finding.verdict}` }, `${t(`verdict-${finding.verdict}`)}: ${finding.sentence}`));
  const unusual = column.unusual.length
    ? make("p", { class: "note" }, t("unusual"), " ", column.unusual.map((value) => `${value.value} (${count(value.count)})`).join(", ")) : null;
  return make("article", { class: "look" }, make("h3", {}, column.name, " ", make("small", {}, column.declared)),
    shares(`${column.name}: ${column.findings.map((finding) => finding.sentence).join("; ")}`, parts), sentences, unusual);
}
