//! What is varied: the paper's tables 2 to 6 on the tables that are public, and the key setting
//! with more replicates.

use super::columns::{
    ADULT_FROM_THE_LEFT, ADULT_MIXED, BANK_FROM_THE_LEFT, BANK_MIXED, ColumnChoice,
    KDD_FROM_THE_LEFT,
};
use super::paper::{self, PaperCoverage};
use super::population::{Population, Values};
use crate::{Failure, Options};

/// One of the paper's tables.
pub struct Sweep {
    /// The start of its figures' names.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What is varied.
    pub variable: Variable,
    /// What that is called on an axis.
    pub axis: &'static str,
    /// Its values.
    pub values: Vec<f64>,
    /// Where its rows come from.
    pub origin: Origin,
    /// ε₁, ε₂, ε₃ where they are not varied.
    pub epsilons: [f64; 3],
    /// Bootstrap replicates for each cell.
    pub replicates: usize,
    /// What the paper prints, if it prints it for this table.
    pub paper: Option<PaperCoverage>,
}

/// What a sweep varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// n, drawn from the table without replacement.
    Rows,
    /// d, the first so many columns.
    Columns,
    /// One of ε₁, ε₂, ε₃.
    Epsilon(usize),
    /// All three, by a factor.
    Budget,
    /// Which table, and which of its columns: [`Origin::Tables`] are numbered from 1.
    ColumnChoice,
}

/// Where the rows of a sweep come from.
pub enum Origin {
    /// Public tables; one, unless [`Variable::ColumnChoice`].
    Tables(&'static [ColumnChoice]),
    /// Made-up rows and columns.
    MadeUp(usize, usize),
}

/// The paper's budget where it is not varied.
pub const EPSILONS: [f64; 3] = [0.5, 0.25, 0.25];

/// Bootstrap replicates of the paper's tables here; the paper has 1,000.
const REPLICATES: usize = 200;
/// Those of the key setting. With 2,000 the standard error of a coverage of 0.95 is 0.005 if all
/// coefficients were always missed together, and 0.0015 if they were independent.
const KEY_REPLICATES: usize = 2000;

/// Those that tell what more noise does to coverage from what the table does to it.
const BUDGET_REPLICATES: usize = 500;

/// All of them, or one short one on made-up rows.
pub fn sweeps(options: &Options) -> Vec<Sweep> {
    if options.quick {
        return vec![quick()];
    }
    let tenths =
        |from: u32, to: u32| (from..=to).map(|x| f64::from(x) / 10.0).collect::<Vec<f64>>();
    let sweep =
        |key, title, variable, axis, values, tables: &'static [ColumnChoice], paper| Sweep {
            key,
            title,
            variable,
            axis,
            values,
            origin: Origin::Tables(tables),
            epsilons: EPSILONS,
            replicates: REPLICATES,
            paper,
        };
    vec![
        Sweep {
            replicates: KEY_REPLICATES,
            ..sweep(
                "key",
                "Key setting: d = 10, from the left; 1 Adult, 2 Banking",
                Variable::ColumnChoice,
                "table",
                vec![1.0, 2.0],
                &[ADULT_FROM_THE_LEFT, BANK_FROM_THE_LEFT],
                None,
            )
        },
        sweep(
            "columns",
            "Other columns: d = 10, mixed; 1 Adult, 2 Banking",
            Variable::ColumnChoice,
            "table",
            vec![1.0, 2.0],
            &[ADULT_MIXED, BANK_MIXED],
            None,
        ),
        Sweep {
            replicates: BUDGET_REPLICATES,
            ..sweep(
                "budget",
                "Adult, d = 10, all three parts of the budget multiplied",
                Variable::Budget,
                "times",
                vec![1.0, 4.0, 16.0, 64.0],
                &[ADULT_FROM_THE_LEFT],
                None,
            )
        },
        sweep(
            "table2",
            "Table 2: KDD Cup, d = 10",
            Variable::Rows,
            "n",
            (1..=9).map(|x| f64::from(50_000 * x)).collect(),
            &[KDD_FROM_THE_LEFT],
            Some(paper::TABLE_2),
        ),
        sweep(
            "table3",
            "Table 3: Adult, n = 30,162",
            Variable::Columns,
            "d",
            (1..=10).map(f64::from).collect(),
            &[ADULT_FROM_THE_LEFT],
            Some(paper::TABLE_3),
        ),
        sweep(
            "table4",
            "Table 4: Banking, n = 45,211, d = 10",
            Variable::Epsilon(0),
            "ε₁",
            tenths(3, 10),
            &[BANK_FROM_THE_LEFT],
            Some(paper::TABLE_4),
        ),
        sweep(
            "table5",
            "Table 5: Adult, d = 10 (the paper's line is IPUMS-US)",
            Variable::Epsilon(1),
            "ε₂",
            tenths(1, 10),
            &[ADULT_FROM_THE_LEFT],
            Some(paper::TABLE_5),
        ),
        sweep(
            "table6",
            "Table 6: Banking, d = 10 (the paper's line is IPUMS-BR)",
            Variable::Epsilon(2),
            "ε₃",
            tenths(1, 10),
            &[BANK_FROM_THE_LEFT],
            Some(paper::TABLE_6),
        ),
    ]
}

fn quick() -> Sweep {
    Sweep {
        key: "quick",
        title: "Made-up rows, n = 20,000",
        variable: Variable::Columns,
        axis: "d",
        values: vec![2.0, 4.0],
        origin: Origin::MadeUp(20_000, 4),
        epsilons: [1.0, 0.5, 0.5],
        replicates: 40,
        paper: None,
    }
}

impl Sweep {
    /// The tables it needs, read once.
    pub fn read(&self, options: &Options) -> Result<Vec<Values>, Failure> {
        match &self.origin {
            Origin::MadeUp(rows, columns) => {
                Ok(vec![Values::made_up(*rows, *columns, options.seed)])
            }
            Origin::Tables(tables) => {
                let folder = options.data.as_deref().ok_or_else(|| {
                    Failure(
                        "--data is missing: the folder with the public tables, or --quick without"
                            .to_owned(),
                    )
                })?;
                tables.iter().map(|chosen| Values::read(chosen, folder)).collect()
            }
        }
    }

    /// The population at one value.
    pub fn population(&self, tables: &[Values], value: f64, seed: u64) -> Population {
        let number = value as usize;
        let (table, columns, rows) = match self.variable {
            Variable::Rows => (&tables[0], tables[0].columns(), Some(number)),
            Variable::Columns => (&tables[0], number, None),
            Variable::Epsilon(_) | Variable::Budget => (&tables[0], tables[0].columns(), None),
            Variable::ColumnChoice => (&tables[number - 1], tables[number - 1].columns(), None),
        };
        table.population(columns, rows, seed)
    }

    /// ε₁, ε₂, ε₃ at one value.
    pub fn epsilons(&self, value: f64) -> [f64; 3] {
        let mut epsilons = self.epsilons;
        match self.variable {
            Variable::Epsilon(which) => epsilons[which] = value,
            Variable::Budget => epsilons = epsilons.map(|epsilon| epsilon * value),
            Variable::Rows | Variable::Columns | Variable::ColumnChoice => {}
        }
        epsilons
    }
}
