use super::*;
use discretion_table::Study;
use std::path::Path;

fn schema() -> Schema {
    let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
        [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\n\
        age = { min = 0, max = 100 }\njob = { values = [\"a\", \"b\", \"c\"] }\n";
    Study::parse(Path::new("study.toml"), text).unwrap().schema
}

/// A band of ages, and one of three jobs: neither a straight line nor an order of the jobs finds
/// them.
#[test]
fn bands_and_single_categories_are_learned_from_a_few_rows() {
    let schema = schema();
    let mut rows = PlainRows::new(&schema);
    for row in 0..90_u16 {
        let (age, job) = (f32::from(row * 37 % 100), row % 3);
        let class = u16::from((30.0..70.0).contains(&age) || job == 1);
        rows.append(vec![age], vec![job], vec![class]);
    }
    let classes = Classes::of(&schema.target().labels).unwrap();
    let learner = Boosting::new(&schema, &classes, Boosting::TREES);
    let model = learner.train(&rows, 0).ok().unwrap();
    let mut queries = PlainRows::new(&schema);
    for (age, job) in [(10.0, 0), (50.0, 0), (90.0, 2), (10.0, 1), (f32::NAN, 2)] {
        queries.append(vec![age], vec![job], vec![]);
    }
    let prepared = learner.prepare(&queries).unwrap();
    assert_eq!(prepared.classes(&model).ok().unwrap(), [0, 1, 0, 1, 0]);
    let scores = prepared.scores(&model).ok().unwrap();
    assert!(scores[0] < 0.2 && scores[1] > 0.8, "{scores:?}");
    assert_eq!(learner.train(&rows, 1).ok().unwrap(), model, "nothing is drawn");
    assert!(prepared.classes(&[7]).is_err());
}

#[test]
fn a_chunk_of_one_class_says_that_one() {
    let schema = schema();
    let mut rows = PlainRows::new(&schema);
    (0..5_u8).for_each(|row| rows.append(vec![f32::from(row)], vec![0], vec![1]));
    let classes = Classes::listed(["x", "y", "z"].map(String::from).to_vec()).unwrap();
    let learner = Boosting::new(&schema, &classes, 5);
    let model = learner.train(&rows, 0).ok().unwrap();
    let queries = rows.gather([0]).without_classes();
    assert_eq!(learner.prepare(&queries).unwrap().classes(&model).ok().unwrap(), [1]);
}
