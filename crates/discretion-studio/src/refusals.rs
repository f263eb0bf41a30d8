//! Refusals in the words of the page. Jobs speak to whoever types commands; here there are fields
//! and boxes instead of flags.

use discretion::Refusal;

/// Flags that allow what looks like a mistake, and the box that does it here.
const BOXES: [(&str, &str); 5] = [
    ("--rows-changed", "rows_changed"),
    ("--second-account", "second_account"),
    ("--again", "again"),
    ("--accept-check", "accept_check"),
    ("--new", "new"),
];

/// What is said on a command line, and what is said here. The first that fits comes first.
const WORDS: [(&str, &str); 27] = [
    ("say --delimiter", "choose the separator"),
    (", or say --force if that is what you want", ""),
    (", or overwrite it with --force", ""),
    (", or say --force;", ";"),
    (" with --student", ""),
    (" with --out", ""),
    ("`discretion check` with the study file shows more", "the custodian's look shows more"),
    ("say --reuse; or --again to pay", "it is in the folder of that run; or tick its box to pay"),
    ("say --rows-changed", "tick its box"),
    ("say --second-account", "tick its box"),
    ("say --accept-check", "tick its box"),
    ("say --again", "tick its box"),
    ("with --ledger or DISCRETION_LEDGER", "when you start `discretion studio`"),
    ("with --ledger", "when you start `discretion studio`"),
    (", or give a command --epsilon 1.0", ""),
    (" (`discretion answer --new`)", ""),
    (
        "open another session at its full price with --new",
        "tick its box to open another session at its full price",
    ),
    (
        "--new opens another session at its full price",
        "Tick its box to open another one at its full price",
    ),
    ("say --queries FILE: the public points", "name a file of queries: the public points"),
    ("leave --queries out", "leave the file of queries out"),
    ("--gammas is for", "widths are for"),
    ("--answer all", "an answer to every query"),
    ("`discretion plan vote study.toml` says", "the plan says"),
    ("--column: ", "columns: "),
    ("--keep", "the columns to copy"),
    ("--threshold", "the threshold"),
    (" --dry-run` counts", "` counts"),
];

/// The sentence for the page, and the boxes that it can offer.
pub fn on_page(refusal: &Refusal) -> (String, Vec<&'static str>) {
    let said = refusal.to_string();
    let boxes =
        BOXES.iter().filter(|(flag, _)| said.contains(flag)).map(|(_, name)| *name).collect();
    (in_words(&said), boxes)
}

/// Any sentence for the page.
pub fn in_words(said: &str) -> String {
    WORDS.iter().fold(said.to_owned(), |said, (command, page)| said.replace(command, page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// What the page never asks for, or what is not said to anybody at it.
    const ELSEWHERE: [&str; 10] = [
        "--memory",
        "--not-private",
        "--with-lambda",
        "--features",
        "--rows N",
        "--persons N",
        "--json",
        "--from-data",
        "--set {}",
        // A flag that others put into their sentences.
        "\"--new\"",
    ];

    #[test]
    fn a_session_that_is_over_offers_another() {
        for said in [
            "Put the old table back, or open another session at its full price with --new",
            "there is no answer to write. --new opens another session at its full price. Nothing was charged.",
        ] {
            let (sentence, allow) = on_page(&Refusal::refused(said));
            assert!(!has_flag(&sentence) && sentence.contains("ick its box"), "{sentence}");
            assert_eq!(allow, ["new"]);
        }
    }

    /// Looks at every text in the crates that jobs are made of, so that a new sentence with a flag
    /// needs its words here.
    #[test]
    fn no_refusal_on_the_page_names_a_flag() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut folders: Vec<_> = ["jobs", "ledger", "disk", "table", "formats"]
            .map(|name| crates.join(format!("discretion-{name}/src")))
            .into();
        // The page is lent this command.
        folders.push(crates.join("discretion-cli/src/commands/answer"));
        let mut flags = 0;
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.ends_with("tests") {
                    // What is said there is said to us.
                } else if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs")
                    && !path.ends_with("tests.rs")
                {
                    for line in sentences(&fs::read_to_string(&path).unwrap()) {
                        flags += usize::from(has_flag(&line));
                        assert!(!has_flag(&in_words(&line)), "{}: {line}", path.display());
                    }
                }
            }
        }
        assert!(flags > 8, "{flags} were found, and there are more");
    }

    /// Lines with a text in them, those that go on in the next line as one; not comments.
    fn sentences(source: &str) -> Vec<String> {
        let mut joined = String::new();
        for line in source.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            match line.strip_suffix('\\') {
                Some(beginning) => joined.push_str(beginning),
                None => joined.push_str(&format!("{line}\n")),
            }
        }
        let texts = joined.lines().filter(|line| line.contains('"'));
        texts
            .filter(|line| !ELSEWHERE.iter().any(|known| line.contains(known)))
            .map(str::to_owned)
            .collect()
    }

    fn has_flag(said: &str) -> bool {
        said.split("--").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
    }
}
