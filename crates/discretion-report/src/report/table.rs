//! The table of coefficients: everything that was released about each, in one row.

use super::{Coefficient, Estimate, Interval, Place, Report};
use crate::markup::Element;
use crate::numbers::{NO_ESTIMATE, decimal, p_value, percent, ratio, short, significant};
use discretion::loss::LossKind;

/// Which columns there are. A column that would be empty is left out.
struct Shape {
    level: Option<f64>,
    own_unit: bool,
    odds_ratio: bool,
    p_value: bool,
    shares: bool,
    /// Whether a part of a width comes from a declared bound.
    bound: bool,
    noise: bool,
}

/// The table, column by column or, if there are many effects, the most certain first.
pub fn table(report: &Report) -> Element {
    let shape = Shape::of(report);
    // A few columns stretched over the page would tear rows apart.
    let few = if shape.level.is_some() { "" } else { " few" };
    let many = if report.is_long() { " many" } else { "" };
    let table =
        Element::new("table").class(&format!("coefficients{few}{many}")).child(shape.head());
    let table = if report.is_long() {
        let rows = report.order().into_iter().map(|i| {
            let coefficient = &report.coefficients[i];
            let compared = report.is_compared_with(i);
            shape.row(coefficient, flat_label(coefficient, compared), compared)
        });
        table.child(Element::new("tbody").children(rows))
    } else {
        grouped(report, &shape, table)
    };
    super::page::scrolling(table, "Coefficients")
}

fn grouped(report: &Report, shape: &Shape, mut table: Element) -> Element {
    let mut body = Element::new("tbody");
    let mut heading = None;
    for (i, coefficient) in report.coefficients.iter().enumerate() {
        let (next, first) = coefficient.heading_and_label();
        if next != heading && i > 0 {
            table = table.child(body);
            body = Element::new("tbody");
        }
        if let Some(column) = next.filter(|_| next != heading) {
            let cell = Element::new("th")
                .set("scope", "rowgroup")
                .set("colspan", shape.columns())
                .text(column);
            // Its first value is the one that its others are compared with.
            let cell = match report.is_compared_with(i) {
                true => cell.child(Element::new("small").text(format!(" compared with {first}"))),
                false => cell,
            };
            body = body.child(Element::new("tr").class("group").child(cell));
        }
        heading = next;
        body = body.child(shape.row(coefficient, label(coefficient), report.is_compared_with(i)));
    }
    table.child(body)
}

impl Shape {
    fn of(report: &Report) -> Shape {
        let level = report.level.filter(|_| report.has_intervals());
        let any = |has: &dyn Fn(&Coefficient) -> bool| report.coefficients.iter().any(has);
        let own_unit = any(&|c| c.own_unit.is_some());
        Shape {
            level,
            own_unit,
            odds_ratio: own_unit && report.loss == LossKind::Logistic && !report.several_classes,
            p_value: level.is_some() && any(&|c| c.p_value.is_some()),
            shares: level.is_some()
                && any(&|c| c.encoded.interval.is_some_and(|i| i.sampling_share().is_some())),
            bound: level.is_some()
                && any(&|c| c.encoded.interval.is_some_and(|i| i.bound.is_some())),
            noise: report.has_noise(),
        }
    }

    /// Estimates with their intervals: what each pair of columns is called.
    fn estimates(&self) -> Vec<&'static str> {
        let names = [
            (true, "encoded scale"),
            (self.own_unit, "per unit of the column"),
            (self.odds_ratio, "odds ratio"),
        ];
        names.into_iter().filter(|(shown, _)| *shown).map(|(_, name)| name).collect()
    }

    /// What widths come from.
    fn parts(&self) -> &'static [&'static str] {
        match self.bound {
            true => &["sampling", "privacy", "bound"],
            false => &["sampling", "privacy"],
        }
    }

    fn columns(&self) -> usize {
        let each = if self.level.is_some() { 2 } else { 1 };
        let others = usize::from(self.p_value)
            + usize::from(self.noise)
            + if self.shares { self.parts().len() } else { 0 };
        1 + each * self.estimates().len() + others
    }

    fn head(&self) -> Element {
        let column = |words: &str| Element::new("th").set("scope", "col").text(words);
        let Some(level) = self.level else {
            let names =
                self.estimates().into_iter().chain(self.noise.then_some("noise alone")).map(column);
            return Element::new("thead")
                .child(Element::new("tr").child(column("coefficient of")).children(names));
        };
        let over =
            |words: &str| Element::new("th").set("scope", "colgroup").set("colspan", 2).text(words);
        let beside = |words: &str| column(words).set("rowspan", 2);
        let mut first = Element::new("tr")
            .child(beside("coefficient of"))
            .children(self.estimates().into_iter().map(over));
        let mut second = Element::new("tr");
        for _ in self.estimates() {
            second = second
                .child(column("estimate"))
                .child(column(&format!("{} interval", percent(level))));
        }
        if self.p_value {
            first = first.child(beside("p"));
        }
        if self.shares {
            let parts = self.parts();
            first = first.child(over("width from").set("colspan", parts.len()));
            second = second.children(parts.iter().map(|part| column(part)));
        }
        Element::new("thead").child(first).child(second)
    }

    fn row(&self, coefficient: &Coefficient, label: Element, is_compared_with: bool) -> Element {
        let mut row = Element::new("tr").child(label);
        let encoded = coefficient.encoded;
        row = self.cells(row, Some(encoded), |x| match encoded.interval {
            Some(interval) => fixed(x, decimals(interval.half_width()).max(2)),
            None => decimal(x, 3),
        });
        let own = coefficient.in_own_unit().filter(|_| !is_compared_with);
        let half = own.and_then(|own| own.interval).map(|interval| interval.half_width());
        if self.own_unit {
            row = self.cells(row, own, |x| in_own_unit(x, half));
        }
        if self.odds_ratio {
            // e^intercept is the odds of a row that may not exist, and no ratio.
            let own = own.filter(|_| coefficient.place != Place::Intercept);
            row = self.cells(row, own.map(exponential), |x| as_ratio(x, half));
        }
        if self.noise {
            let noise = match self.own_unit {
                true => coefficient.noise_in_own_unit(),
                false => coefficient.noise,
            };
            row = row.child(number(noise.map(|noise| format!("±{}", significant(noise, 2)))));
        }
        if self.p_value {
            row = row.child(number(coefficient.p_value.filter(|_| !is_compared_with).map(p_value)));
        }
        if self.shares {
            let interval = coefficient.estimate().interval.filter(|_| !is_compared_with);
            let bound = interval.and_then(|interval| interval.bound);
            if self.bound {
                let part = |place: usize| {
                    bound.map(|bound| format!("{}\u{a0}%", (100.0 * bound.shares[place]).round()))
                };
                return row.children((0..3).map(|place| number(part(place))));
            }
            let sampling = interval.and_then(|interval| interval.sampling_share());
            // Rounded once, so that the two add up to a hundred.
            let sampling = sampling.map(|share| (100.0 * share).round());
            row = row
                .child(number(sampling.map(|share| format!("{share}\u{a0}%"))))
                .child(number(sampling.map(|share| format!("{}\u{a0}%", 100.0 - share))));
        }
        row
    }

    /// The estimate, and its interval where the table has intervals.
    fn cells(
        &self,
        row: Element,
        estimate: Option<Estimate>,
        written: impl Fn(f64) -> String,
    ) -> Element {
        let interval = estimate.and_then(|estimate| estimate.interval);
        let value = |estimate: Estimate| match estimate.value.is_nan() {
            true => NO_ESTIMATE.to_owned(),
            false => written(estimate.value),
        };
        let row = row.child(number(estimate.map(value)));
        match self.level {
            None => row,
            Some(_) => row.child(number(
                interval.map(|ends| format!("{} to {}", written(ends.lower), written(ends.upper))),
            )),
        }
    }
}

/// The first cell where rows do not stand under their column's name.
fn flat_label(coefficient: &Coefficient, is_compared_with: bool) -> Element {
    let (column, value) = coefficient.heading_and_label();
    let Some(column) = column else { return label(coefficient) };
    let cell = Element::new("th").set("scope", "row");
    let cell = cell.child(Element::new("small").text(format!("{column}: "))).text(value);
    match is_compared_with {
        true => cell.child(Element::new("small").text(" (others are compared with it)")),
        false => cell,
    }
}

/// The first cell: the column or the category, and what it is counted by if that is not the column
/// itself.
fn label(coefficient: &Coefficient) -> Element {
    let (_, label) = coefficient.heading_and_label();
    let cell = Element::new("th").set("scope", "row").text(label);
    match (&coefficient.place, &coefficient.own_unit) {
        (Place::Number { column }, Some(own)) if own.of != *column => {
            cell.child(Element::new("small").text(format!(" as {}", own.of)))
        }
        _ => cell,
    }
}

fn number(written: Option<String>) -> Element {
    Element::new("td").text(written.unwrap_or_default())
}

/// With two digits of half the interval's width: more would be noise. Without an interval, three
/// digits.
pub(crate) fn in_own_unit(x: f64, half: Option<f64>) -> String {
    match half {
        Some(half) if (1e-8..1e6).contains(&half) && x.abs() < 1e6 => fixed(x, decimals(half)),
        _ => short(x),
    }
}

/// As [`in_own_unit`]; `half` is that of the logarithm, so that the ends of a wide interval have
/// digits of their own.
pub(crate) fn as_ratio(x: f64, half: Option<f64>) -> String {
    match half {
        Some(half) => in_own_unit(x, Some(half * x)),
        None => ratio(x),
    }
}

/// So many that a number of this size has two digits.
fn decimals(size: f64) -> usize {
    (1.0 - size.log10().floor()).clamp(0.0, 9.0) as usize
}

/// With just so many decimals. Below its last digit a number is a zero with decimals.
fn fixed(x: f64, decimals: usize) -> String {
    let least = 0.1f64.powi(decimals as i32);
    decimal(if x.abs() < least { (x / least).round() * least } else { x }, decimals)
}

/// A coefficient as an odds ratio. The widths have no meaning there, only the ends do.
pub(crate) fn exponential(estimate: Estimate) -> Estimate {
    let interval = estimate.interval.map(|interval| Interval {
        lower: interval.lower.exp(),
        upper: interval.upper.exp(),
        sampling_half_width: None,
        matrices_half_width: None,
        bound: None,
    });
    Estimate { value: estimate.value.exp(), interval }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_width_of_the_interval() {
        let written = |x, half| in_own_unit(x, Some(half));
        assert_eq!(written(0.011_512, 0.004_2), "0.0115");
        assert_eq!(written(-0.000_04, 0.004_2), "0.0000");
        assert_eq!(written(-0.586, 0.31), "−0.59");
        assert_eq!(written(12_345.6, 900.0), "12,346");
        assert_eq!(written(-3.21e10, 2e9), "−3.21×10¹⁰");
        assert_eq!(in_own_unit(0.011_512, None), "0.0115");
    }

    #[test]
    fn the_ends_of_a_ratio_have_digits_of_their_own() {
        assert_eq!([0.65, 1.25].map(|x| as_ratio(x, Some(0.2))), ["0.65", "1.25"]);
        assert_eq!([1.0066, 1.0116].map(|x| as_ratio(x, Some(0.005))), ["1.0066", "1.0116"]);
        assert_eq!(
            [0.000_7, 5.2, f64::INFINITY].map(|x| as_ratio(x, Some(9.0))),
            ["0.0007", "5", "∞"]
        );
    }

    #[test]
    fn odds_ratios_are_powers_of_both_ends() {
        let interval = Interval {
            lower: 0.0,
            upper: 2f64.ln(),
            sampling_half_width: Some(0.1),
            matrices_half_width: None,
            bound: None,
        };
        let ratio = exponential(Estimate { value: 0.5f64.ln(), interval: Some(interval) });
        assert!((ratio.value - 0.5).abs() < 1e-12);
        let ends = ratio.interval.unwrap();
        assert!((ends.lower - 1.0).abs() < 1e-12 && (ends.upper - 2.0).abs() < 1e-12);
    }
}
