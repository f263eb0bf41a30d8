//! Indicator columns that belong together, as one category: `one_of`.
//!
//! The rule is public and the same for every reader. An indicator is 1 or 0 (or true or false); an
//! empty one is 0. A row with one 1 has that value. A row without a 1 is missing: a level of its
//! own with `missing = "own"`, otherwise "other". A row with several is "other", whatever they are.

use crate::category::CategoryCode;
use crate::error::Excerpt;
use crate::problem::Problem;
use crate::read::CategoryTally;
use crate::reading_problem::ReadingProblem;
use crate::schema::MOST_CATEGORIES;
use crate::values::usual_spelling;
use discretion::erm::matrix::OTHER;

/// What a row's code is before its first 1.
pub(crate) const NO_ONE_YET: u16 = OTHER;

/// What it is after its second: no declared value has this code.
const SEVERAL: u16 = MOST_CATEGORIES as u16;

impl CategoryCode {
    /// Takes the trimmed text of the indicator at this place of the list into a row's code.
    pub fn indicate(&self, place: u16, text: &[u8], code: &mut u16) -> Result<(), Problem> {
        let is_one = match usual_spelling(text).unwrap_or(text) {
            b"1" | b"true" => true,
            b"0" | b"false" | b"" => false,
            _ if self.is_na(text) => false,
            _ => {
                let (column, text) = (self.one_of[usize::from(place)].clone(), Excerpt::of(text));
                return Err(ReadingProblem::NotAnIndicator { column, text }.into());
            }
        };
        if is_one {
            *code = if *code == NO_ONE_YET { place } else { SEVERAL };
        }
        Ok(())
    }

    /// The code of a row whose indicators were all taken.
    pub fn indicated(&self, code: u16, tally: &mut CategoryTally) -> u16 {
        match code {
            NO_ONE_YET => self.missing(tally),
            SEVERAL => {
                tally.other += 1;
                OTHER
            }
            place => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{Column, Kind};
    use crate::reading::Reading;

    fn category(own_missing: bool) -> CategoryCode {
        let one_of = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let values = one_of.iter().cloned().chain(own_missing.then(String::new)).collect();
        let reading = Reading { one_of, ..Reading::with_na(vec!["?".to_owned()]) };
        CategoryCode::new(&Column { reading, ..Column::new("letter", Kind::category(values)) })
            .unwrap()
    }

    fn code(category: &CategoryCode, row: [&str; 3]) -> (u16, (u64, u64)) {
        let (mut code, mut tally) = (NO_ONE_YET, CategoryTally::default());
        for (place, text) in row.iter().enumerate() {
            category.indicate(place as u16, text.as_bytes(), &mut code).unwrap();
        }
        let code = category.indicated(code, &mut tally);
        (code, (tally.other, tally.missing))
    }

    #[test]
    fn a_row_is_what_its_only_1_says() {
        let letter = category(false);
        assert_eq!(code(&letter, ["1", "0", "0"]), (0, (0, 0)));
        assert_eq!(code(&letter, ["false", "", "True"]), (2, (0, 0)));
        assert_eq!(code(&letter, ["0.0", "1.0", "?"]), (1, (0, 0)));
    }

    #[test]
    fn none_is_missing_and_several_are_other_however_many() {
        let (letter, with_level) = (category(false), category(true));
        assert_eq!(code(&letter, ["0", "0", ""]), (OTHER, (0, 1)));
        assert_eq!(code(&with_level, ["0", "0", "0"]), (3, (0, 0)));
        for several in [["1", "1", "0"], ["1", "1", "1"], ["0", "1", "1"]] {
            assert_eq!(code(&letter, several), (OTHER, (1, 0)));
            assert_eq!(code(&with_level, several), (OTHER, (1, 0)));
        }
    }

    #[test]
    fn anything_else_is_refused_by_the_name_of_its_column() {
        let problem = category(false).indicate(1, b"2", &mut NO_ONE_YET.clone()).unwrap_err();
        assert!(
            problem.to_string().starts_with("column `b` is one of several indicators"),
            "{problem}"
        );
    }
}
