//! The short summary of a model: what was promised, its effects, how good it is, what is left. The
//! full one has every public number.

use super::AlignedColumns;
use super::model::{decimal, probability, ratio, shown};
use super::number_of;
use super::quality::groups_of;
use crate::numbers::NO_ESTIMATE;
use crate::numbers::plain::{count, short};
use crate::words;
use discretion::loss::LossKind;
use discretion_formats::{
    AnyModel, Coefficient, CoefficientInterval, Model, ModelQuality, NumberModel, Privacy,
};

/// The most effects in a table; the rest is in the full summary.
const MOST_SHOWN: usize = 40;

/// The most characters of a line, unless a word has more. Tables are as wide as they are.
const WIDEST: usize = 120;

/// The short summary of a model. `about` comes last: who paid, where its files are.
pub fn summary(model: &AnyModel, about: &[(&str, String)]) -> String {
    let (privacy, said, quality, rows) = match model {
        AnyModel::Classes(model) => {
            let (all, trained) = (model.rows(), model.training.rows);
            let rows = match all == trained {
                true => count(all),
                false => format!("{}, of which {} trained", count(all), count(trained)),
            };
            (&model.privacy, classes(model), model.quality.clone(), rows)
        }
        AnyModel::Number(model) => {
            let quality = model.quality.clone().map(ModelQuality::Number);
            (&model.privacy, number(model), quality, count(model.training.rows))
        }
    };
    // The first line is the one that matters most: the promise, or that there is none.
    let mut text = format!("{}\n{said}", wrapped(&privacy.statement, 0));
    text.push('\n');
    text.extend(quality.as_ref().map(|known| quality_of(known, privacy)));
    text.push_str(&fact(privacy.unit.plural(), &rows));
    text.extend(about.iter().map(|(name, value)| fact(name, value)));
    text + &quality.as_ref().map(groups_of).unwrap_or_default()
}

fn classes(model: &Model) -> String {
    let mut text = String::new();
    for (name, words) in
        [("where", model.schema.cohort_in_words()), ("weighed", model.schema.weights_in_words())]
    {
        text.extend(words.map(|words| fact(name, &words)));
    }
    text.push_str(&limits(model));
    if !text.is_empty() {
        text.push('\n');
    }
    let level = model.intervals.as_ref().map(|intervals| intervals.level);
    let target = model.schema.target();
    let is_estimable = &|coefficient: &Coefficient| model.is_estimable(coefficient);
    match model.classes() {
        None => {
            // Where rows are divided by their own length, no coefficient has a unit.
            let units = model.coefficients.iter().any(|coefficient| coefficient.per_unit.is_some());
            let scale = match (units, model.training.loss) {
                (false, _) => Scale::Encoded,
                (true, LossKind::Logistic) => Scale::Odds,
                (true, _) => Scale::Unit,
            };
            let names = target.labels.two_names();
            let yes = names.map_or(String::new(), |[_, yes]| format!(" = {yes}"));
            let title = format!("{}{yes}", target.column);
            text.push_str(&effects(&title, &model.coefficients, scale, level, is_estimable));
        }
        Some(classes) => {
            let reference =
                model.intervals.as_ref().and_then(|intervals| intervals.reference.as_ref());
            let tables = classes.iter().filter(|class| Some(*class) != reference).map(|class| {
                let beside = reference.map(|class| format!(", beside {class}")).unwrap_or_default();
                let title = format!("{} = {class}{beside}", target.column);
                effects(
                    &title,
                    &model.of_class(class).coefficients,
                    Scale::Unit,
                    level,
                    is_estimable,
                )
            });
            text.push_str(&tables.collect::<Vec<_>>().join("\n"));
        }
    }
    text
}

/// What intervals cannot say, in a few lines.
fn limits(model: &Model) -> String {
    let Some(intervals) = &model.intervals else { return String::new() };
    let lines = intervals.findings.iter().flat_map(words::limits);
    let lines: String = lines.map(|(name, names)| fact(name, &names)).collect();
    let rough = intervals.rough.as_ref().map(|why| fact("rough", why)).unwrap_or_default();
    lines + &rough
}

fn number(model: &NumberModel) -> String {
    let of_each = model.each().into_iter().map(|model| {
        let squares = model.fit.squares.as_ref();
        let explained = squares.map(|fit| {
            fact("explained", &format!("{:.1} % of the variance (R²)", 100.0 * fit.explained))
        });
        let level = squares.map(|fit| fit.level);
        explained.unwrap_or_default()
            + &effects(&model.fit.of, &model.coefficients, Scale::Unit, level, &|_| true)
    });
    of_each.collect::<Vec<_>>().join("\n")
}

fn fact(name: &str, value: &str) -> String {
    wrapped(&format!("{name:<14}{value}"), 14)
}

/// Breaks a text at spaces, but none around a sign of equality, and indents all lines but the first.
fn wrapped(text: &str, indent: usize) -> String {
    let text = text.replace(" = ", "\u{a0}=\u{a0}");
    let (mut lines, mut width) = (String::new(), 0);
    for word in text.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if width > indent && width + length > WIDEST {
            lines.truncate(lines.trim_end().len());
            lines.push_str(&format!("\n{:indent$}", ""));
            width = indent;
        }
        lines.push_str(word);
        width += word.chars().count();
    }
    lines.replace('\u{a0}', " ") + "\n"
}

/// The scale on which effects are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Ratios of odds.
    Odds,
    /// Changes of the margin, or of the outcome, for one unit of a column.
    Unit,
    /// Coefficients as they are.
    Encoded,
}

impl Scale {
    fn name(self) -> &'static str {
        match self {
            Scale::Odds => "odds ratio",
            Scale::Unit => "per unit",
            Scale::Encoded => "encoded",
        }
    }

    fn number(self, x: f64) -> String {
        if self == Scale::Odds { ratio(x.exp()) } else { decimal(x, 4) }
    }

    /// An effect and its interval; nothing for the first category of a column, which others are
    /// compared with, and for an intercept, whose odds are no ratio.
    fn of(
        self,
        place: usize,
        coefficient: &Coefficient,
    ) -> Option<(f64, Option<CoefficientInterval>)> {
        match self {
            Scale::Odds if place == 0 => None,
            Scale::Odds | Scale::Unit => number_of(place, coefficient),
            Scale::Encoded => {
                let value =
                    CoefficientInterval::estimate(coefficient.interval, coefficient.encoded);
                Some((value, coefficient.interval))
            }
        }
    }
}

/// One line for each effect: what it is compared with, its size, interval and p-value.
fn effects(
    title: &str,
    coefficients: &[Coefficient],
    scale: Scale,
    level: Option<f64>,
    is_estimable: &dyn Fn(&Coefficient) -> bool,
) -> String {
    let against = |coefficient: &Coefficient| {
        coefficient.effect.as_ref().and_then(|effect| effect.against.clone())
    };
    let compares = coefficients.iter().any(|coefficient| against(coefficient).is_some());
    let level = level.map(|level| format!("{} % interval", short(100.0 * level)));
    let has_shares =
        coefficients.iter().any(|of| of.interval.is_some_and(|of| of.shares().is_some()));
    let heading = [
        title,
        "against",
        scale.name(),
        level.as_deref().unwrap_or_default(),
        "p",
        "sampling + privacy + bound",
    ];
    let wanted = [true, compares, true, level.is_some(), level.is_some(), has_shares];
    let keep = |cells: [String; 6]| -> Vec<String> {
        cells.into_iter().zip(wanted).filter_map(|(cell, wanted)| wanted.then_some(cell)).collect()
    };
    let heading = keep(heading.map(str::to_owned));
    let mut table = AlignedColumns::new(&heading.iter().map(String::as_str).collect::<Vec<_>>());
    for place in shown(coefficients, MOST_SHOWN) {
        let coefficient = &coefficients[place];
        let Some((value, interval)) = scale.of(place, coefficient) else { continue };
        let ends = |ends: &CoefficientInterval| {
            format!("{} to {}", scale.number(ends.lower), scale.number(ends.upper))
        };
        table.row(keep([
            coefficient.of.as_ref().unwrap_or(&coefficient.name).clone(),
            against(coefficient).unwrap_or_default(),
            if is_estimable(coefficient) { scale.number(value) } else { NO_ESTIMATE.to_owned() },
            interval.as_ref().map(ends).unwrap_or_default(),
            // Nobody asks whether an intercept is 0.
            interval
                .filter(|_| place > 0)
                .map(|ends| probability(ends.p_value))
                .unwrap_or_default(),
            interval.and_then(|ends| ends.shares()).map(in_percent).unwrap_or_default(),
        ]));
    }
    let more = match coefficients.len().saturating_sub(MOST_SHOWN) {
        0 => String::new(),
        _ => {
            "… and more, less certain ones: --verbose, or `discretion export` for all\n".to_owned()
        }
    };
    table.render() + &more
}

/// Shares of a width, as "12 + 58 + 30 %".
fn in_percent(shares: [f64; 3]) -> String {
    let [sampling, privacy, bound] = shares.map(|share| format!("{:.0}", 100.0 * share));
    format!("{sampling} + {privacy} + {bound} %")
}

/// The model's quality in a line.
fn quality_of(quality: &ModelQuality, privacy: &Privacy) -> String {
    let line = format!(
        "{}, on {} {} that did not train",
        super::quality::line(quality),
        count(quality.rows()),
        privacy.unit.plural()
    );
    wrapped(&line, 0)
}
