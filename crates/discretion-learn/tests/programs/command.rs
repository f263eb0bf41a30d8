//! Programs as learners: the protocol, and every way to break it.

use crate::common::{outcome, program, rows, schema, two};
use discretion_learn::{AnswerKind, Command, CommandError, learner, train_all};
use discretion_table::{Processes, Study};
use std::path::Path;
use std::time::Duration;

/// A chunk's model is its seed, and what happens follows from it. Nothing is expected to be slow
/// here.
const ENDLESS: f64 = 600.0;

const CHUNK: &str = r#"
case $1 in
train)
    head -n 1 "$2" | grep -q '^age,gain,job,y$' || exit 9
    [ "$(wc -l < "$2")" = 21 ] || exit 9
    [ "$DISCRETION_TARGET" = y ] && [ "$DISCRETION_CLASSES" = 'no
yes' ] || exit 9
    case $4 in
    1) echo working; echo trouble >&2; exit 3 ;;
    2) exit 0 ;;
    3) mkdir "$3"; exit 0 ;;
    4) ln -s /dev/zero "$3"; exit 0 ;;
    5) i=0; while [ $i -lt 3000 ]; do echo "0123456789012345678901234567890123456789 $i"; i=$((i+1)); done; exit 1 ;;
    6) kill -9 $$ ;;
    esac
    echo "$4" > "$3" ;;
predict)
    [ "$(cat "$3" | head -n 1)" = age,gain,job ] || exit 9
    case $(cat "$2") in
    7) exit 1 ;;
    8) printf 'yes\nyes\n' > "$4" ;;
    9) printf 'yes\nyes\nperhaps\n' > "$4" ;;
    10) ;;
    11) printf 'yes\nyes\n\377\n' > "$4" ;;
    12) printf 'yes\nyes\nyes\nyes\n' > "$4" ;;
    13) yes yes | head -n 100000 > "$4" ;;
    *) printf 'yes\nno\nyes\n' > "$4"; echo chatter ;;
    esac ;;
esac
"#;

#[test]
fn every_failure_is_one_chunk_s() {
    let folder = tempfile::tempdir().unwrap();
    let learner = program(folder.path(), CHUNK, Processes::Chunk, ENDLESS, AnswerKind::Classes);
    learner.check().unwrap();
    // Chunks 0, 14 and 15 work. The others vote class 0.
    assert_eq!(outcome(&learner, &two(), 16), (vec![13, 3], 6, 13));
}

#[test]
fn the_custodian_is_told_the_last_lines() {
    let folder = tempfile::tempdir().unwrap();
    let learner = program(folder.path(), CHUNK, Processes::Chunk, ENDLESS, AnswerKind::Classes);
    let trained = train_all(&learner, &rows(16 * 20, &two()).into(), 16, None, &|_| {});
    let failed = trained.failed().into_inner();
    let reason = |chunk| &failed.iter().find(|(number, _)| *number == chunk).unwrap().1;
    assert!(reason(1).contains("exit status: 3") && reason(1).contains("trouble"), "{}", reason(1));
    assert_eq!(reason(2), "the program wrote no file");
    assert!(reason(5).ends_with("2999") && reason(5).len() < 3000, "{}", reason(5));
    assert!(reason(6).contains("signal: 9"), "{}", reason(6));
}

const SERVE: &str = r#"
[ "$1" = serve ] || exit 9
tab=$(printf '\t')
while IFS="$tab" read -r step a b c number; do
    case $step in
    train)
        case $c in
        1) echo "failed $number for a reason"; continue ;;
        2) echo 'whatever'; continue ;;
        3) exit 0 ;;
        4) echo "ok $number"; continue ;;
        5) echo "$c" > "$b"; echo "ok $number"; echo "ok $number"; continue ;;
        esac
        echo "$c" > "$b" ;;
    predict)
        case $(cat "$a") in
        6) echo "failed $number"; continue ;;
        7) printf 'yes\n' > "$c" ;;
        8) kill -9 $$ ;;
        *) printf 'yes\nno\nyes\n' > "$c" ;;
        esac ;;
    esac
    echo "ok $number"
done
"#;

#[test]
fn a_program_that_stays_fails_one_chunk_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let learner = program(folder.path(), SERVE, Processes::Shared, ENDLESS, AnswerKind::Classes);
    // Chunks 0, 5, 9, 10 and 11 work; 5 says too much, and its process is replaced.
    assert_eq!(outcome(&learner, &two(), 12), (vec![7, 5], 4, 7));
}

#[test]
fn hanging_programs_are_ended_with_their_children() {
    // Long enough for a shell to come as far as its child on a machine with little to spare.
    let hang = "sleep 1000 & echo $! > child-$$; echo waiting; wait";
    let folder = tempfile::tempdir().unwrap();
    for (processes, text) in
        [(Processes::Chunk, hang.to_owned()), (Processes::Shared, format!("read line; {hang}"))]
    {
        let learner = program(folder.path(), &text, processes, 3.0, AnswerKind::Classes);
        assert_eq!(outcome(&learner, &two(), 2), (vec![2, 0], 2, 2));
    }
    let mut children = 0;
    for file in std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap()) {
        if file.file_name().to_string_lossy().starts_with("child-") {
            let child = std::fs::read_to_string(file.path()).unwrap();
            assert!(!is_running(child.trim()), "{child}");
            children += 1;
        }
    }
    assert!(children > 0, "some program came as far as starting a child");
}

/// Dead and not yet reaped counts as dead.
fn is_running(process: &str) -> bool {
    let state =
        std::process::Command::new("ps").args(["-o", "stat=", "-p", process]).output().unwrap();
    let state = String::from_utf8(state.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

#[test]
fn scores_are_numbers_from_0_to_1() {
    let text = r#"
[ "$DISCRETION_ANSWERS" = scores ] || exit 9
if [ "$1" = train ]; then echo "$4" > "$3"; exit; fi
case $(cat "$2") in
0) printf '0\n0.25\n1\n' > "$4" ;;
1) printf '0.5\n0.5\n0.5\n' > "$4" ;;
2) printf '0.5\n0.5\nNaN\n' > "$4" ;;
3) printf '0.5\n1.5\n0.5\n' > "$4" ;;
esac
"#;
    let folder = tempfile::tempdir().unwrap();
    let learner = program(folder.path(), text, Processes::Chunk, ENDLESS, AnswerKind::Scores);
    let trained = train_all(&learner, &rows(80, &two()).into(), 4, None, &|_| {});
    let scores = trained.scores(&learner, &rows(3, &two()).without_classes(), &|_| {}).unwrap();
    assert_eq!(scores.failed().into_inner(), 2);
    let of = |query| scores.scores(query).not_private().into_inner();
    assert_eq!(
        (of(0), of(1), of(2)),
        (vec![0.0, 0.5, 0.0, 0.0], vec![0.25, 0.5, 0.0, 0.0], vec![1.0, 0.5, 0.0, 0.0])
    );
}

#[test]
fn a_program_that_is_not_there_is_known_before_anything_else() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plain.txt"), "").unwrap();
    let check = |name: &str| {
        let (command, timeout) = ([name.to_owned()], Duration::from_secs(1));
        Command::new(
            &command,
            Processes::Chunk,
            timeout,
            folder.path(),
            &schema(),
            &two(),
            AnswerKind::Classes,
        )
        .unwrap()
        .check()
    };
    assert_eq!(check("sh"), Ok(()));
    for missing in ["no-such-program-anywhere", "./no-such-file", "/no/such/file", "."] {
        assert_eq!(check(missing), Err(CommandError::NotFound(missing.to_owned())));
    }
    assert!(matches!(check("./plain.txt"), Err(CommandError::NotExecutable(_))));
}

#[test]
fn a_study_names_its_learner() {
    let folder = tempfile::tempdir().unwrap();
    let study = |learner: &str| {
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
             [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\nage = {{ min = 0, max = 100 }}\n\
             gain = {{ min = 0, max = 1000 }}\njob = {{ values = [\"clerk\", \"nurse\"] }}\n\
             [vote]\nqueries = 3\nlearner = {learner}\n"
        );
        Study::parse(&folder.path().join("study.toml"), &text).unwrap()
    };
    std::fs::write(folder.path().join("own.sh"), CHUNK).unwrap();
    for (name, votes) in [
        ("\"logistic\"", vec![1, 0]),
        ("\"trees\"", vec![1, 0]),
        ("{ command = [\"sh\", \"own.sh\"] }", vec![0, 1]),
    ] {
        let study = study(name);
        let vote = study.vote.as_ref().unwrap();
        let learner = learner(&study, vote).unwrap();
        assert_eq!(outcome(&*learner, &vote.classes, 1), (votes, 0, 0), "{name}");
    }
    let missing = study("{ command = [\"./other.sh\"] }");
    let refusal = learner(&missing, missing.vote.as_ref().unwrap()).err().unwrap().to_string();
    assert!(refusal.starts_with("there is no program `./other.sh`"), "{refusal}");
}

#[test]
fn the_example_in_awk_learns() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/learners");
    let (command, timeout) = (["./nearest_mean.sh".to_owned()], Duration::from_secs_f64(ENDLESS));
    let learner = Command::new(
        &command,
        Processes::Chunk,
        timeout,
        &folder,
        &schema(),
        &two(),
        AnswerKind::Classes,
    )
    .unwrap();
    learner.check().unwrap();
    let trained = train_all(&learner, &rows(300, &two()).into(), 5, None, &|_| {});
    let queries = rows(60, &two());
    let votes =
        trained.votes(&learner, &two(), &queries.clone().without_classes(), &|_| {}).unwrap();
    assert_eq!(votes.failed().into_inner(), 0);
    let right = |query: &usize| {
        let counts = votes.counts(*query).not_private().into_inner();
        (counts[1] > counts[0]) == (queries.classes()[*query] == 1)
    };
    let right = (0..60).filter(right).count();
    assert!(right >= 54, "{right} of 60");
}
