//! `discretion ledger show`: one account, what is left, and what happened.

use super::bar;
use crate::exit::Failure;
use crate::numbers::short;
use crate::out;
use crate::text_table::TextTable;
use crate::words;
use discretion::privacy::Budget;
use discretion::privacy::account::{Event, Price, Spend};
use discretion_ledger::{Happening, HistoryEntry, Ledger, Standing};
use serde::Serialize;

/// Shows an account.
pub fn run(ledger: &Ledger, name: &str, why: bool, json: bool) -> Result<(), Failure> {
    let account = ledger.existing_account(name)?;
    let shown = Shown { standing: account.standing()?, history: account.history()? };
    if json {
        return out::print(&(serde_json::to_string_pretty(&shown).expect("plain data") + "\n"));
    }
    out::print(&shown.text(why))
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    standing: Standing,
    history: Vec<HistoryEntry>,
}

impl Shown {
    fn text(&self, why: bool) -> String {
        let Standing { account, cap, spent, .. } = &self.standing;
        let symbol = words::symbol(*cap);
        let delta = match cap {
            Budget::Approximate { delta, .. } => format!(" at δ = {delta:e}"),
            Budget::Pure { .. } | Budget::Zcdp { .. } => String::new(),
        };
        let mut text = format!(
            "account  {account}\ncap      {cap}\nspent    {symbol} = {}{delta} ({})\nleft     {symbol} = {}\n         {}\n\n",
            short(spent.amount),
            spent.rule.describe(),
            short(self.standing.left()),
            bar(&self.standing),
        );
        if why {
            text.push_str("Every valid price of all that was spent; the account takes the smallest:\n");
            for Price { rule, amount, adaptive, .. } in
                std::iter::once(spent).chain(&self.standing.alternatives)
            {
                let mark = if *adaptive { " *" } else { "" };
                text.push_str(&format!("  {symbol} = {:<10} {}{mark}\n", short(*amount), rule.describe()));
            }
            text.push_str(
                "* holds too if later runs were chosen after seeing what earlier ones released\n\n",
            );
        }
        text.push_str(&self.table(*cap).render());
        if self.standing.unreleased > 0 {
            text.push_str(&format!(
                "\n{} charged and never released: a run that was stopped after its charge. The charge stays, because \
                 nobody can know what it computed.\n",
                self.standing.unreleased
            ));
        }
        text
    }

    fn table(&self, cap: Budget) -> TextTable {
        let mut table = TextTable::new(&["entry", "when (UTC)", "alone", "what", "released"]);
        for entry in &self.history {
            let (alone, what, released) = match &entry.what {
                Happening::Opened { cap } => (String::new(), format!("opened with {cap}"), String::new()),
                Happening::Raised { cap, reason } => {
                    (String::new(), format!("raised to {cap}: {reason}"), String::new())
                }
                Happening::Charged { event, what, answers, releases, .. } => {
                    let answers = match answers {
                        0 => None,
                        1 => Some("1 answer".to_owned()),
                        many => Some(format!("{many} answers")),
                    };
                    let files = releases.iter().map(|release| release.file.clone());
                    let left: Vec<String> = answers.into_iter().chain(files).collect();
                    let left =
                        if left.is_empty() { "charged, not released".to_owned() } else { left.join(", ") };
                    (price_alone(event, cap), what.clone(), left)
                }
            };
            table.row(vec![entry.number.to_string(), entry.at.clone(), alone, what, released]);
        }
        table
    }
}

/// What an event would cost on an empty account.
fn price_alone(event: &Event, cap: Budget) -> String {
    Spend::of(event)
        .ok()
        .and_then(|spend| spend.price(cap).ok())
        .map(|price| short(price.amount))
        .unwrap_or_default()
}
