//! What is said about a joint model: the same facts on a terminal, on the page and in the file's
//! own sentences.

use crate::numbers::plain::{count, short, significant};
use crate::words;
use discretion::joint::Plan;
use discretion::privacy::Unit;
use discretion_formats::{Bounds, JointFacts, StepFacts, Weights};

/// More holders than this are counted, not named.
const MOST_NAMED: usize = 8;

/// What intervals of a joint model are about besides.
pub const OF_ALL_HOLDERS: &str = "where the rows of all holders together are the sample; if holders draw from populations that \
                                  differ much, intervals may cover less often than they say";

/// The promise to the person in a row of any holder.
pub fn guarantee(plan: &Plan) -> String {
    let (sharing, unit) = (plan.sharing(), plan.holders().unit());
    let of_whom = match unit {
        Unit::Row => "every row of every holder",
        Unit::Person => "every person (who has rows with two holders counts as two)",
    };
    format!(
        "{}; this holds for {of_whom}, against {}",
        words::guarantee_about(unit, plan.budget()),
        against(sharing.aggregators(), sharing.colluders())
    )
}

/// Whom the guarantee holds against.
pub fn against(aggregators: usize, colluders: usize) -> String {
    let together = match colluders {
        0 => {
            format!("each of the {aggregators} aggregators as long as none tells another its noise")
        }
        1 => format!("any one of the {aggregators} aggregators"),
        _ => format!("any {colluders} of the {aggregators} aggregators together"),
    };
    format!("everyone else: the public, the other holders, the coordinator and {together}")
}

/// Why the model was made this way.
pub fn why(plan: &Plan) -> String {
    let deviation = short(plan.average().noise().deviation());
    match plan.joint().step {
        None => format!(
            "the average of the holders' models, with noise of ±{deviation} on each encoded coefficient; no Newton step"
        ),
        Some(_) => format!(
            "the average of the holders' models, with noise of ±{deviation} on each encoded coefficient, and a Newton step \
             from it on the noisy gradient and {} of all rows",
            if plan.sums_moments() { "second moments" } else { "Hessian" }
        ),
    }
}

/// Name and value of each fact, for a terminal and for the page.
pub fn facts(facts: &JointFacts) -> Vec<(&'static str, String)> {
    let &JointFacts { aggregators, colluders, weights, average, .. } = facts;
    let mut said = vec![("holders", holders(facts))];
    said.push((
        "averaged",
        match weights {
            Weights::BySize => "by numbers of rows".to_owned(),
            Weights::Equal => "equally, as printed".to_owned(),
        },
    ));
    let apart = match colluders {
        0 => "none of them may tell its noise".to_owned(),
        _ => format!("up to {colluders} may tell each other everything; that is paid for in noise"),
    };
    said.push(("aggregators", format!("{aggregators}; {apart}")));
    said.push((
        "average",
        format!(
            "lambda {}, {} % of the budget, noise ±{} on each encoded coefficient",
            significant(facts.average_lambda, 4),
            short(100.0 * facts.average_share),
            short(average.deviation)
        ),
    ));
    said.extend(facts.step.map(|step| ("Newton step", in_words(step))));
    said.push((
        "fixed point",
        format!("moves each number of the average by at most {}", short(average.fixed_point_error)),
    ));
    said.push(("bounds", bounds(facts)));
    said
}

fn holders(facts: &JointFacts) -> String {
    let all = facts.holders.len();
    let named = if all <= MOST_NAMED + 1 { all } else { MOST_NAMED };
    let mut list: Vec<String> = facts.holders[..named]
        .iter()
        .map(|holder| format!("{} with {} rows", holder.name, count(holder.rows)))
        .collect();
    if named < all {
        let rest: usize = facts.holders[named..].iter().map(|holder| holder.rows).sum();
        list.push(format!("{} more with {} rows together", count(all - named), count(rest)));
    }
    format!("{}: {}", count(all), list.join(", "))
}

fn in_words(step: StepFacts) -> String {
    let percent = |share: f64| format!("{} %", short(100.0 * share));
    let (matrix, share) = match step.moments_share > 0.0 {
        true => ("the rows' second moments", step.moments_share),
        false => ("Hessian", step.hessian_share),
    };
    let mut text = format!(
        "to lambda {}; gradient {} and {matrix} {} of the budget",
        significant(step.lambda, 4),
        percent(step.gradient_share),
        percent(share)
    );
    if step.covariance_share > 0.0 {
        text.push_str(&format!(", covariance {}", percent(step.covariance_share)));
    }
    if step.damping > 0.0 {
        text.push_str(&format!(
            "; eigenvalues below {} times the noise were raised to it",
            short(step.damping)
        ));
    }
    text
}

fn bounds(facts: &JointFacts) -> String {
    let Bounds { distance, excess_risk, doubt, .. } = facts.bounds;
    let before = if facts.step.is_some() { ", before the Newton step," } else { "" };
    format!(
        "for any rows, the average without noise is within {} of the model of all rows at its lambda, and the released \
         average's{before} regularised loss above that model's by at most {} with probability {} %; holders with alike rows \
         come far closer",
        short(distance),
        short(excess_risk),
        short(100.0 * (1.0 - doubt))
    )
}
