use super::*;
use discretion::vote::{DemandAll, Told};
use discretion_table::Study;
use std::path::Path;

fn schema() -> Schema {
    let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
        [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\n\
        age = { min = 0, max = 100 }\nincome = { min = 0, max = 9 }\njob = { values = [\"a\", \"b\", \"c\"] }\n";
    Study::parse(Path::new("study.toml"), text).unwrap().schema
}

/// Under fixed seeds: a line is learned by all, a bend by boosting and not by a straight line.
#[test]
fn learners_are_told_apart_by_what_they_can_learn() {
    let schema = schema();
    let classes = Classes::of(&schema.target().labels).unwrap();
    let budget = Budget::Zcdp { rho: 1.0 };
    let told = Told::Labels { count: 2, confidence: None };
    let planned = DemandAll { budget, queries: 200, told, miss: 0.05 }.checked().unwrap().plan();
    let vote = InventedVote {
        schema: &schema,
        classes: &classes,
        weights: ClassWeights::Equal,
        design: planned.design,
        chunks: 20,
        rows: 2000,
        queries: 150,
        share: 0.5,
        bins: None,
        threshold: 0.5,
        budget,
    };
    let found = vote.compare();
    assert_eq!((found.rows_per_model, found.learners.len(), found.direct.len()), (100, 6, 2));
    for line in &found.learners {
        match (line.learner, line.truth) {
            (_, Truth::Straight) | ("boosting", _) => assert!(line.majority > 0.7, "{line:?}"),
            ("logistic", _) => assert!(line.majority < 0.7, "{line:?}"),
            _ => {}
        }
        assert!(line.answered == 1.0 && line.one_model <= line.majority + 0.05, "{line:?}");
        assert!(line.student.is_some() && line.auc.is_none());
    }
    assert!(found.direct[0].right > found.direct[1].right + 0.05, "{:?}", found.direct);
    assert_eq!(vote.compare(), found, "the same again");
    // Beside a model fitted directly, the study's own learner says the same.
    let logistic = Logistic::new(&schema, &classes, Logistic::LAMBDA);
    for (beside, direct) in vote.beside(&logistic).iter().zip(&found.direct) {
        let line = found
            .learners
            .iter()
            .find(|line| (line.learner, line.truth) == ("logistic", beside.truth));
        assert_eq!(line.unwrap().student, Some(beside.student.right));
        assert_eq!(direct.right, beside.direct.right);
        assert!(beside.direct.auc.unwrap() > beside.direct.right - 0.05, "{beside:?}");
    }
}

/// Under fixed seeds: of three classes a student and a direct model know more than one in three.
#[test]
fn students_of_several_classes_stand_beside_direct_models() {
    let schema = schema();
    let classes = Classes::listed(["a", "b", "c"].map(str::to_owned).to_vec()).unwrap();
    let budget = Budget::Zcdp { rho: 1.0 };
    let told = Told::Labels { count: 3, confidence: None };
    let design =
        DemandAll { budget, queries: 150, told, miss: 0.05 }.checked().unwrap().plan().design;
    let vote = InventedVote {
        schema: &schema,
        classes: &classes,
        weights: ClassWeights::Equal,
        design,
        chunks: 20,
        rows: 2000,
        queries: 150,
        share: 0.5,
        bins: None,
        threshold: 0.5,
        budget,
    };
    let found = vote.beside(&Logistic::new(&schema, &classes, Logistic::LAMBDA));
    assert_eq!(found.len(), 2);
    assert!(found[0].student.right > 0.5 && found[0].direct.right > 0.5, "{found:?}");
    assert_eq!(found[0].direct.auc, None);
}

#[test]
fn the_rarer_class_has_its_share() {
    let schema = schema();
    let classes = Classes::of(&schema.target().labels).unwrap();
    for truth in [Truth::Straight, Truth::Bent] {
        let rows = Inventor::new(&schema, &classes, truth, 0.06, 9).rows(4000);
        let second = rows.classes().iter().filter(|&&class| class == 1).count();
        // A deviation of 15, and of as much for the sample that the share was set by.
        assert!((150..350).contains(&second), "{second}");
    }
}

#[test]
fn ranks_are_counted_with_ties() {
    assert_eq!(auc(&[0.1, 0.4, 0.4, 0.9], &[0, 1, 0, 1]), 0.875);
    assert_eq!(auc(&[0.5, 0.5], &[0, 1]), 0.5);
}
