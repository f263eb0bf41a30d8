//! Which numbers of (1/n)Σ w x xᵀ are released (`../PROOF.md`, "Matrices with the shape of the
//! rows"): not those that the schema makes 0, and none twice.

use super::symmetric::Symmetric;
use crate::erm::Entries;
use discretion_privacy::noise::Columns;
use std::ops::Range;

/// The numbers of a symmetric matrix from which all of it follows.
pub(crate) struct Numbers {
    dimension: usize,
    entries: Vec<Entry>,
    parts: Vec<Part>,
    copies: Vec<Copied>,
    /// The columns whose products with the constant are copies.
    has_copies: Vec<bool>,
    /// Whether every row weighs 1.
    are_plain: bool,
}

/// How much more products with an outcome count than those of two other columns: each is a part of
/// every coefficient's error, the others only as far as coefficients are large (docs/numbers.md).
const OUTCOME_WEIGHT: f64 = 4.0;

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) row: usize,
    pub(super) column: usize,
    /// The part that it belongs to, and which of a cell's numbers it is.
    pub(super) part: usize,
    pub(super) number: usize,
    /// The columns of the schema that `row` and `column` belong to.
    pub(super) blocks: (usize, usize),
}

/// Numbers in cells, of which one row meets one: |w x_i x_j| ≤ w·size for those in that cell, and
/// all others are 0. A row that is in several cells is in them by shares that add up to 1.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    pub(super) cells: usize,
    /// The numbers of a cell.
    pub(super) numbers: Vec<Number>,
}

/// What the schema says of an entry of xxᵀ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// The most that x_i x_j can be.
    pub(super) size: f64,
    /// The variances of x_i and x_j over size², if values are equally frequent and numbers have a
    /// tenth of the variance of those that fill their ranges evenly.
    pub(super) fill: f64,
    /// The square of what one would expect of E x_i x_j/√(E x_i²·E x_j²) beyond what the two say
    /// alone.
    pub(super) spread: f64,
    /// How much it counts: columns count alike, however many values they have.
    pub(super) weight: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PartKind {
    /// The intercept and numbers with each other, in one cell.
    Numbers,
    /// A category column with itself and with numbers: a cell for each value.
    Category,
    /// Two coefficients of one column, if a row can have both: a cell for each two.
    Within,
    /// Two category columns: a cell for each pair of values.
    Pair,
}

/// An entry that is another one times a factor.
struct Copied {
    row: usize,
    column: usize,
    of: usize,
    factor: f64,
}

impl Numbers {
    /// The lower triangle, of a matrix about which nothing is known.
    pub(super) fn all(dimension: usize) -> Numbers {
        let entry =
            |(row, column)| Entry { row, column, part: 0, number: 0, blocks: (row, column) };
        let entries =
            (0..dimension).flat_map(|i| (0..=i).map(move |j| (i, j))).map(entry).collect();
        let (parts, copies, has_copies) = (Vec::new(), Vec::new(), Vec::new());
        Numbers { dimension, entries, parts, copies, has_copies, are_plain: false }
    }

    /// Of rows with these columns, of which the first is a constant, and of which `entries` says
    /// what a row has in each. With outcomes among them every row weighs 1 (`squares/PROOF.md`):
    /// then the constant's square is known, and the square of a number, which is never negative,
    /// moves half as far as a product. Nobody asks for products of two outcomes.
    pub(super) fn of(columns: &Columns, entries: &[Entries], outcomes: &Range<usize>) -> Numbers {
        let entries = |j: usize| entries.get(j).copied().unwrap_or(Entries::Constant);
        let shape: Vec<_> = columns.iter().zip(columns.ranges()).enumerate().collect();
        let is_single = |index: usize| shape[index].1.0.coefficients == 1;
        let (singles, categories): (Vec<usize>, Vec<usize>) =
            (0..shape.len()).partition(|&j| is_single(j));
        let range = |j: usize| shape[j].1.1.clone();
        let size = |j: usize| shape[j].1.0.size;
        let share = |j: usize| 1.0 / range(j).len() as f64;
        let fill = |j: usize| match (j, is_single(j)) {
            (0, _) => 1.0,
            (_, true) => 1.0 / 30.0,
            _ => share(j),
        };
        let number = |i: usize, j: usize| Number {
            size: size(i) * size(j),
            fill: fill(i) * fill(j),
            spread: if i == j { 1.0 } else { share(i) * share(j) },
            weight: share(i).min(share(j))
                * if outcomes.contains(&i) || outcomes.contains(&j) { OUTCOME_WEIGHT } else { 1.0 },
        };
        let are_plain = !outcomes.is_empty();
        let among_numbers = |(i, j): (usize, usize)| match number(i, j) {
            square if are_plain && i == j => {
                Number { size: 0.5 * square.size, fill: 4.0 * square.fill, ..square }
            }
            other => other,
        };
        let mut numbers = Numbers {
            dimension: columns.dimension(),
            entries: vec![],
            parts: vec![],
            copies: vec![],
            has_copies: (0..shape.len())
                .map(|j| !is_single(j) && entries(j) == Entries::Constant)
                .collect(),
            are_plain,
        };

        let pairs = || {
            let pairs = singles
                .iter()
                .flat_map(|&i| singles.iter().take_while(move |&&j| j <= i).map(move |&j| (i, j)));
            let is_of_two =
                |i: usize, j: usize| i != j && outcomes.contains(&i) && outcomes.contains(&j);
            pairs.filter(move |&(i, j)| !(is_of_two(i, j) || are_plain && (i, j) == (0, 0)))
        };
        numbers.push(
            Part {
                kind: PartKind::Numbers,
                cells: 1,
                numbers: pairs().map(among_numbers).collect(),
            },
            pairs().map(|(i, j)| (range(i).start, range(j).start, (i, j))),
        );
        let (constant, others) = singles.split_first().expect("the first column is a constant");
        for &j in &categories {
            let has_copies = numbers.has_copies[j];
            // The constant too, unless its products follow from the squares.
            let others = if has_copies { others } else { &singles[..] };
            let cell =
                std::iter::once(j).chain(others.iter().copied()).map(|i| number(j, i)).collect();
            let first = numbers.entries.len();
            numbers.push(
                Part { kind: PartKind::Category, cells: range(j).len(), numbers: cell },
                range(j).flat_map(|code| {
                    let with = move |&i: &usize| (code, range(i).start, (j, i));
                    std::iter::once((code, code, (j, j))).chain(others.iter().map(with))
                }),
            );
            let (start, of_one) = (range(j).start, number(j, j));
            let within = |number: Number, cells: usize| Part {
                kind: PartKind::Within,
                cells,
                numbers: vec![number],
            };
            match entries(j) {
                Entries::Constant | Entries::One => {}
                Entries::Neighbours(knots) => {
                    // u(1 − u) is a quarter at most.
                    let between = Number {
                        size: of_one.size / 4.0,
                        fill: of_one.fill * of_one.fill,
                        ..of_one
                    };
                    let pairs = (start + 1..start + knots).map(|code| (code, code - 1, (j, j)));
                    numbers.push(within(between, knots - 1), pairs);
                }
                Entries::Any => {
                    let k = range(j).len();
                    // Of k entries that add up to 1, the products of all two add up to (1 − 1/k)/2
                    // at most.
                    let most = (k - 1) as f64 / (2 * k) as f64;
                    let between = Number {
                        size: of_one.size * most,
                        fill: of_one.fill / (most * most),
                        spread: share(j) * share(j),
                        ..of_one
                    };
                    let pairs = range(j)
                        .flat_map(|row| (start..row).map(move |column| (row, column, (j, j))));
                    numbers.push(within(between, k * (k - 1) / 2), pairs);
                }
            }
            if !has_copies {
                continue;
            }
            // The constant with a value is that value's square: both are there whenever the value
            // is.
            numbers.copies.extend(range(j).enumerate().map(|(cell, code)| Copied {
                row: code,
                column: range(*constant).start,
                of: first + cell * singles.len(),
                factor: size(*constant) / size(j),
            }));
        }
        for (at, &j) in categories.iter().enumerate() {
            for &l in &categories[..at] {
                let codes =
                    range(j).flat_map(|row| range(l).map(move |column| (row, column, (j, l))));
                let part = Part {
                    kind: PartKind::Pair,
                    cells: range(j).len() * range(l).len(),
                    numbers: vec![number(j, l)],
                };
                numbers.push(part, codes);
            }
        }
        numbers
    }

    fn push(&mut self, part: Part, entries: impl Iterator<Item = (usize, usize, (usize, usize))>) {
        let (index, width) = (self.parts.len(), part.numbers.len());
        let entry = |(at, (row, column, blocks))| Entry {
            row,
            column,
            part: index,
            number: at % width,
            blocks,
        };
        self.entries.extend(entries.enumerate().map(entry));
        self.parts.push(part);
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries of one cell of every part, with the number of its cells.
    pub(super) fn one_cell_each(&self) -> impl Iterator<Item = (&Entry, usize)> {
        let mut first = 0;
        self.parts.iter().flat_map(move |part| {
            let cell = &self.entries[first..first + part.numbers.len()];
            first += part.cells * part.numbers.len();
            cell.iter().map(|entry| (entry, part.cells))
        })
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether the products of a column's values with the constant follow from their squares.
    pub(super) fn has_copies(&self, column: usize) -> bool {
        self.has_copies[column]
    }

    /// Whether every row weighs 1.
    pub(super) fn are_plain(&self) -> bool {
        self.are_plain
    }

    /// What the schema says of an entry.
    pub(super) fn number(&self, entry: &Entry) -> &Number {
        &self.parts[entry.part].numbers[entry.number]
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    /// These numbers of a row-major matrix.
    pub(super) fn of_matrix(&self, square: &[f64]) -> Vec<f64> {
        self.entries.iter().map(|entry| square[entry.row * self.dimension + entry.column]).collect()
    }

    /// The matrix that has these numbers.
    pub(crate) fn matrix(&self, numbers: &[f64]) -> Symmetric {
        let mut matrix = Symmetric::zero(self.dimension);
        for (entry, &x) in self.entries.iter().zip(numbers) {
            *matrix.entry_mut(entry.row, entry.column) = x;
        }
        for copy in &self.copies {
            *matrix.entry_mut(copy.row, copy.column) = copy.factor * numbers[copy.of];
        }
        matrix
    }
}
