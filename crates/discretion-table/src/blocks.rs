//! Columns in the order of their coefficients: intercept, numbers, categories, pairs of categories,
//! curves, slopes.

use super::{Axis, Encoder, NumberCode};
use crate::category::CategoryCode;
use crate::curve::{KnotAxis, isotonic};
use crate::schema::{Column, Kind};
use discretion::erm::matrix::{Cross, Curve, Layout, Stored};
use discretion::plain::Part;

/// The coefficients of one column, or of two that are crossed.
pub(super) enum Block<'e> {
    Intercept,
    Number(&'e NumberCode),
    Category(&'e CategoryCode),
    Pair([&'e CategoryCode; 2]),
    Curve(&'e NumberCode, &'e KnotAxis),
    Slopes(&'e CategoryCode, &'e NumberCode),
}

/// Two columns that are crossed, by their places among the encoder's numbers and categories.
pub(super) fn crosses(columns: &[Column], pairs: &[[String; 2]], constant: f32) -> Vec<Cross> {
    let place = |name: &String, is: fn(&Kind) -> bool| {
        columns.iter().filter(|column| is(&column.kind)).position(|column| column.name == *name)
    };
    let cross = |[one, other]: &[String; 2]| {
        let category = |name| place(name, |kind| matches!(kind, Kind::Category { .. }));
        let number = |name| {
            place(name, Kind::is_numeric).expect("a checked cross is of numbers and categories")
        };
        match (category(one), category(other)) {
            (Some(a), Some(b)) => Cross::Pair { categories: [a, b], value: constant },
            (Some(category), None) => Cross::Slopes { category, number: number(other) },
            (None, Some(category)) => Cross::Slopes { category, number: number(one) },
            (None, None) => unreachable!("a checked cross has a category"),
        }
    };
    pairs.iter().map(cross).collect()
}

impl Encoder {
    pub(super) fn blocks(&self) -> Vec<Block<'_>> {
        let is_curve = |number: &&NumberCode| matches!(number.axis, Axis::Curve(_));
        let numbers = self.numbers.iter().filter(|number| !is_curve(number)).map(Block::Number);
        let categories = self.categories.iter().map(Block::Category);
        let pairs = self.crosses.iter().filter_map(|cross| match *cross {
            Cross::Pair { categories, .. } => {
                Some(Block::Pair(categories.map(|at| &self.categories[at])))
            }
            Cross::Slopes { .. } => None,
        });
        let curves = self.numbers.iter().filter_map(|number| match &number.axis {
            Axis::Curve(knots) => Some(Block::Curve(number, knots)),
            _ => None,
        });
        let slopes = self.crosses.iter().filter_map(|cross| match *cross {
            Cross::Slopes { category, number } => {
                Some(Block::Slopes(&self.categories[category], &self.numbers[number]))
            }
            Cross::Pair { .. } => None,
        });
        let first = std::iter::once(Block::Intercept);
        first.chain(numbers).chain(categories).chain(pairs).chain(curves).chain(slopes).collect()
    }

    /// The columns in the order of their coefficients, the intercept first; those without a
    /// coefficient are left out.
    pub fn column_names(&self) -> Vec<String> {
        let blocks = self.blocks();
        blocks.iter().filter(|block| !block.names().is_empty()).map(Block::column).collect()
    }

    /// The shape of the encoded rows.
    pub fn layout(&self) -> Layout {
        let stored = self.numbers.iter().map(|number| match &number.axis {
            Axis::Curve(knots) => {
                let (knots, missing) = (knots.count(), knots.own_missing);
                Stored::Curve(Curve { knots, missing, value: self.constant })
            }
            _ => Stored::Number(self.constant),
        });
        let categories = self.categories.iter().map(|column| (column.values.len(), self.constant));
        let (stored, categories) = (stored.collect(), categories.collect());
        let layout =
            Layout::with_curves(self.norm, self.constant, stored, categories, &self.crosses)
                .expect("the constants of a checked schema keep every row within length 1");
        if self.is_weighted { layout.weighted() } else { layout }
    }

    /// The parts of a model's coefficients. Behind those of numbers that are no curves come `absent`
    /// others, which are not estimated.
    pub fn parts(&self, absent: usize) -> Vec<Part> {
        let blocks = self.blocks();
        let is_line = |block: &&Block<'_>| matches!(block, Block::Intercept | Block::Number(_));
        let lines = blocks.iter().filter(is_line).count();
        let place = |name: &str| {
            let is_it = |block: &Block<'_>| matches!(block, Block::Category(c) if c.name == name);
            absent + blocks.iter().position(is_it).expect("crossed columns are columns")
        };
        let part = |block: &Block<'_>| match block {
            Block::Intercept | Block::Number(_) => Part::Single,
            Block::Category(_) | Block::Curve(..) => Part::Values(block.names().len()),
            Block::Pair([one, other]) => Part::Cells {
                parts: [one, other].map(|category| place(&category.name)),
                values: [one, other].map(|category| category.values.len()),
            },
            Block::Slopes(category, _) => {
                Part::Slopes { part: place(&category.name), values: category.values.len() }
            }
        };
        let mut parts: Vec<Part> = blocks.iter().map(part).collect();
        parts.splice(lines..lines, vec![Part::Absent; absent]);
        parts
    }

    /// The names of the coefficients, in their order.
    pub fn names(&self) -> Vec<String> {
        self.blocks().iter().flat_map(Block::names).collect()
    }

    /// What each coefficient belongs to: a column, and which of its values or knots, if it has
    /// several coefficients.
    pub fn places(&self) -> Vec<(String, Option<String>)> {
        let of_block = |block: &Block<'_>| {
            let column = block.column();
            let labels: Vec<Option<String>> = match block {
                Block::Intercept | Block::Number(_) => vec![None],
                Block::Curve(number, knots) => {
                    let at = |value: &f64| Some(format!("at {}", number.shown(*value)));
                    let missing = knots.own_missing.then(|| Some("missing".to_owned()));
                    knots.values.iter().map(at).chain(missing).collect()
                }
                _ => block.values().into_iter().map(Some).collect(),
            };
            labels.into_iter().map(|label| (column.clone(), label)).collect::<Vec<_>>()
        };
        self.blocks().iter().flat_map(of_block).collect()
    }

    /// Which coefficients belong to one of these columns, alone or crossed with another.
    pub fn coefficients_of(&self, columns: &[String]) -> Vec<bool> {
        let is_named = |name: &String| columns.contains(name);
        let of_block = |block: &Block<'_>| {
            let is = match block {
                Block::Intercept => false,
                Block::Number(number) | Block::Curve(number, _) => is_named(&number.name),
                Block::Category(category) => is_named(&category.name),
                Block::Pair(both) => both.iter().any(|category| is_named(&category.name)),
                Block::Slopes(category, number) => {
                    is_named(&category.name) || is_named(&number.name)
                }
            };
            vec![is; block.names().len()]
        };
        self.blocks().iter().flat_map(of_block).collect()
    }

    /// The column and the value of each coefficient that is a curve's at a knot.
    pub fn knots(&self) -> Vec<Option<(String, f64)>> {
        let of_block = |block: &Block<'_>| match block {
            Block::Curve(number, knots) => {
                let at = knots.values.iter().map(|&value| Some((number.name.clone(), value)));
                at.chain(knots.own_missing.then_some(None)).collect()
            }
            _ => vec![None; block.names().len()],
        };
        self.blocks().iter().flat_map(of_block).collect()
    }

    /// The same coefficients with curves that go the way that was declared for them. What it does
    /// to released ones is no further release.
    pub fn monotone(&self, theta: &[f64]) -> Vec<f64> {
        let (mut theta, mut first) = (theta.to_vec(), 0);
        for block in self.blocks() {
            if let Block::Curve(_, knots) = block
                && let Some(way) = knots.monotone
            {
                isotonic(&mut theta[first..first + knots.count()], way);
            }
            first += block.names().len();
        }
        theta
    }
}

impl Block<'_> {
    /// What the column is called.
    pub fn column(&self) -> String {
        match self {
            Block::Intercept => "intercept".to_owned(),
            Block::Number(number) | Block::Curve(number, _) => number.name.clone(),
            Block::Category(category) => category.name.clone(),
            Block::Pair([a, b]) => format!("{} × {}", a.name, b.name),
            Block::Slopes(category, number) => format!("{} × {}", number.name, category.name),
        }
    }

    /// Its values, if it is one of several.
    pub fn values(&self) -> Vec<String> {
        match self {
            Block::Category(category) | Block::Slopes(category, _) => category.values.clone(),
            Block::Pair([a, b]) => a
                .values
                .iter()
                .flat_map(|x| b.values.iter().map(move |y| format!("{x} × {y}")))
                .collect(),
            Block::Intercept | Block::Number(_) | Block::Curve(..) => Vec::new(),
        }
    }

    /// What its coefficients are called.
    pub fn names(&self) -> Vec<String> {
        match self {
            Block::Intercept => vec!["(intercept)".to_owned()],
            Block::Number(number) => vec![number.name.clone()],
            Block::Curve(number, knots) => {
                let at = |value: &f64| format!("{} at {}", number.name, number.shown(*value));
                let missing = knots.own_missing.then(|| format!("{} missing", number.name));
                knots.values.iter().map(at).chain(missing).collect()
            }
            _ => self.values().iter().map(|value| format!("{}={value}", self.column())).collect(),
        }
    }
}

impl NumberCode {
    /// A value as people read it: five digits are enough to find a knot, and a date is a date.
    pub fn shown(&self, value: f64) -> String {
        match &self.date {
            Some(date) => date.after(value).to_string(),
            None => {
                let width = (self.range.1 - self.range.0).abs().log10();
                let digits = (4.0 - width).clamp(0.0, 17.0) as usize;
                let text = format!("{value:.digits$}");
                match text.contains('.') {
                    true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                    false => text,
                }
            }
        }
    }
}
