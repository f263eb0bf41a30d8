//! What can be looked at.

use crate::app::App;
use crate::options::{BudgetView, MOST_QUERIES};
use crate::store::Store;
use crate::tokens::Token;
use discretion::Refusal;
use discretion_ledger::Ledger;
use discretion_report::words;
use discretion_table::{Kind, Scale};
use serde_json::{Value, json};

/// Moments in the custodian's charts.
const MOMENTS: u64 = 500;

/// Everything public that it takes to ask.
pub fn schema(app: &App) -> Value {
    let column = |column: &discretion_table::Column| match &column.kind {
        Kind::Number { min, max, scale, .. } => {
            let scale = if *scale == Scale::Log { "log" } else { "linear" };
            Some(
                json!({ "name": column.name, "kind": "number", "min": min, "max": max, "scale": scale }),
            )
        }
        Kind::Date { min, max, .. } => {
            Some(json!({ "name": column.name, "kind": "date", "min": min, "max": max }))
        }
        // A part of a date is asked for by the date itself, and one of several columns by these.
        Kind::Category { .. }
            if column.reading.from.is_some() || !column.reading.one_of.is_empty() =>
        {
            None
        }
        Kind::Category { values, labels } if !labels.is_empty() => Some(
            json!({ "name": column.name, "kind": "category", "values": values, "labels": labels }),
        ),
        Kind::Category { values, .. } => {
            Some(json!({ "name": column.name, "kind": "category", "values": values }))
        }
        Kind::Dropped => None,
    };
    let mut columns: Vec<Value> = app.study.schema.columns().iter().filter_map(column).collect();
    columns.extend(
        app.study
            .schema
            .dates_in_parts()
            .iter()
            .map(|name| json!({ "name": name, "kind": "date" })),
    );
    let indicator = |name: &&str| json!({ "name": name, "kind": "indicator" });
    columns.extend(app.study.schema.indicators().iter().map(indicator));
    let passed_over: Vec<&str> = passed_over(app);
    let answers = match app.vote.score_bins {
        Some(bins) => {
            let mut scores =
                json!({ "kind": "score", "bins": bins, "of": app.vote.classes.names()[1] });
            if let Some(threshold) = app.vote.threshold {
                scores["threshold"] = json!(threshold);
            }
            scores
        }
        None => json!({ "kind": "label", "labels": app.vote.classes.names() }),
    };
    json!({
        "target": app.study.schema.target().column,
        "columns": columns,
        "ignored": passed_over,
        "answers": answers,
        "most_queries": MOST_QUERIES,
        "tick_seconds": app.options.tick.unwrap_or_default().as_secs_f64(),
        "guarantee": words::voting_guarantee(app.study.spend, app.study.schema.unit(), app.vote.protect),
    })
}

/// Columns that a query may have and that are not read.
pub fn passed_over(app: &App) -> Vec<&str> {
    let dropped = app.study.schema.columns().iter().filter(|column| column.kind == Kind::Dropped);
    let dropped = dropped.map(|column| column.name.as_str());
    dropped.chain([app.study.schema.target().column.as_str()]).collect()
}

/// What a token has used, and what the custodian shows of the session.
pub fn budget(app: &App, token: &Token) -> Value {
    let counts = app.counts.current();
    let used = counts.used.get(&token.id).copied().unwrap_or(0);
    let session = (app.options.budget_view == BudgetView::Left).then(|| {
        json!({
            "queries_left": counts.queries_left,
            "unstable_left": counts.unstable_left,
        })
    });
    json!({ "name": token.name, "role": token.role.name(), "used": used, "limit": token.limit, "session": session })
}

/// The account, the session and everybody's counts. For the custodian alone: some of it is as new
/// as the last commit.
pub fn custodian(app: &App) -> Result<Value, Refusal> {
    let ledger = Ledger::peek(&app.options.ledger)?;
    let standing = ledger.existing_account(&app.study.data.account)?.standing()?;
    let store = Store::peek(&app.options.ledger, &app.study.data.account)?;
    let store =
        store.ok_or_else(|| Refusal::refused("the state of the service is gone".to_owned()))?;
    let counts = app.counts.current();
    Ok(json!({
        "account": standing.account,
        "cap": standing.cap.to_string(),
        "symbol": words::symbol(standing.cap),
        "cap_amount": standing.cap.amount(),
        "spent": standing.spent.amount,
        "left": standing.left(),
        "charges": standing.charges,
        "guarantee": words::voting_guarantee(app.study.spend, app.study.schema.unit(), app.vote.protect),
        "session": {
            "charge": app.charge,
            "queries": app.vote.queries,
            "unstable": app.vote.unstable,
            "queries_left": counts.queries_left,
            "unstable_left": counts.unstable_left,
            "models": app.chunks,
        },
        "history": store.progress(app.charge, MOMENTS)?,
        "tokens": store.tokens()?,
        "tick_seconds": app.options.tick.unwrap_or_default().as_secs_f64(),
    }))
}
