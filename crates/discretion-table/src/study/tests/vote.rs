//! `[vote]`.

use super::*;

#[test]
fn votes_have_defaults_and_all_can_be_said() {
    let with =
        |lines: &str| parse(&format!("{ADULT}\n[vote]\n{lines}")).map(|study| study.vote.unwrap());
    assert_eq!(parse(ADULT).unwrap().vote, None);
    let default = with("queries = 7").unwrap();
    let expected = VoteSettings {
        learner: LearnerChoice::Logistic,
        lambda: None,
        chunks: None,
        queries: 7,
        answer: AnswerChoice::Sure,
        unstable: 7,
        agreement: 5.0 / 6.0,
        miss: 0.05,
        classes: crate::Classes::of(&parse(ADULT).unwrap().schema.target().labels).unwrap(),
        score_bins: None,
        protect: Protect::Rows,
        weights: ClassWeights::Equal,
        expected_share: None,
        threshold: None,
    };
    assert_eq!(default, expected);
    let all = with(
        "queries = 7\nlearner = { command = [\"sh\", \"a b\"], processes = \"shared\", timeout = 0.5 }\nchunks = 20\n\
         unstable = 3\nagreement = 1\nmiss = 0.1\nclasses = [\"a\", 2]\nscores = true\ngamma = 0.125\nprotect = \"labels\"",
    );
    let all = all.unwrap();
    let command = LearnerChoice::Command {
        command: vec!["sh".into(), "a b".into()],
        processes: Processes::Shared,
        timeout: std::time::Duration::from_millis(500),
    };
    assert_eq!(
        (all.learner, all.chunks, all.unstable, all.score_bins),
        (command, Some(20), 3, Some(8))
    );
    assert_eq!((all.agreement, all.miss, all.protect), (1.0, 0.1, Protect::Labels));
    assert_eq!(all.classes.names(), ["a", "2"]);
    assert_eq!(
        with("queries = 1\nchunks = \"auto\"\nlearner = \"trees\"").unwrap().learner,
        LearnerChoice::Trees
    );
    assert_eq!(with("queries = 1000").unwrap().unstable, 50);
    let every = with(
        "queries = 9\nanswer = \"all\"\nconfidence = 0.9\nweights = \"balanced\"\nexpected_share = 0.06",
    );
    let every = every.unwrap();
    assert_eq!(every.answer, AnswerChoice::All { confidence: Some(0.9) });
    assert_eq!((every.weights, every.expected_share), (ClassWeights::Balanced, Some(0.06)));
    assert_eq!(with("queries = 1\nscores = true").unwrap().score_bins, Some(10));
    assert_eq!(with("queries = 1\nscores = true\ngamma = 0.3333").unwrap().score_bins, Some(3));
}

#[test]
fn votes_that_cannot_be_are_refused_with_their_line() {
    let first = ADULT.lines().count() + 2;
    for (lines, line, expected) in [
        ("chunks = 2", 0, "the key `queries` is missing in [vote]; add `queries = 1000`"),
        ("queries = 0", 1, "`queries` must be a whole number from 1 to 1000000000, not 0"),
        ("queries = 1.5", 1, "`queries` must be a whole number"),
        ("queries = 1\nchunks = 1", 2, "`chunks` must be a whole number from 2"),
        ("queries = 1\nchunks = \"few\"", 2, "a whole number from 2 on, or \"auto\", not a text"),
        ("queries = 1\nunstable = 0", 2, "`unstable` must be a whole number from 1"),
        ("queries = 1\nagreement = 0.5", 2, "`agreement` must be above 0.5 and at most 1, not 0.5"),
        ("queries = 1\nmiss = 1", 2, "`miss` must lie strictly between 0 and 1, not 1"),
        (
            "queries = 1\nlearner = \"tree\"",
            2,
            "it is one of \"logistic\", \"trees\", \"boosting\"; did you mean `trees`?",
        ),
        (
            "queries = 1\nlearner = \"trees\"\nlambda = 0.1",
            3,
            "`lambda` in [vote] is for `learner = \"logistic\"`",
        ),
        ("queries = 1\nlearner = 3", 2, "or { command = [\"program\", …] }, not a number"),
        ("queries = 1\nlearner = { }", 2, "the key `command` is missing in `learner`"),
        ("queries = 1\nlearner = { command = [] }", 2, "`command` in `learner` must not be empty"),
        (
            "queries = 1\nlearner = { command = [\"a\", 1] }",
            2,
            "a program and its first arguments, not a number",
        ),
        (
            "queries = 1\nlearner = { command = [\"a\"], timeout = 0 }",
            2,
            "`timeout` must be above 0",
        ),
        (
            "queries = 1\nlearner = { command = [\"a\"], processes = \"one\" }",
            2,
            "\"chunk\", \"shared\"",
        ),
        ("queries = 1\ngamma = 0.1", 2, "classes are asked for"),
        ("queries = 1\nthreshold = 0.3", 2, "`threshold` is the score from which on"),
        (
            "queries = 1\nscores = true\nthreshold = 1",
            3,
            "`threshold` must lie strictly between 0 and 1, not 1",
        ),
        (
            "queries = 1\nscores = true\ngamma = 0.3",
            3,
            "0.3 is not, the nearest is 0.3333333333333333",
        ),
        ("queries = 1\nscores = true\ngamma = 2", 3, "2 is not, the nearest is 0.5"),
        ("queries = 1\nscores = true\ngamma = -1", 3, "-1 is not, the nearest is 0.5"),
        (
            "queries = 1\nscores = true\nclasses = [\"a\", \"b\", \"c\"]",
            2,
            "scores are for two classes",
        ),
        ("queries = 1\nscores = 1", 2, "must be true or false, not a number"),
        ("queries = 1\nclasses = [\"a\"]", 2, "at least two classes, not 1"),
        ("queries = 1\nanswer = \"every\"", 2, "it is one of \"sure\", \"all\""),
        ("queries = 1\nanswer = \"all\"\nunstable = 5", 3, "`unstable` is for `answer = \"sure\"`"),
        (
            "queries = 1\nanswer = \"all\"\nmiss = 0.5",
            3,
            "`miss` must be above 0 and below 0.5, not 0.5",
        ),
        ("queries = 1\nconfidence = 0.9", 2, "it goes with `answer = \"all\"`"),
        (
            "queries = 1\nanswer = \"all\"\nscores = true\nconfidence = 0.9",
            4,
            "and not with `scores`",
        ),
        (
            "queries = 1\nanswer = \"all\"\nconfidence = 1",
            3,
            "`confidence` must be above 0.5 and below 1",
        ),
        (
            "queries = 1\nexpected_share = 0.6",
            2,
            "`expected_share` must be above 0 and at most 0.5",
        ),
        ("queries = 1\nprotect = \"label\"", 2, "did you mean `labels`?"),
        ("queries = 1\nqueris = 1", 2, "unknown key `queris` in [vote]; did you mean `queries`?"),
    ] {
        let message = parse(&format!("{ADULT}\n[vote]\n{lines}")).expect_err(lines);
        assert!(
            message.starts_with(&format!("dir/study.toml:{}:", first + line)),
            "{lines}: {message}"
        );
        assert!(message.contains(expected), "{lines}: {message}");
    }
}
