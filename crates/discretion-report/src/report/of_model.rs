//! The page for a review board, from a model file: public facts and released values, nothing else.

use super::noise::{deviations, half_band, normal_quantile};
use super::{
    Account, Bound, Charge, Effect, Estimate, Interval, Lambda, Ordinary, Origin, OwnUnit, Place,
    Report, Target,
};
use crate::numbers::plain::{count, short};
use crate::words::{self, joint};
use discretion_formats::{
    Coefficient, CoefficientInterval, IntervalFacts, JointFacts, LambdaFrom, LedgerEntry, Model,
    content_hash,
};
use discretion_table::{Labels, Schema};
use std::path::Path;

/// The page about the model at `path`. `ledger` is named if it is not where the program looks by
/// itself.
pub fn html(model: &Model, path: &Path, ledger: Option<&Path>) -> String {
    let whole = report(model, path, ledger);
    match model.classes() {
        None => whole.to_html(),
        Some(classes) => {
            let of_class = |class: &String| report(&model.of_class(class), path, ledger);
            // What others are compared with has no difference to show.
            let reference =
                model.intervals.as_ref().and_then(|intervals| intervals.reference.as_ref());
            let compared = classes.iter().filter(|class| Some(*class) != reference);
            whole.to_html_with(&compared.map(of_class).collect::<Vec<_>>())
        }
    }
}

/// The same, as what the page is made of.
pub fn report(model: &Model, path: &Path, ledger: Option<&Path>) -> Report {
    let training = &model.training;
    let level = model.intervals.as_ref().map(|intervals| intervals.level);
    let places = places(&model.schema);
    // Every class has the same places.
    let coefficients = model.coefficients.iter().zip(places.into_iter().cycle());
    let coefficients = coefficients.zip(noise(model).into_iter().cycle());
    Report {
        not_private: model.warning.clone(),
        target: target(model),
        rows: model.rows(),
        columns: model.schema.columns().to_vec(),
        norm: model.schema.norm(),
        from_rows: model.schema.from_rows().to_vec(),
        cohort: model.schema.cohort_in_words(),
        weights: model.schema.weights_in_words(),
        loss: training.loss,
        several_classes: model.schema.target().labels.several().is_some(),
        steps: model.intervals.as_ref().map_or(0, |intervals| intervals.steps),
        ordinary: model.intervals.as_ref().and_then(ordinary),
        lambda: Lambda {
            value: training.lambda,
            chosen: how_lambda_was_chosen(model),
            warning: model.intervals.as_ref().and_then(|intervals| intervals.warning.clone()),
        },
        level,
        coefficients: coefficients
            .map(|((c, place), noise)| {
                let told = super::Coefficient { noise, ..coefficient(c, place, level) };
                if model.is_estimable(c) { told } else { told.without_estimate() }
            })
            .collect(),
        curves: super::curves::curves(model),
        crosses: super::crosses::crosses(model),
        quality: model.quality.clone(),
        guarantee: model.privacy.guarantee,
        unit: model.privacy.unit,
        whom: model.joint.as_ref().map(whom),
        account: model.ledger.as_ref().and_then(account),
        run: facts_of_the_run(model),
        origin: origin(model.program(), path, &model.to_json(), model.ledger.as_ref(), ledger),
    }
}

/// What intervals say, if they cover ordinary coefficients.
fn ordinary(intervals: &IntervalFacts) -> Option<Ordinary> {
    let findings = words::findings(intervals.findings.as_ref()?);
    let (covers, rough) = (intervals.covers.clone(), intervals.rough.clone());
    Some(Ordinary { findings, covers, rough })
}

fn target(model: &Model) -> Target {
    let target = model.schema.target();
    let (positive, negative, label) = match target.labels.clone() {
        Labels::Two { positive, negative, label } => (positive, negative, label),
        Labels::Many { classes } => {
            // Of one class alone, where several have coefficients of their own.
            let of = |coefficient: &Coefficient| coefficient.class.clone();
            let first = model.coefficients.first().and_then(of);
            let alone = first
                .filter(|_| model.coefficients.iter().all(|c| of(c) == of(&model.coefficients[0])));
            (alone.map_or(classes, |class| vec![beside(model, class)]), None, None)
        }
        Labels::Above { above, label } => (vec![format!("above {above}")], None, label),
        Labels::Number { .. } => (Vec::new(), None, None),
    };
    Target { column: target.column.clone(), positive, negative, label }
}

/// A class, with what it is compared with.
fn beside(model: &Model, class: String) -> String {
    match model.intervals.as_ref().and_then(|intervals| intervals.reference.as_ref()) {
        Some(reference) => format!("{class} beside {reference}"),
        None => class,
    }
}

/// The file a page was made from, and what paid for it.
pub fn origin(
    program: &str,
    path: &Path,
    json: &str,
    entry: Option<&LedgerEntry>,
    ledger: Option<&Path>,
) -> Origin {
    Origin {
        program: program.to_owned(),
        model_file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        sha256: Some(content_hash(json.as_bytes())),
        charge: entry.map(|entry| Charge {
            account: entry.account.clone(),
            number: entry.charge,
            ledger: ledger.map(|path| path.display().to_string()),
        }),
    }
}

/// What each coefficient belongs to, in the order of the encoder.
pub(super) fn places(schema: &Schema) -> Vec<Place> {
    let places = schema.encoder().places().into_iter().skip(1);
    let place = |(column, value): (String, Option<String>)| match value {
        None => Place::Number { column },
        Some(value) => Place::Category { column, value },
    };
    std::iter::once(Place::Intercept).chain(places.map(place)).collect()
}

/// A coefficient as pages and tables show it.
pub(super) fn coefficient(
    coefficient: &Coefficient,
    place: Place,
    level: Option<f64>,
) -> super::Coefficient {
    let estimate = |value: f64, interval: &Option<CoefficientInterval>| Estimate {
        value: CoefficientInterval::estimate(*interval, value),
        interval: interval.zip(level).map(|(interval, level)| Interval {
            lower: interval.lower,
            upper: interval.upper,
            // From the spread of models of parts nobody can tell what of it is noise.
            sampling_half_width: interval
                .sampling_deviation
                .map(|deviation| normal_quantile(level) * deviation),
            matrices_half_width: interval
                .sampling_deviation
                .map(|_| normal_quantile(level) * interval.matrices_deviation.unwrap_or(0.0)),
            bound: interval.shares().zip(interval.deviation()).map(|(shares, deviation)| Bound {
                half_width_without: normal_quantile(level) * deviation,
                shares,
            }),
        }),
    };
    let effect = coefficient.effect.as_ref().map(|effect| Effect {
        against: effect.against.clone(),
        estimate: estimate(effect.value, &effect.interval),
    });
    // The intercept is told in the columns' own units, as everywhere else.
    let own = coefficient.per_unit_interval.or(coefficient.interval);
    let told = coefficient.effect.as_ref().map_or(own, |effect| effect.interval);
    let own_unit = coefficient.of.clone().zip(coefficient.per_unit).map(|(of, value)| OwnUnit {
        of,
        estimate: estimate(value, &coefficient.per_unit_interval),
    });
    super::Coefficient {
        name: coefficient.name.clone(),
        place,
        encoded: estimate(coefficient.encoded, &coefficient.interval),
        own_unit,
        effect,
        p_value: told.map(|interval| interval.p_value),
        noise: None,
    }
}

/// What noise alone makes of each effect, where that is not in an interval: half its band. A joint
/// model's noise has another law.
fn noise(model: &Model) -> Vec<Option<f64>> {
    let training = &model.training;
    let none = vec![None; model.coefficients.len()];
    let (Some(law), Some(deviations)) = (&training.noise, deviations(training)) else {
        return none;
    };
    if model.intervals.is_some() || model.joint.is_some() {
        return none;
    }
    let effects = model.schema.encoder().effects();
    // Without effects, where rows have length 1, all but the intercept stand for themselves.
    let has_effects = effects.iter().any(Option::is_some);
    let count = effects.iter().flatten().count();
    let count = if has_effects { count } else { effects.len().saturating_sub(1) };
    let half = half_band(law, training.dimension, count);
    let deviation = |weights: &[(usize, f64)]| {
        weights
            .iter()
            .map(|&(place, weight)| (weight * deviations[place]).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let band = |(position, effect): (usize, Option<discretion_table::Effect>)| match effect {
        Some(effect) => Some(half * deviation(&effect.weights)),
        None => (!has_effects && position > 0).then(|| half * deviations[position]),
    };
    effects.into_iter().enumerate().map(band).collect()
}

fn how_lambda_was_chosen(model: &Model) -> Vec<String> {
    let mut said = who_chose_lambda(model);
    if let Some(rate) = &model.training.base_rate {
        said.push(format!("The base rate was released first: {}.", words::base_rate(rate)));
    }
    said
}

fn who_chose_lambda(model: &Model) -> Vec<String> {
    match (model.training.lambda_from, &model.tuning) {
        (LambdaFrom::Study, _) => {
            vec!["It was fixed in the study file before the rows were looked at.".to_owned()]
        }
        (LambdaFrom::Auto, _) => {
            let told = words::without_intervals(&model.training);
            let rule = "It follows from the number of rows, of coefficients and the budget alone";
            match told {
                None => vec![format!("{rule}.")],
                Some(told) => vec![format!("{rule}, and suits intervals."), sentence(&told)],
            }
        }
        (LambdaFrom::None, _) => vec!["There is no penalty.".to_owned()],
        (LambdaFrom::Chosen, None) => vec!["It was chosen privately from a list.".to_owned()],
        (LambdaFrom::Chosen, Some(tuning)) => {
            let list: Vec<String> = tuning.candidates.iter().map(|&lambda| short(lambda)).collect();
            let mut sentences = vec![
                format!("It was chosen privately from {}: {}.", list.join(", "), tuning.rule),
                format!("This rule was taken because {}.", tuning.why),
                format!(
                    "Models were compared by their {} score, which was not released.",
                    tuning.score.name()
                ),
            ];
            if !tuning.dropped.is_empty() {
                let dropped: Vec<String> =
                    tuning.dropped.iter().map(|&lambda| short(lambda)).collect();
                sentences.push(format!(
                    "Too small for this budget, and left out: {}.",
                    dropped.join(", ")
                ));
            }
            sentences
        }
    }
}

/// Words as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect::<String>() + "."
}

/// Who paid, as pages have it.
pub fn account(entry: &LedgerEntry) -> Option<Account> {
    let cap = entry.cap?;
    Some(Account {
        name: entry.account.clone(),
        symbol: words::symbol(cap).to_owned(),
        run: entry.cost?,
        spent: entry.spent?,
        cap: cap.amount(),
        delta: (cap.delta() > 0.0).then_some(cap.delta()),
    })
}

/// For whom a joint model's guarantee holds, and against whom.
fn whom(facts: &JointFacts) -> String {
    format!(
        "{} holders trained this model together, and none of them showed its rows or its own model to anyone. The promise is for \
         every row of every one of them, against {}. It takes for granted that the secret sharing is not broken.",
        count(facts.holders.len()),
        joint::against(facts.aggregators, facts.colluders)
    )
}

fn facts_of_the_run(model: &Model) -> Vec<(String, String)> {
    let training = &model.training;
    let mut facts = Vec::new();
    let mut say = |name: &str, value: String| facts.push((name.to_owned(), value));
    if training.rows != model.rows() {
        say(&format!("{} that trained", model.privacy.unit.plural()), count(training.rows));
    }
    match training.mechanism {
        Some(mechanism) => say("mechanism", words::mechanism(mechanism).to_owned()),
        None => say("how", training.why.clone()),
    }
    if let Some(noise) = &training.noise {
        say("noise", words::noise(noise, training.dimension));
    }
    if let Some(facts) = &model.joint {
        joint::facts(facts).into_iter().for_each(|(name, value)| say(name, value));
    }
    if let Some(IntervalFacts { split: [training, hessian, covariance], all_at_once, .. }) =
        &model.intervals
    {
        let percent = |share: &f64| format!("{} %", short(100.0 * share));
        let training = percent(training);
        match (*hessian > 0.0, *covariance > 0.0) {
            (true, true) => say(
                "budget split",
                format!(
                    "{training} for the coefficients, {} and {} for the sums behind their widths",
                    percent(hessian),
                    percent(covariance)
                ),
            ),
            (true, false) => say(
                "budget split",
                format!(
                    "{training} for the coefficients, {} for the second moments of the rows",
                    percent(hessian)
                ),
            ),
            (false, _) => {}
        }
        say(
            "all intervals at once",
            format!("hold with that level if each is {} times as wide", short(*all_at_once)),
        );
    }
    facts
}
