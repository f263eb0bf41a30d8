//! `discretion ledger show`: one account, what is left, and what happened.

use super::bar;
use crate::args::BudgetFlags;
use crate::out;
use discretion::Refusal;
use discretion::privacy::account::{Event, Filter, Totals};
use discretion::privacy::{Budget, analytic_gaussian_sigma};
use discretion_ledger::{Happening, HistoryEntry, Ledger, RunsLeft, Standing};
use discretion_report::numbers::plain::{count, short};
use discretion_report::terminal::AlignedColumns;
use discretion_report::words;
use serde::Serialize;

/// Shows an account.
pub fn run(
    ledger: &Ledger,
    name: &str,
    why: bool,
    size: &BudgetFlags,
    json: bool,
) -> Result<(), Refusal> {
    let account = ledger.existing_account(name)?;
    let fits = match size.given()? {
        Some(size) => {
            Some(Fits { size: size.to_string(), runs: account.price(&of_size(size))?.runs })
        }
        None => None,
    };
    let view = AccountView { standing: account.standing()?, fits, history: account.history()? };
    if json {
        return out::print(&(serde_json::to_string_pretty(&view).expect("plain data") + "\n"));
    }
    out::print(&view.text(why))
}

/// A run of this size: pure noise, zero-concentrated noise or, with a δ, Gaussian noise.
fn of_size(size: Budget) -> Event {
    let what = "size".to_owned();
    match size {
        Budget::Pure { epsilon } => Event::Pure { epsilon, what },
        Budget::Zcdp { rho } => Event::Concentrated { rho, what },
        Budget::Approximate { epsilon, delta } => Event::Gaussian {
            sensitivity: 1.0,
            sigma: analytic_gaussian_sigma(1.0, epsilon, delta),
        },
    }
}

#[derive(Serialize)]
struct AccountView {
    #[serde(flatten)]
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    fits: Option<Fits>,
    history: Vec<HistoryEntry>,
}

/// How many runs of a size fit that somebody asked about.
#[derive(Serialize)]
struct Fits {
    size: String,
    runs: u64,
}

impl AccountView {
    fn text(&self, why: bool) -> String {
        let Standing { account, cap, filter, spent, closed, .. } = &self.standing;
        let symbol = words::symbol(*cap);
        let mut text = format!(
            "account  {account}\ncap      {cap}\nadds up  by {}\nspent    {symbol} = {}\nleft     {symbol} = {}\n         {}\n",
            filter.describe(),
            short(spent.amount),
            short(self.standing.left()),
            bar(&self.standing),
        );
        let more = |runs: u64| match runs {
            0 => "no more runs".to_owned(),
            1 => "1 more run".to_owned(),
            runs => format!("{} more runs", count(runs as usize)),
        };
        if let Some(RunsLeft { charge, runs }) = self.standing.more_like_last {
            text.push_str(&format!("fits     {} like entry {charge}\n", more(runs)));
        }
        if let Some(Fits { size, runs }) = &self.fits {
            text.push_str(&format!("fits     {} of {size}\n", more(*runs)));
        }
        if *closed {
            text.push_str(
                "closed   past its cap by the way it adds up; nothing more can be charged to it\n",
            );
        }
        text.push('\n');
        if why {
            text.push_str(&self.sums());
        }
        text.push_str(&self.table(filter).render());
        if self.standing.unreleased > 0 {
            text.push_str(&format!(
                "\n{} charged and never released: a run that was stopped after its charge. The charge stays, because \
                 nobody can know what it computed.\n",
                self.standing.unreleased
            ));
        }
        text
    }

    /// Every sum that counts.
    fn sums(&self) -> String {
        let mut table = AlignedColumns::new(&["what is added up", "sum", "limit"]);
        for reading in &self.standing.spent.readings {
            let sum = reading.used.map_or_else(|| "not everything has one".to_owned(), short);
            table.row(vec![reading.what.clone(), sum, short(reading.limit)]);
        }
        let either = match self.standing.filter {
            Filter::Renyi { .. } | Filter::Gaussian { .. } => {
                "The plain sum or the others must be within their limits, whichever lasts longer; the chance of failing always.\n"
            }
            _ => "",
        };
        format!(
            "{}{either}The cap holds however runs are chosen, also after looking at results. How much is spent says what still \
             fits;\nit is no guarantee of that size for what was released so far.\n\n",
            table.render()
        )
    }

    fn table(&self, filter: &Filter) -> AlignedColumns {
        let mut table = AlignedColumns::new(&["entry", "when (UTC)", "cost", "what", "released"]);
        for entry in &self.history {
            let (alone, what, released) = match &entry.what {
                Happening::Opened { cap } => {
                    (String::new(), format!("opened with {cap}"), String::new())
                }
                Happening::Upgraded { what } => (String::new(), what.clone(), String::new()),
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
                    let left = if left.is_empty() {
                        "charged, not released".to_owned()
                    } else {
                        left.join(", ")
                    };
                    (cost(event, filter), what.clone(), left)
                }
            };
            table.row(vec![entry.number.to_string(), entry.at.clone(), alone, what, released]);
        }
        table
    }
}

/// What an event costs, in the ε or ρ of the cap.
fn cost(event: &Event, filter: &Filter) -> String {
    let cost: Option<Totals> = filter.cost(event).ok();
    cost.map(|cost| short(filter.amount(&cost))).unwrap_or_default()
}
