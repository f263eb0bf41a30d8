//! Coefficients as a LaTeX table, with the numbers as the report writes them.

use super::latex_text::{escaped, math, one_line};
use crate::numbers::{count, equals, p_value, percent, short, significant};
use crate::report::check::replaced;
use crate::report::{
    Coefficient, Estimate, Place, Report, are_effects, as_ratio, exponential, in_own_unit,
    number_coefficients, report,
};
use crate::words::Promise;
use discretion::loss::LossKind;
use discretion::privacy::{Budget, Unit};
use discretion_formats::{Model, NumberModel};
use std::path::Path;

/// More lines than this do not fit a page, and go into a table that breaks.
const A_PAGE: usize = 45;

/// The table of the model at `path`, to be taken into a document with `\input`.
pub fn latex(model: &Model, path: &Path) -> String {
    let whole = report(model, path, None);
    let of_class = |class: &String| {
        let Report { coefficients, target, .. } = report(&model.of_class(class), path, None);
        let title = format!("{} = {}", target.column, target.positive.concat());
        Part { title: Some(title), coefficients }
    };
    // What others are compared with has no difference to show.
    let reference = model.intervals.as_ref().and_then(|intervals| intervals.reference.as_ref());
    let parts = match model.classes() {
        None => vec![Part { title: None, coefficients: whole.coefficients.clone() }],
        Some(classes) => {
            classes.iter().filter(|class| Some(*class) != reference).map(of_class).collect()
        }
    };
    let said = [
        rows(whole.rows, whole.unit),
        promised(whole.guarantee.filter(|_| whole.not_private.is_none()), whole.unit),
        format!("coefficients are those under {}", lambda(whole.lambda.value)),
    ];
    let table = Table {
        not_private: whole.not_private.as_deref(),
        made: (&whole.origin.program, &whole.origin.model_file),
        shape: Shape {
            level: whole.level.filter(|_| whole.has_intervals()),
            own_unit: whole.coefficients.iter().any(|c| c.own_unit.is_some()),
            has_odds: whole.loss == LossKind::Logistic && model.classes().is_none(),
        },
        parts,
        note: said.join("; ") + ".",
    };
    table.text()
}

/// The same of the model of a number, or of several.
pub fn number_latex(model: &NumberModel, path: &Path) -> String {
    let each = model.each();
    let part = |model: &NumberModel| Part {
        title: Some(model.fit.of.clone()),
        coefficients: number_coefficients(model),
    };
    let unit = model.privacy.unit;
    let promise = promised(model.privacy.guarantee.filter(|_| model.warning.is_none()), unit);
    let mut said = vec![rows(model.rows(), unit), promise];
    for model in &each {
        let of = match each.len() {
            1 => String::new(),
            _ => format!(" of {}", escaped(&model.schema.target().column)),
        };
        let explained =
            |explained: f64| format!("$R^{{2}}${of} is {}", escaped(&percent(explained)));
        said.extend(model.fit.squares.as_ref().map(|fit| explained(fit.explained)));
        said.push(format!("coefficients{of} are those under {}", lambda(model.training.lambda)));
    }
    let table = Table {
        not_private: model.warning.as_deref(),
        made: (model.program(), &path.file_name().unwrap_or_default().to_string_lossy()),
        shape: Shape {
            level: model.fit.squares.as_ref().map(|fit| fit.level),
            own_unit: true,
            has_odds: false,
        },
        parts: each.iter().map(part).collect(),
        note: said.join("; ") + ".",
    };
    table.text()
}

/// What a table is made of.
struct Table<'t> {
    not_private: Option<&'t str>,
    /// By which program, and from which file.
    made: (&'t str, &'t str),
    shape: Shape,
    parts: Vec<Part>,
    /// What a reader of the paper has to know.
    note: String,
}

/// The coefficients of one class or outcome.
struct Part {
    title: Option<String>,
    coefficients: Vec<Coefficient>,
}

impl Table<'_> {
    fn text(&self) -> String {
        let shape = &self.shape;
        let lines: Vec<String> = self.parts.iter().flat_map(|part| shape.lines(part)).collect();
        let long = lines.len() > A_PAGE;
        let environment = if long { "longtable" } else { "tabular" };
        let mut text = String::new();
        if let Some(reason) = self.not_private {
            text += &format!("% NOT PRIVATE: {}\n", one_line(reason));
        }
        text += &format!("% Made by {} from {}.\n", self.made.0, one_line(self.made.1));
        if long {
            text += "% Needs \\usepackage{longtable}.\n";
        }
        text +=
            &format!("\\begin{{{environment}}}{{l{}}}\n\\hline\n", "r".repeat(shape.columns() - 1));
        text += &format!("{} \\\\\n\\hline\n", shape.heading().join(" & "));
        if long {
            text += "\\endhead\n";
        }
        lines.iter().for_each(|line| text += &format!("{line} \\\\\n"));
        text += &format!(
            "\\hline\n\\multicolumn{{{}}}{{p{{0.9\\linewidth}}}}{{\\footnotesize {}}} \\\\\n",
            shape.columns(),
            self.note
        );
        text + &format!("\\end{{{environment}}}\n")
    }
}

/// Which columns there are.
struct Shape {
    level: Option<f64>,
    own_unit: bool,
    has_odds: bool,
}

impl Shape {
    fn odds_ratio(&self) -> bool {
        self.own_unit && self.has_odds
    }

    fn columns(&self) -> usize {
        self.heading().len()
    }

    fn heading(&self) -> Vec<String> {
        let interval =
            self.level.map(|level| format!("{}\\,\\% interval", math(&short(100.0 * level))));
        let mut heading =
            vec!["".to_owned(), if self.own_unit { "per unit" } else { "coefficient" }.to_owned()];
        heading.extend(interval.clone());
        heading.extend(self.odds_ratio().then(|| "odds ratio".to_owned()));
        heading.extend(interval.filter(|_| self.odds_ratio()));
        heading.extend(self.level.map(|_| "$p$".to_owned()));
        heading
    }

    /// A line for each coefficient, one over each column of categories, and the title.
    fn lines(&self, Part { title, coefficients }: &Part) -> Vec<String> {
        let over = |text: String| format!("\\multicolumn{{{}}}{{l}}{{{text}}}", self.columns());
        let mut lines: Vec<String> =
            title.iter().map(|title| over(format!("\\textit{{{}}}", escaped(title)))).collect();
        let mut heading = None;
        for (coefficient, is_effect) in coefficients.iter().zip(are_effects(coefficients)) {
            let (column, label) = coefficient.heading_and_label();
            if let Some(column) = column.filter(|_| column != heading) {
                let compared = match is_effect {
                    false => format!(", compared with {}", escaped(label)),
                    true => String::new(),
                };
                lines.push(over(format!("{}{compared}", escaped(column))));
            }
            heading = column;
            // What others are compared with is in the line above them.
            if is_effect {
                lines.push(self.line(coefficient));
            }
        }
        lines
    }

    fn line(&self, coefficient: &Coefficient) -> String {
        let (column, label) = coefficient.heading_and_label();
        let indent = if column.is_some() { "\\quad " } else { "" };
        let unit = match (&coefficient.place, &coefficient.own_unit) {
            (Place::Number { column }, Some(own)) if own.of != *column => {
                format!(" as {}", escaped(&own.of))
            }
            _ => String::new(),
        };
        let mut cells = vec![format!("{indent}{}{unit}", escaped(label))];
        let told =
            if self.own_unit { coefficient.in_own_unit() } else { Some(coefficient.encoded) };
        let half = told.and_then(|told| told.interval).map(|interval| interval.half_width());
        self.push(&mut cells, told, |x| in_own_unit(x, half));
        if self.odds_ratio() {
            let told = told.filter(|_| coefficient.place != Place::Intercept);
            self.push(&mut cells, told.map(exponential), |x| as_ratio(x, half));
        }
        if self.level.is_some() {
            cells.push(coefficient.p_value.map(p_value).map_or(String::new(), |p| math(&p)));
        }
        cells.join(" & ")
    }

    fn push(
        &self,
        cells: &mut Vec<String>,
        told: Option<Estimate>,
        written: impl Fn(f64) -> String,
    ) {
        let value = |told: Estimate| match told.value.is_nan() {
            true => "--".to_owned(),
            false => math(&written(told.value)),
        };
        cells.push(told.map(value).unwrap_or_default());
        if self.level.is_some() {
            let ends = told.and_then(|told| told.interval);
            cells.push(
                ends.map(|ends| {
                    format!("{} to {}", math(&written(ends.lower)), math(&written(ends.upper)))
                })
                .unwrap_or_default(),
            );
        }
    }
}

fn rows(rows: usize, unit: Unit) -> String {
    format!("{} {}", math(&count(rows)), unit.plural())
}

fn promised(guarantee: Option<Budget>, unit: Unit) -> String {
    guarantee.map_or("not private".to_owned(), |guarantee| {
        format!("{}-differentially private for {}", math(&guarantee.symbols()), replaced(unit))
    })
}

fn lambda(value: f64) -> String {
    math(&equals("λ", &significant(value, 3)))
}
