//! Programs that stay, `processes = "shared"`: what one chunk makes such a program do, now or
//! later, is that chunk's alone.

use crate::common::{program, rows, two};
use discretion_learn::{AnswerKind, train_all};
use discretion_table::Processes;
use std::collections::HashSet;

/// A chunk's model is its seed, and its score follows from it, so that chunks that were mixed up
/// are seen. `MISDEED` is what chunk 3 does after it has written its model. `$late` is said when
/// the next request has come and its model is half done, which only the number tells from a whole
/// one; the process is ended then, and does not sleep.
const SERVE: &str = r#"
tab=$(printf '\t')
late=
while IFS="$tab" read -r step a b c number; do
    echo "$$" >> processes
    if [ -n "$late" ]; then
        echo 9 > "$b"
        echo "$late"
        late=
        sleep 5
    fi
    case $step in
    train)
        echo "$c" > "$b"
        if [ "$c" = 3 ]; then
            MISDEED
        fi ;;
    predict) s=0.1$(cat "$a"); printf '%s\n%s\n%s\n' "$s" "$s" "$s" > "$c" ;;
    esac
    echo "ok $number"
done
"#;

const CHUNKS: usize = 8;

/// The chunks' scores, and how many processes there were. One thread: each chunk has the process of
/// the one before it, so that nothing here depends on time.
fn scores(misdeed: &str) -> (Vec<f32>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let text = SERVE.replace("MISDEED", misdeed);
    let learner = program(folder.path(), &text, Processes::Shared, 600.0, AnswerKind::Scores);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let scores = one.install(|| {
        let trained = train_all(&learner, &rows(20 * CHUNKS, &two()).into(), CHUNKS, None, &|_| {});
        trained.scores(&learner, &rows(3, &two()).without_classes(), &|_| {}).unwrap()
    });
    let processes = std::fs::read_to_string(folder.path().join("processes")).unwrap();
    (scores.scores(2).not_private().into_inner(), processes.lines().collect::<HashSet<_>>().len())
}

fn all() -> Vec<f32> {
    (0..CHUNKS).map(|chunk| format!("0.1{chunk}").parse().unwrap()).collect()
}

#[test]
fn one_process_serves_all_chunks() {
    assert_eq!(scores(":"), (all(), 1));
}

#[test]
fn what_comes_after_the_answer_costs_no_vote() {
    let long = "head -c 200000 /dev/zero | tr '\\0' x";
    for misdeed in [
        // A second line at once, or when the next chunk's request has come.
        "echo \"ok $number\"",
        "late=\"ok $number\"",
        "late=\"failed $number late\"",
        "late=ok",
        "late=chatter",
        "late=\"$number\"",
        "echo \"ok $number\"; echo \"failed $number\"; continue",
        // Half a line, which the next answer would complete; no end of a line.
        "echo \"ok $number\"; printf half; continue",
        &format!("echo \"ok $number\"; {long}; continue"),
        // The end.
        "echo \"ok $number\"; exit 0",
        "echo \"ok $number\"; kill -9 $$",
    ] {
        // The chunk itself was answered; the next one is given a second process.
        assert_eq!(scores(misdeed), (all(), 2), "{misdeed}");
    }
}

#[test]
fn a_wrong_answer_costs_the_chunk_s_own_vote() {
    let long = "head -c 200000 /dev/zero | tr '\\0' x";
    let mut without = all();
    without[3] = 0.0;
    for misdeed in [
        "echo \"failed $number\"; continue",
        "echo \"failed $number for a reason\"; continue",
        // Cut off, the rest of it would be the next answer.
        &format!("printf \"failed $number \"; {long}; echo; continue"),
        &format!("printf \"ok $number \"; {long}; echo; continue"),
        "echo ok; continue",
        "echo \"ok $((number - 1))\"",
        "echo \"ok $((number + 1))\"",
        "echo \"ok $number \"; continue",
        "echo \"ok $number$number\"; continue",
        "echo",
        // It breaks off.
        "printf \"ok $number\"; exit 0",
        "exit 0",
        "rm \"$b\"",
    ] {
        // The one that served chunks 0 to 2, a new one for chunk 3, which fails as well, and one
        // for the rest.
        assert_eq!(scores(misdeed), (without.clone(), 3), "{misdeed}");
    }
}
