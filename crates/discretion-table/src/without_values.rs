//! What may be said of a problem where messages go further than rows do.

use crate::error::Excerpt;
use crate::problem::Problem;

impl Problem {
    /// The same sentence without anything that a row holds: for places where messages go further
    /// than rows do, such as the logs of a cluster.
    pub fn without_values(&self) -> String {
        let number = "leave the field empty if the value is missing";
        match self {
            Problem::NotANumber { column, .. } => {
                format!(
                    "column `{}` must be a number, and some row has something else; {number}",
                    Excerpt::of(column)
                )
            }
            Problem::NotFinite { column, .. } => {
                format!(
                    "column `{}` must be a finite number, and in some row it is not; {number}",
                    Excerpt::of(column)
                )
            }
            Problem::MissingNumber { column } => format!(
                "column `{}` has missing values, and nothing says what they count as; fill them from public knowledge, or \
                 declare it: {{\"min\": …, \"max\": …, \"missing\": …}}",
                Excerpt::of(column)
            ),
            Problem::NotUtf8 { column, .. } => {
                format!(
                    "column `{}` has texts that are not UTF-8; convert them",
                    Excerpt::of(column)
                )
            }
            Problem::UnknownTarget { column, .. } | Problem::UnknownClass { column, .. } => {
                format!(
                    "the target `{}` has a value in some row that is none of the declared classes; declare it",
                    Excerpt::of(column)
                )
            }
            Problem::InexactCode { .. } => self.to_string().replace("this row has", "some row has"),
            Problem::Reading(problem) => problem.without_values(),
            // What others say about data may quote them.
            Problem::Arrow(_) | Problem::Parquet(_) | Problem::Gzip(_) => {
                "the columns cannot be read; convert them to plain numbers and texts".to_owned()
            }
            Problem::StrayQuote { .. } => "a quote stands inside or after a field".to_owned(),
            // The others name columns and what is declared about them.
            _ => self.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_holds_is_left_out() {
        let (column, text) = ("age".to_owned(), Excerpt::of(b"secret"));
        let problems = [
            Problem::NotANumber { column: column.clone(), text: text.clone() },
            Problem::NotFinite { column: column.clone(), text: text.clone() },
            Problem::UnknownTarget { column: column.clone(), text: text.clone() },
            Problem::UnknownClass { column: column.clone(), text: text.clone() },
            Problem::NotUtf8 { column, text: text.clone() },
            Problem::StrayQuote { text },
            Problem::Arrow("secret".to_owned()),
            Problem::Parquet("secret".to_owned()),
            Problem::Gzip("secret".to_owned()),
        ];
        for problem in problems {
            assert!(problem.to_string().contains("secret"));
            assert!(!problem.without_values().contains("secret"), "{problem:?}");
        }
        assert_eq!(Problem::NoRows.without_values(), Problem::NoRows.to_string());
    }
}
