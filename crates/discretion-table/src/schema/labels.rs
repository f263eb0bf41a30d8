//! What an outcome is: one of two classes, one of several, or a number.

use super::{MOST_CATEGORIES, Scale};
use crate::column::{check_number, first_repeated};
use crate::problem::Problem;
use crate::values::same;
use serde::{Deserialize, Serialize};

/// The column to be predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its name in the header.
    pub column: String,
    /// What its values mean.
    pub labels: Labels,
    /// Texts that mean that there is no value, as the empty one does; a declared value is one all
    /// the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
}

/// What the target's values mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Labels {
    /// Two classes.
    Two {
        /// The values that count as positive.
        positive: Vec<String>,
        /// The values that count as negative; without a list, all that are not positive and not
        /// empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        negative: Option<Vec<String>>,
        /// What the positive class is called, if not by its values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Several classes, for the commands that allow them.
    Many {
        /// The class names.
        classes: Vec<String>,
    },
    /// Two classes of a number: those above a public threshold are positive, all others negative.
    Above {
        /// The threshold.
        above: f64,
        /// What the positive class is called, if not by the threshold.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// No class: a number.
    Number {
        /// Lower end of the range; values below count as this.
        min: f64,
        /// Upper end of the range; values above count as this.
        max: f64,
        /// How the range is laid out.
        #[serde(default)]
        scale: Scale,
    },
}

impl Target {
    /// Whether its values can mean what is declared.
    pub fn check(&self) -> Result<(), Problem> {
        match self.labels {
            Labels::Number { min, max, .. } => check_number(self.column.clone(), min, max, None),
            Labels::Above { above, .. } if !above.is_finite() => {
                Err(Problem::InfiniteBound { column: self.column.clone() })
            }
            _ => self.labels.check(),
        }
    }
}

impl Labels {
    /// What the two classes are called, the negative one first: by the label, or by all values of
    /// the class. "Every other value" is called `not` and the positive name. Nothing if there are
    /// more than two, or none.
    pub fn two_names(&self) -> Option<[String; 2]> {
        match self {
            Labels::Two { positive, negative, label } => {
                let yes = label.clone().unwrap_or_else(|| positive.join(" or "));
                let no = negative
                    .as_ref()
                    .map_or_else(|| format!("not {yes}"), |values| values.join(" or "));
                Some([no, yes])
            }
            Labels::Above { above, label } => {
                let yes = label.clone().unwrap_or_else(|| format!("above {above}"));
                Some([format!("at most {above}"), yes])
            }
            Labels::Many { .. } | Labels::Number { .. } => None,
        }
    }

    /// How many classes have coefficients of their own: those of a list, even if it is of two.
    pub fn several(&self) -> Option<usize> {
        match self {
            Labels::Many { classes } => Some(classes.len()),
            _ => None,
        }
    }

    /// What the classes are called, in their public order. None of a number.
    pub fn names(&self) -> Vec<String> {
        match self {
            Labels::Many { classes } => classes.clone(),
            _ => self.two_names().map_or_else(Vec::new, Vec::from),
        }
    }

    /// Whether the lists are usable: not empty, and no value in two places.
    pub fn check(&self) -> Result<(), Problem> {
        let all = match self {
            Labels::Two { positive, .. } if positive.is_empty() => {
                return Err(Problem::NoTargetValues { list: "positive" });
            }
            Labels::Two { negative: Some(negative), .. } if negative.is_empty() => {
                return Err(Problem::NoTargetValues { list: "negative" });
            }
            Labels::Many { classes } if classes.is_empty() => {
                return Err(Problem::NoTargetValues { list: "classes" });
            }
            Labels::Two { positive, negative, .. } => {
                positive.iter().chain(negative.iter().flatten()).collect()
            }
            Labels::Many { classes } => classes.iter().collect::<Vec<_>>(),
            Labels::Above { .. } | Labels::Number { .. } => Vec::new(),
        };
        if all.len() > MOST_CATEGORIES {
            return Err(Problem::TooManyTargetValues { count: all.len(), most: MOST_CATEGORIES });
        }
        if let Some(value) = first_repeated(all) {
            return Err(Problem::RepeatedTargetValue { value });
        }
        match self.two_names() {
            Some([no, yes]) if same(&no, &yes) => Err(Problem::LabelOfTheOther { label: yes }),
            _ => Ok(()),
        }
    }
}
