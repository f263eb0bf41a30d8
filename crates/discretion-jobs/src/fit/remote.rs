//! Rows that others hold, laid out so that they sum to the bits of a table in memory.
//!
//! Workers encode what they have into pieces. The pieces' order gives every row its position, and [`Deal`] says from public
//! numbers alone where each row has to be: in which part of which table, and where in it. Whoever gathers a part's slices in the
//! order of their positions has the rows of [`Cut::rows_of`](discretion::erm::matrix::Cut::rows_of).

use discretion::choose::split::{is_validation, validation_rows};
use discretion::erm::matrix::{BytesError, Cut, Layout, Matrix};

/// Where rows go. Public.
#[derive(Clone, Debug, PartialEq)]
pub struct Deal {
    layout: Layout,
    rows: usize,
    /// The share that validates, where λ is chosen.
    validation: Option<f64>,
}

/// Rows on their way to their part.
pub struct Slice {
    /// The table: all rows, those that train, those that validate.
    pub table: usize,
    /// The part of its cut.
    pub part: usize,
    /// The position of the first row in the table.
    pub position: usize,
    /// The rows, which are as they were read: nobody but the custodian's workers sees them.
    pub bytes: Vec<u8>,
}

impl Deal {
    /// Where `rows` rows of this layout go, for a request with this [share](discretion::fit::Request::validation) of
    /// validation rows.
    pub fn new(layout: Layout, rows: usize, validation: Option<f64>) -> Deal {
        Deal { layout, rows, validation }
    }

    /// How many rows each table has: all of them and, where λ is chosen, those that train and those that validate. The sums of
    /// all three have to be those of a table in memory, and no two of them are cut alike, so rows are held twice then.
    pub fn tables(&self) -> Vec<usize> {
        tables_of(self.rows, self.validation)
    }

    /// The rows of a piece, of which the first is at `first` among all, on their way.
    pub fn slices(&self, first: usize, piece: &Matrix) -> Vec<Slice> {
        let tables = self.tables();
        let cuts: Vec<Cut> = tables.iter().map(|&rows| Cut::of(rows, &self.layout)).collect();
        // Rows of the piece that are neighbours in a part, by table.
        let mut runs: Vec<Vec<Run>> = tables.iter().map(|_| Vec::new()).collect();
        for row in 0..piece.rows() {
            for (table, position) in self.places(first + row, &tables) {
                match runs[table].last_mut() {
                    Some(run) if run.takes(position) => run.rows.push(row),
                    _ => runs[table].push(Run::new(cuts[table], position, row)),
                }
            }
        }
        let slice = |table: usize, run: Run| {
            let bytes = piece.gather(&run.rows).to_bytes().into_inner();
            Slice { table, part: run.part, position: run.position, bytes }
        };
        let of_table = |(table, runs): (usize, Vec<Run>)| runs.into_iter().map(move |run| slice(table, run));
        runs.into_iter().enumerate().flat_map(of_table).collect()
    }

    /// The tables that a row belongs to, and where in each: a table with both parts has those that train first, as
    /// [`training_first`](discretion::choose::split::training_first) has them.
    fn places(&self, row: usize, tables: &[usize]) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (among_all, in_part) = match self.validation {
            None => (row, None),
            Some(share) => {
                let before = validation_rows(row, share);
                match is_validation(row, share) {
                    true => (tables[1] + before, Some((2, before))),
                    false => (row - before, Some((1, row - before))),
                }
            }
        };
        std::iter::once((0, among_all)).chain(in_part)
    }

    /// The part whose slices these are, in order.
    pub fn part<'b>(&self, slices: impl IntoIterator<Item = &'b [u8]>) -> Result<Matrix, BytesError> {
        let mut part = Matrix::new(self.layout.clone());
        slices.into_iter().try_for_each(|slice| part.push_bytes(slice))?;
        Ok(part)
    }

    /// The rows of a part that the sample of its table has.
    pub fn sample(&self, table: usize, part: usize, rows: &Matrix) -> Matrix {
        let (total, mut picked) = (self.tables()[table], Vec::new());
        let here = Cut::of(total, &self.layout).rows_of(part);
        assert_eq!(rows.rows(), here.len(), "a part is whole");
        for range in Cut::sample(total).into_iter().flatten() {
            // A sample is of whole blocks, and so are parts.
            if here.contains(&range.start) {
                picked.extend(range.start - here.start..range.end - here.start);
            }
        }
        rows.gather(&picked)
    }
}

/// How many of so many rows or persons each table has.
pub(super) fn tables_of(units: usize, validation: Option<f64>) -> Vec<usize> {
    match validation {
        None => vec![units],
        Some(share) => {
            let validating = validation_rows(units, share);
            vec![units, units - validating, validating]
        }
    }
}

/// Rows of a piece that follow each other in a part.
struct Run {
    part: usize,
    position: usize,
    /// Where the part ends.
    end: usize,
    /// Their places in the piece.
    rows: Vec<usize>,
}

impl Run {
    fn new(cut: Cut, position: usize, row: usize) -> Run {
        let part = cut.part_of(position);
        Run { part, position, end: cut.rows_of(part).end, rows: vec![row] }
    }

    fn takes(&self, position: usize) -> bool {
        position == self.position + self.rows.len() && position < self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{FitJob, FitRows, tests::job};
    use discretion::erm::OracleError;
    use discretion::erm::matrix::Batch;
    use discretion::erm::remote::{Ask, Remote, Workers};
    use discretion::fit::{Plan, Request, TableFacts};
    use discretion::noise::Seeded;

    const ROWS: usize = 30_011;

    fn rows_from(job: &FitJob, first: usize, count: usize) -> Matrix {
        let mut matrix = Matrix::new(job.schema.encoder().layout());
        let numeric: Vec<f32> =
            (first..first + count).map(|row| (row * 7 % 101) as f32 / 200.0 - 0.25).collect();
        let positive = (first..first + count).map(|row| row * 7 % 101 > 47 + row % 13).collect();
        matrix.push(Batch { numeric, codes: Vec::new(), positive });
        matrix
    }

    /// The parts of a table, in this process.
    struct Here(Vec<Matrix>);

    impl Workers for Here {
        fn ask(&self, ask: &Ask) -> Result<Vec<Vec<u8>>, OracleError> {
            let ask = Ask::from_bytes(&ask.to_bytes()).unwrap();
            Ok(self.0.iter().map(|part| ask.answer(part).unwrap().into_inner()).collect())
        }
    }

    /// Pieces of unequal sizes, one of them empty, dealt and gathered.
    fn dealt(job: &FitJob, request: &Request) -> Vec<Remote> {
        let layout = job.schema.encoder().layout();
        let deal = Deal::new(layout.clone(), ROWS, request.validation());
        let (mut slices, mut first) = (Vec::new(), 0);
        for count in [1, 0, 255, 4097, 20_000, ROWS - 24_353] {
            slices.extend(deal.slices(first, &rows_from(job, first, count)));
            first += count;
        }
        slices.reverse();
        slices.sort_by_key(|slice| (slice.table, slice.part, slice.position));
        let table = |(table, &rows): (usize, &usize)| {
            let of = |part: usize| {
                let mine = slices.iter().filter(move |slice| (slice.table, slice.part) == (table, part));
                deal.part(mine.map(|slice| &slice.bytes[..])).unwrap()
            };
            let parts: Vec<Matrix> = (0..Cut::of(rows, &layout).parts()).map(of).collect();
            let mut sample = Matrix::new(layout.clone());
            for (number, part) in parts.iter().enumerate() {
                sample.push_bytes(&deal.sample(table, number, part).to_bytes().into_inner()).unwrap();
            }
            let sample = (sample.rows() > 0).then_some(sample);
            Remote::new(Box::new(Here(parts)), rows, layout.clone(), sample)
        };
        deal.tables().iter().enumerate().map(table).collect()
    }

    #[test]
    fn rows_that_others_hold_give_the_coefficients_of_rows_in_memory() {
        let intervals = "[intervals]\nlevel = 0.9\n";
        for (lambda, more) in
            [("0.001", ""), ("0.001", intervals), ("[0.001, 0.1]", ""), ("[0.001, 0.1]", intervals)]
        {
            let job = job(lambda, more);
            let request = job.request();
            let fitted = |rows: &FitRows, plan: &Plan| {
                let fitted = rows.run(plan, &mut Seeded::new(3)).unwrap();
                (fitted.coefficients, fitted.evidence)
            };
            let here = FitRows::new(rows_from(&job, 0, ROWS), &request).unwrap();
            let remote = FitRows::remote(dealt(&job, &request), &request);
            let layout = job.schema.encoder().layout();
            let facts = TableFacts::of_layout(ROWS, &layout, request.validation());
            let plan = request.plan(facts).unwrap();
            assert_eq!(here.plan(&request).unwrap(), plan, "a plan needs the number of rows alone");
            assert_eq!(fitted(&here, &plan), fitted(&remote, &plan), "lambda = {lambda} {more}");
        }
    }
}
