use super::*;
use crate::{Boosting, Logistic, Trees};
use discretion_table::{Schema, Study};
use proptest::prelude::*;
use std::path::Path;

fn schema() -> Schema {
    let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
        [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\n\
        age = { min = 0, max = 100 }\ngain = { min = 0, max = 1000, scale = \"log\" }\njob = { values = [\"a\", \"b\"] }\n";
    Study::parse(Path::new("study.toml"), text).unwrap().schema
}

fn classes(count: usize) -> Classes {
    Classes::listed((0..count).map(|class| format!("class {class}")).collect()).unwrap()
}

type Row = (f32, Option<f32>, u16, u16);

fn any_row() -> impl Strategy<Value = Row> {
    (0.0..100.0_f32, prop::option::of(0.0..1000.0_f32), 0..3_u16, 0..6_u16)
}

fn table(rows: &[Row], classes: usize) -> PlainRows {
    let mut table = PlainRows::new(&schema());
    for &(age, gain, job, class) in rows {
        let code = if job == 2 { discretion::erm::matrix::OTHER } else { job };
        table.append(vec![age, gain.unwrap_or(f32::NAN)], vec![code], vec![class % classes as u16]);
    }
    table
}

/// What each chunk votes, and its score if there are two classes.
fn all_votes(
    learner: &dyn Learner,
    rows: &[Row],
    of: usize,
    chunks: usize,
) -> Vec<(Vec<u16>, Vec<u32>)> {
    let (known, queries) = (classes(of), table(&rows[..3], of).without_classes());
    let trained = train_all(learner, &table(rows, of).into(), chunks, None, &|_| {});
    let votes = trained.votes(learner, &known, &queries, &|_| {}).unwrap();
    assert_eq!(votes.failed, 0);
    let bits = |scores: &Vec<f32>| scores.iter().map(|score| score.to_bits()).collect();
    let scores = match of {
        2 => trained.scores(learner, &queries, &|_| {}).unwrap().scores.iter().map(bits).collect(),
        _ => vec![Vec::new(); chunks],
    };
    votes.votes.into_iter().zip(scores).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_row_changes_one_chunk(
        rows in prop::collection::vec(any_row(), 12..60),
        other in any_row(),
        position in any::<prop::sample::Index>(),
        chunks in 2..7_usize,
        of in 2..4_usize,
    ) {
        let position = position.index(rows.len());
        let mut neighbour = rows.clone();
        neighbour[position] = other;
        // The queries are public: they stay.
        for row in 0..3 {
            prop_assume!(position != row);
        }
        let learners: [Box<dyn Learner>; 3] = [
            Box::new(Logistic::new(&schema(), &classes(of), Logistic::LAMBDA)),
            Box::new(Trees::new(&schema(), &classes(of), 4)),
            Box::new(Boosting::new(&schema(), &classes(of), 4)),
        ];
        for learner in learners {
            let before = all_votes(&*learner, &rows, of, chunks);
            let after = all_votes(&*learner, &neighbour, of, chunks);
            for chunk in (0..chunks).filter(|chunk| *chunk != position % chunks) {
                prop_assert!(before[chunk] == after[chunk], "chunk {} changed", chunk);
            }
            prop_assert!(before == all_votes(&*learner, &rows, of, chunks), "the same again");
        }
    }
}

/// Whatever a person's rows are replaced by, however many: one chunk of whole persons changes.
/// Chunks of rows would not do.
#[test]
fn one_person_changes_one_chunk() {
    let row = |n: u16| (f32::from(n * 37 % 100), Some(f32::from(n * 91 % 1000)), n % 3, n / 2);
    // 20 persons, whose rows are scattered; the places are any numbers.
    let of = |person: u128| person.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834);
    let mut rows: Vec<(u128, Row)> =
        (0..90).map(|n| (of(u128::from(n * n % 20)), row(n))).collect();
    let person = rows[5].0;
    let before = rows.clone();
    rows.retain(|(of, _)| *of != person);
    rows.extend((200..217).map(|n| (person, row(n))));
    let queries =
        table(&before[..3].iter().map(|(_, row)| *row).collect::<Vec<_>>(), 2).without_classes();
    let learner = Trees::new(&schema(), &classes(2), 4);
    let votes = |rows: &UnitRows| {
        let trained = train_all(&learner, rows, 5, None, &|_| {});
        trained.scores(&learner, &queries, &|_| {}).unwrap().scores
    };
    let changed = |make: fn(&PlainRows, &[u128]) -> UnitRows| {
        let [before, after] = [&before, &rows].map(|rows| {
            let (places, plain): (Vec<u128>, Vec<Row>) = rows.iter().copied().unzip();
            votes(&make(&table(&plain, 2), &places))
        });
        before.iter().zip(&after).filter(|(before, after)| before != after).count()
    };
    assert_eq!(changed(UnitRows::of_persons), 1);
    assert!(changed(|rows, _| rows.clone().into()) > 1);
}

/// What a learner can do wrong, by the number of the chunk.
struct Wrong;

impl Learner for Wrong {
    fn train(&self, _: &PlainRows, seed: u64) -> Result<Vec<u8>, ChunkFailure> {
        match seed {
            1 => Err(ChunkFailure::because("one")),
            2 => panic!("two"),
            seed => Ok(vec![seed as u8]),
        }
    }

    fn prepare<'a>(&'a self, _: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
        Ok(Box::new(Wrong))
    }
}

impl PreparedQueries for Wrong {
    fn classes(&self, model: &[u8]) -> Result<Vec<u16>, ChunkFailure> {
        match model[0] {
            3 => Err(ChunkFailure::because("three")),
            4 => panic!("four"),
            5 => Ok(vec![1; 2]),
            6 => Ok(vec![1, 1, 2]),
            _ => Ok(vec![1; 3]),
        }
    }

    fn scores(&self, model: &[u8]) -> Result<Vec<f32>, ChunkFailure> {
        match model[0] {
            3 => Ok(vec![f32::NAN; 3]),
            4 => Ok(vec![1.0, -1e-9, 1.0]),
            5 => Ok(vec![1.0, 1.0, 1.0001]),
            6 => Ok(vec![0.5; 4]),
            _ => Ok(vec![1.0, 0.0, 0.5]),
        }
    }
}

#[test]
fn failures_vote_class_0_and_score_0_alone() {
    let rows = table(&[(1.0, None, 0, 0); 10], 2);
    let queries = table(&[(1.0, None, 0, 0); 3], 2).without_classes();
    // Ten rows for twelve chunks: the last two have none.
    let trained = train_all(&Wrong, &rows.clone().into(), 12, None, &|_| {});
    let failed: Vec<usize> =
        trained.failed().into_inner().into_iter().map(|(chunk, _)| chunk).collect();
    assert_eq!((trained.chunks(), failed), (12, vec![1, 2, 10, 11]));
    let votes = trained.votes(&Wrong, &classes(2), &queries, &|_| {}).unwrap();
    assert_eq!((votes.queries(), votes.failed().into_inner()), (3, 8));
    for query in 0..3 {
        assert_eq!(votes.counts(query).not_private().into_inner(), [8, 4]);
    }
    let scores = trained.scores(&Wrong, &queries, &|_| {}).unwrap();
    assert_eq!((scores.queries(), scores.failed().into_inner()), (3, 8));
    let expected = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0];
    assert_eq!(scores.scores(0).not_private().into_inner(), expected);
}

#[test]
fn panics_are_told_apart_by_where_they_are() {
    assert!(!is_guarded());
    let nested = guarded(|| {
        assert!(guarded(|| -> Result<(), ChunkFailure> { panic!("caught") }).is_err());
        // The inner one is over, the outer one is not.
        Ok(is_guarded())
    });
    assert!(nested.is_ok_and(|guarded| guarded));
    assert!(guarded(|| -> Result<(), ChunkFailure> { panic!("caught") }).is_err());
    assert!(!is_guarded(), "neither an end nor a panic leaves it behind");
}

#[test]
fn chunks_of_one_class_and_one_row_are_learned_from() {
    for of in [2, 3] {
        let rows: Vec<Row> = (0..12).map(|i| (i as f32, None, 0, u16::from(i % 4 != 0))).collect();
        let logistic = Logistic::new(&schema(), &classes(of), Logistic::LAMBDA);
        let trees = Trees::new(&schema(), &classes(of), 4);
        // With four chunks the first has class 0 alone and the others class 1 alone; with twelve
        // each has one row.
        for chunks in [4, 12] {
            for learner in [&logistic as &dyn Learner, &trees] {
                let votes = all_votes(learner, &rows, of, chunks);
                for (chunk, (classes, scores)) in votes.iter().enumerate() {
                    let expected = u16::from(chunk % 4 != 0);
                    assert!(classes.iter().all(|class| *class == expected), "{classes:?}");
                    assert!(
                        scores.iter().all(|bits| (f32::from_bits(*bits) > 0.5) == (expected == 1))
                    );
                }
            }
        }
    }
}

#[test]
fn built_in_learners_learn() {
    for of in [2, 3] {
        let class = |age: usize| (age * of / 100) as u16;
        let rows: Vec<Row> =
            (0..600).map(|i| ((i * 37 % 100) as f32, None, 2, class(i * 37 % 100))).collect();
        let table = table(&rows, of);
        for learner in [
            &Logistic::new(&schema(), &classes(of), Logistic::LAMBDA) as &dyn Learner,
            &Trees::new(&schema(), &classes(of), Trees::TREES),
        ] {
            let trained = train_all(learner, &table.clone().into(), 4, None, &|_| {});
            let votes = trained
                .votes(learner, &classes(of), &table.clone().without_classes(), &|_| {})
                .unwrap();
            let right = |query: &usize| {
                let counts = votes.counts(*query).not_private().into_inner();
                let most = (0..of).max_by_key(|class| counts[*class]).unwrap();
                most == usize::from(table.classes()[*query])
            };
            let right = (0..600).filter(right).count();
            // One against the rest cannot single out the middle of three classes by one number.
            assert!(right > if of == 2 { 570 } else { 380 }, "{right} of 600, {of} classes");
        }
    }
}

#[test]
fn progress_counts_to_the_end() {
    let seen = std::sync::Mutex::new(Vec::new());
    let rows = table(&[(1.0, None, 0, 0); 10], 2);
    train_all(&Wrong, &rows.clone().into(), 10, None, &|done| seen.lock().unwrap().push(done));
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, (1..=10).collect::<Vec<_>>());
}
