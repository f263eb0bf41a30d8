//! `--set key=value`: settings that a command gives in place of the file's.

use super::*;

fn set(settings: &[&str]) -> Result<Study, String> {
    let settings: Vec<String> = settings.iter().map(|said| said.to_string()).collect();
    Study::parse_with(Path::new("dir/study.toml"), ADULT, None, &settings)
        .map_err(|error| error.to_string())
}

/// The study of a file that says the same.
fn written(from: &str, to: &str) -> Study {
    parse(&ADULT.replacen(from, to, 1)).unwrap()
}

#[test]
fn what_is_set_is_the_study_of_a_file_that_says_it() {
    for (settings, from, to) in [
        (&["intervals.level=0.9"][..], "[intervals]", "[intervals]\nlevel = 0.9"),
        (&["spend.epsilon = 2"], "epsilon = 1\n", "epsilon = 2\n"),
        (&["model.lambda=[1e-4, 1e-2]"], "[1e-3, 1]", "[1e-4, 1e-2]"),
        (&["model.loss=logistic"], "loss   = \"hinge\"", "loss = \"logistic\""),
        (&["columns.age.max=95"], "max = 90", "max = 95"),
        (
            &["columns.\"capital-gain\"={ values = [\"a=b\"] }"],
            "{ min = 0, max = 99_999, scale = \"log\", missing = 0 }",
            "{ values = [\"a=b\"] }",
        ),
        (
            &["evaluate.share=0.2", "evaluate.share=0.3"],
            "[intervals]",
            "[evaluate]\nshare = 0.3\n[intervals]",
        ),
        (&["tune={ share = 0.5 }"], "[intervals]", "[tune]\nshare = 0.5\n[intervals]"),
    ] {
        let study = set(settings).unwrap();
        let file = written(from, to);
        let same = Study { places: study.places.clone(), set: study.set.clone(), ..file };
        assert_eq!(study, same, "{settings:?}");
        let said: String = settings.iter().map(|said| format!(" with {said}")).collect();
        assert_eq!(study.named(), format!("dir/study.toml{said}"));
    }
}

#[test]
fn what_is_wrong_is_told_with_the_setting() {
    for (said, message) in [
        ("interval.level=0.9", "unknown table [interval]; did you mean `intervals`?"),
        ("intervals.levle=0.9", "unknown key `levle` in [intervals]; did you mean `level`?"),
        ("intervals.level=95", "`level` must lie strictly between 0 and 1, not 95"),
        ("intervals.level=high", "`level` in [intervals] must be a number, not a text"),
        ("model.method=best", "`method` in [model] cannot be \"best\""),
        ("intervals.level", "a setting is given as table.key=value"),
        ("=3", "a setting is given as table.key=value"),
        ("model.lambda=[1", "this is not valid TOML"),
        ("spend.epsilon=-1", "epsilon must be a finite number above 0"),
    ] {
        let found = set(&["spend.epsilon=1", said]).unwrap_err();
        assert!(found.starts_with(&format!("--set {said}: {message}")), "{found}");
    }
    // What is wrong with a column as a whole is told at its line.
    let found = set(&["columns.age.min=100"]).unwrap_err();
    assert!(found.starts_with("dir/study.toml:18:1: column `age` has min = 100"), "{found}");
}
