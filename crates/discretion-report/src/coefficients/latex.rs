//! Coefficients as a LaTeX table, with the numbers as the report writes them.

use crate::report::{Coefficient, Estimate, Place, Report, as_ratio, exponential, in_own_unit};
use crate::words::Promise;
use discretion::loss::LossKind;

/// More lines than this do not fit a page, and go into a table that breaks.
const A_PAGE: usize = 45;

/// The table, to be taken into a document with `\input`.
pub fn latex(report: &Report) -> String {
    let shape = Shape::of(report);
    let lines = shape.lines(report);
    let long = lines.len() > A_PAGE;
    let environment = if long { "longtable" } else { "tabular" };
    let mut text = String::new();
    if let Some(reason) = &report.not_private {
        text += &format!("% NOT PRIVATE: {}\n", one_line(reason));
    }
    text += &format!("% Made by {} from {}.\n", report.origin.program, one_line(&report.origin.model_file));
    if long {
        text += "% Needs \\usepackage{longtable}.\n";
    }
    text += &format!("\\begin{{{environment}}}{{l{}}}\n\\hline\n", "r".repeat(shape.columns() - 1));
    text += &format!("{} \\\\\n\\hline\n", shape.heading().join(" & "));
    if long {
        text += "\\endhead\n";
    }
    lines.iter().for_each(|line| text += &format!("{line} \\\\\n"));
    text += &format!(
        "\\hline\n\\multicolumn{{{}}}{{p{{0.9\\linewidth}}}}{{\\footnotesize {}}} \\\\\n",
        shape.columns(),
        note(report)
    );
    text + &format!("\\end{{{environment}}}\n")
}

/// Which columns there are.
struct Shape {
    level: Option<f64>,
    own_unit: bool,
    odds_ratio: bool,
}

impl Shape {
    fn of(report: &Report) -> Shape {
        let own_unit = report.coefficients.iter().any(|c| c.own_unit.is_some());
        Shape {
            level: report.level.filter(|_| report.has_intervals()),
            own_unit,
            odds_ratio: own_unit && report.loss == LossKind::Logistic,
        }
    }

    fn columns(&self) -> usize {
        self.heading().len()
    }

    fn heading(&self) -> Vec<String> {
        let interval =
            self.level.map(|level| format!("{}\\,\\% interval", math(&crate::numbers::short(100.0 * level))));
        let mut heading =
            vec!["".to_owned(), if self.own_unit { "per unit" } else { "coefficient" }.to_owned()];
        heading.extend(interval.clone());
        heading.extend(self.odds_ratio.then(|| "odds ratio".to_owned()));
        heading.extend(interval.filter(|_| self.odds_ratio));
        heading.extend(self.level.map(|_| "$p$".to_owned()));
        heading
    }

    /// A line for each coefficient, and one over each column of categories.
    fn lines(&self, report: &Report) -> Vec<String> {
        let mut lines = Vec::new();
        let mut heading = None;
        for (position, coefficient) in report.coefficients.iter().enumerate() {
            let (column, label) = coefficient.heading_and_label();
            if let Some(column) = column.filter(|_| column != heading) {
                let compared = match report.is_compared_with(position) {
                    true => format!(", compared with {}", escaped(label)),
                    false => String::new(),
                };
                lines.push(format!(
                    "\\multicolumn{{{}}}{{l}}{{{}{compared}}}",
                    self.columns(),
                    escaped(column)
                ));
            }
            heading = column;
            // What others are compared with is in the line above them.
            if !report.is_compared_with(position) {
                lines.push(self.line(coefficient));
            }
        }
        lines
    }

    fn line(&self, coefficient: &Coefficient) -> String {
        let (column, label) = coefficient.heading_and_label();
        let indent = if column.is_some() { "\\quad " } else { "" };
        let unit = match (&coefficient.place, &coefficient.own_unit) {
            (Place::Number { column }, Some(own)) if own.of != *column => format!(" as {}", escaped(&own.of)),
            _ => String::new(),
        };
        let mut cells = vec![format!("{indent}{}{unit}", escaped(label))];
        let told = if self.own_unit { coefficient.in_own_unit() } else { Some(coefficient.encoded) };
        let half = told.and_then(|told| told.interval).map(|interval| interval.half_width());
        self.push(&mut cells, told, |x| in_own_unit(x, half));
        if self.odds_ratio {
            let told = told.filter(|_| coefficient.place != Place::Intercept);
            self.push(&mut cells, told.map(exponential), |x| as_ratio(x, half));
        }
        if self.level.is_some() {
            cells.push(coefficient.p_value.map(crate::numbers::p_value).map_or(String::new(), |p| math(&p)));
        }
        cells.join(" & ")
    }

    fn push(&self, cells: &mut Vec<String>, told: Option<Estimate>, written: impl Fn(f64) -> String) {
        cells.push(told.map(|told| math(&written(told.value))).unwrap_or_default());
        if self.level.is_some() {
            let ends = told.and_then(|told| told.interval);
            cells.push(
                ends.map(|ends| format!("{} to {}", math(&written(ends.lower)), math(&written(ends.upper))))
                    .unwrap_or_default(),
            );
        }
    }
}

/// What a reader of the paper has to know.
fn note(report: &Report) -> String {
    let rows = format!("{} {}", math(&crate::numbers::count(report.rows)), report.unit.plural());
    let promised = match (&report.guarantee, &report.not_private) {
        (Some(guarantee), None) => {
            let replaced = crate::report::check::replaced(report.unit);
            format!("{}-differentially private for {replaced}", math(&guarantee.symbols()))
        }
        _ => "not private".to_owned(),
    };
    let lambda = math(&crate::numbers::equals("λ", &crate::numbers::significant(report.lambda.value, 3)));
    format!("{rows}; {promised}; coefficients are those under {lambda}.")
}

/// A comment is over at the end of its line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A number as the page writes it, in mathematics.
fn math(text: &str) -> String {
    let mut formula = String::new();
    let mut power = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let digit = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|power| power == c);
        let is_power = digit.is_some() || c == '⁻';
        if is_power != power {
            formula.push_str(if is_power { "^{" } else { "}" });
            power = is_power;
        }
        match c {
            _ if digit.is_some() => formula.push_str(&digit.unwrap_or_default().to_string()),
            '⁻' | '−' => formula.push('-'),
            '×' => formula.push_str(" \\times "),
            '∞' => formula.push_str("\\infty"),
            'ε' => formula.push_str("\\varepsilon"),
            'δ' => formula.push_str("\\delta"),
            'ρ' => formula.push_str("\\rho"),
            'λ' => formula.push_str("\\lambda"),
            ',' if characters.peek() == Some(&' ') => formula.push_str(",\\"),
            // A comma between thousands is no punctuation.
            ',' => formula.push_str("{,}"),
            '\u{a0}' => formula.push(' '),
            other => formula.push(other),
        }
    }
    if power {
        formula.push('}');
    }
    format!("${formula}$")
}

/// A name as LaTeX sets it.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' | '>' | '|' => {
                escaped.push('$');
                escaped.push(if c == '|' { '|' } else { c });
                escaped.push('$');
            }
            '"' => escaped.push_str("\\textquotedbl{}"),
            c if c.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formulas() {
        for (text, expected) in [
            ("−0.59", "$-0.59$"),
            ("−3.21×10¹⁰", "$-3.21 \\times 10^{10}$"),
            ("10⁻⁶", "$10^{-6}$"),
            ("32,561", "$32{,}561$"),
            ("ε\u{a0}=\u{a0}1, δ\u{a0}=\u{a0}10⁻⁶", "$\\varepsilon = 1,\\ \\delta = 10^{-6}$"),
            ("<0.001", "$<0.001$"),
        ] {
            assert_eq!(math(text), expected);
        }
    }

    #[test]
    fn names_are_no_commands() {
        assert_eq!(escaped("50% of a_b & c"), "50\\% of a\\_b \\& c");
        assert_eq!(escaped("\\input{x}"), "\\textbackslash{}input\\{x\\}");
        assert_eq!(escaped("<30>\n"), "$<$30$>$ ");
        assert_eq!(escaped("München ~^"), "München \\textasciitilde{}\\textasciicircum{}");
    }
}
