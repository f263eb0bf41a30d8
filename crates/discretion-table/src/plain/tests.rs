use crate::{
    Classes, Labels, PersonKey, PlainRows, Problem, Purpose, QueryReader, Study, read_batches,
    read_queries, read_rows, read_units,
};
use discretion::erm::matrix::OTHER;
use discretion::privacy::Unit;
use proptest::prelude::*;
use std::path::PathBuf;

const STUDY: &str = r#"
[data]
path = "t.csv"
account = "t"
target = "y"
positive = ["yes", "ja"]
negative = "no"
[budget]
epsilon = 1
[spend]
epsilon = 1
[columns]
job  = { values = ["clerk", "nurse"] }
age  = { min = 0.1, max = 100, missing = 50 }
gain = { min = 0, max = 1000, scale = "log", missing = 10 }
note = { drop = true }
"#;

fn study() -> Study {
    Study::parse(&PathBuf::from("study.toml"), STUDY).unwrap()
}

fn with_file<T>(text: &str, use_it: impl FnOnce(&std::path::Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    use_it(&path)
}

fn trained(text: &str, classes: &Classes) -> Result<PlainRows, String> {
    with_file(text, |path| read_rows(path, &study().schema, classes, &|_| {}))
        .map(|(rows, _)| rows)
        .map_err(|error| error.to_string())
}

fn queried(text: &str) -> Result<PlainRows, String> {
    with_file(text, |path| read_queries(path, &study().schema, &|_| {}))
        .map_err(|error| error.to_string())
}

fn two() -> Classes {
    Classes::of(&study().schema.target().labels).unwrap()
}

#[test]
fn values_keep_their_units_and_are_clipped() {
    let rows =
        trained("age,gain,job,note,y\n33.3,5,nurse,,no\n-1,1e9,clerk,a,ja\n,,cook,b,yes\n", &two())
            .unwrap();
    assert_eq!(rows.count(), 3);
    assert_eq!((rows.numbers(0), rows.numbers(1)), (&[33.3, 5.0][..], &[0.1, 1000.0][..]));
    assert!(rows.numbers(2).iter().all(|value| value.is_nan()));
    assert_eq!([0, 1, 2].map(|row| rows.codes(row)[0]), [1, 0, OTHER]);
    assert_eq!(rows.classes(), [0, 1, 1]);
    let picked = rows.gather([2, 0]);
    assert_eq!((picked.count(), picked.classes(), picked.codes(1)), (2, &[1, 0][..], &[1][..]));
    assert!(picked.without_classes().classes().is_empty());
}

/// A chunk has whole persons, and what is public counts them; two spellings are one person.
#[test]
fn units_are_persons_where_the_study_names_them() {
    let text =
        "age,gain,job,note,y,who\n1,1,,,no,7\n2,1,,,no,a\n3,1,,,yes,007\n4,1,,,no,b\n5,1,,,yes,A\n";
    let named = STUDY.replace("target =", "person = \"who\"\ntarget =");
    let schema = Study::parse(&PathBuf::from("study.toml"), &named).unwrap().schema;
    let key = PersonKey::of_seed(3);
    let (units, _) =
        with_file(text, |path| read_units(path, &schema, &two(), key, &|_| {})).unwrap();
    assert_eq!((units.count(), units.unit()), (3, Unit::Person));
    let mut ages: Vec<Vec<f32>> = (0..3)
        .map(|person| units.gather([person]))
        .map(|rows| (0..rows.count()).map(|row| rows.numbers(row)[0]).collect())
        .collect();
    ages.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert_eq!(ages, [vec![1.0, 3.0], vec![2.0, 5.0], vec![4.0]]);
    let without = text.replace(",who\n", "\n").replace(",7\n", "\n").replace(",007\n", "\n");
    let without = without.replace(",a\n", "\n").replace(",b\n", "\n").replace(",A\n", "\n");
    let plain = with_file(&without, |path| read_units(path, &study().schema, &two(), key, &|_| {}));
    let (units, _) = plain.unwrap();
    assert_eq!((units.count(), units.unit(), units.gather([1]).count()), (5, Unit::Row, 1));
}

#[test]
fn classes_have_names_and_an_order() {
    assert_eq!(two().names(), ["no", "yes or ja"]);
    let open = |label: Option<&str>| {
        let positive = ["<30", ">30"].map(String::from).to_vec();
        Classes::of(&Labels::Two { positive, negative: None, label: label.map(String::from) })
            .unwrap()
    };
    assert_eq!(open(None).names(), ["not <30 or >30", "<30 or >30"]);
    assert_eq!(open(Some("readmitted")).names(), ["not readmitted", "readmitted"]);
    let three = Classes::listed(["a", "b ", "c"].map(String::from).to_vec()).unwrap();
    assert_eq!(
        ["a", " b", "c", "d", ""].map(|name| three.index(name)),
        [Some(0), Some(1), Some(2), None, None]
    );
    let rows = trained("age,gain,job,note,y\n1,1,,,c\n1,1,,,a\n", &three).unwrap();
    assert_eq!(rows.classes(), [2, 0]);
    for (classes, words) in [
        (vec!["a"], "at least two classes, not 1"),
        (vec!["a", "a "], "listed twice"),
        (vec!["a", "b\nc"], "control character"),
    ] {
        let refusal = Classes::listed(classes.into_iter().map(String::from).collect())
            .unwrap_err()
            .to_string();
        assert!(refusal.contains(words), "{refusal}");
    }
}

#[test]
fn undeclared_labels_are_refused_with_their_line() {
    let three = Classes::listed(["a", "b", "c"].map(String::from).to_vec()).unwrap();
    let refusal = trained("age,gain,job,note,y\n1,1,,,a\n1,1,,,d\n", &three).err().unwrap();
    assert!(
        refusal.ends_with(
            "t.csv:3: the target `y` is \"d\", which is none of the declared classes; add it to `classes`"
        ),
        "{refusal}"
    );
    let refusal = trained("age,gain,job,note,y\n1,1,,,maybe\n", &two()).err().unwrap();
    assert!(
        refusal.contains("t.csv:2: the target `y` is \"maybe\", which is neither"),
        "{refusal}"
    );
}

#[test]
fn queries_have_the_study_s_columns_and_their_target_is_not_read() {
    for text in [
        "age,gain,job\n1,2,nurse\n",
        "note,job,gain,age\nx,nurse,2,1\n",
        "y,job,gain,age\nnonsense,nurse,2,1\n",
    ] {
        let rows = queried(text).unwrap();
        assert_eq!(
            (rows.numbers(0), rows.codes(0), rows.classes()),
            (&[1.0, 2.0][..], &[1][..], &[][..])
        );
    }
    for (header, words) in [
        (
            "age,gain,job,zip",
            "these are not the declared columns: remove column `zip`, which is not declared",
        ),
        (
            "age,job",
            "these are not the declared columns: the table lacks the declared column `gain`",
        ),
        (
            "age,gains,job",
            "the table lacks the declared column `gain`, and has column `gains`, which is not declared",
        ),
        ("age,gain,job,age", "more than once"),
        ("age,gain,job", "no rows"),
    ] {
        let refusal = queried(&format!("{header}\n")).err().unwrap();
        assert!(refusal.contains(words), "{refusal}");
    }
    let refusal = queried("age,gain,job\nold,2,nurse\n").err().unwrap();
    assert!(refusal.contains("t.csv:2: column `age` must be a number"), "{refusal}");
}

#[test]
fn queries_one_by_one_are_read_as_those_of_a_file() {
    let reader = QueryReader::new(&study().schema);
    let pairs = |text: &str| -> Vec<(String, String)> {
        text.split(';')
            .map(|pair| pair.split_once('=').unwrap())
            .map(|(a, b)| (a.into(), b.into()))
            .collect()
    };
    let file = queried("age,gain,job,y\n 33.3 ,-5,nurse,no\n1e9,,pilot,\n").unwrap();
    let mut rows = reader.rows();
    reader.push(&pairs("job=nurse;age= 33.3 ;gain=-5;y=no"), &mut rows).unwrap();
    reader.push(&pairs("age=1e9;gain=;job=pilot;note=x"), &mut rows).unwrap();
    for row in 0..2 {
        let bits =
            |rows: &PlainRows| rows.numbers(row).iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&rows), rows.codes(row)), (bits(&file), file.codes(row)));
    }
    for (query, words) in [
        ("age=1;gain=2", "lacks the declared column `job`"),
        ("age=1;gain=2;job=a;zip=3", "remove column `zip`"),
        ("age=1;gain=2;job=a;age=3", "more than once"),
        ("age=old;gain=2;job=a", "must be a number"),
        ("age=1e400;gain=2;job=a", "`age`"),
    ] {
        let refusal = reader.push(&pairs(query), &mut rows).unwrap_err().to_string();
        assert!(refusal.contains(words), "{refusal}");
    }
    assert_eq!(rows.count(), 2, "what was refused was not appended");
}

#[test]
fn design_matrices_still_want_two_classes() {
    let three = Classes::listed(["a", "b", "c"].map(String::from).to_vec()).unwrap();
    let schema = study().schema.relabelled(&three);
    let refused = with_file("age,gain,job,note,y\n1,1,,,a\n", |path| {
        read_batches(path, &schema, Purpose::Train, &|_| {}, |_| Ok::<(), crate::Error>(()))
    });
    assert!(matches!(*refused.unwrap_err().problem, Problem::NotTwoClasses));
}

proptest! {
    #[test]
    fn plain_rows_encode_as_the_file_does(
        lines in prop::collection::vec((prop::option::of(-10.0..200.0), prop::option::of(-10.0..2000.0), 0..3_usize, any::<bool>()), 1..20),
    ) {
        let shown = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let line = |(age, gain, job, yes): &(Option<f64>, Option<f64>, usize, bool)| {
            let (job, y) = (["clerk", "nurse", "?"][*job], if *yes { "ja" } else { "no" });
            format!("{},{},{job},,{y}\n", shown(*age), shown(*gain))
        };
        let text = format!("age,gain,job,note,y\n{}", lines.iter().map(line).collect::<String>());
        let plain = study().schema.encoder().batch(&trained(&text, &two()).unwrap(), 1);
        let direct = with_file(&text, |path| {
            let mut all = Vec::new();
            read_batches(path, &study().schema, Purpose::Train, &|_| {}, |batch| {
                all.push(batch);
                Ok::<(), crate::Error>(())
            }).unwrap();
            all.remove(0)
        });
        prop_assert_eq!(plain.codes, direct.codes);
        prop_assert_eq!(plain.positive, direct.positive);
        prop_assert_eq!(plain.numeric.len(), direct.numeric.len());
        for (a, b) in plain.numeric.iter().zip(direct.numeric) {
            prop_assert!((a - b).abs() < 1e-6, "{} {}", a, b);
        }
    }
}
