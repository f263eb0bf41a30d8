//! Refusals in the words of the page. Jobs speak to whoever types commands; here there are fields
//! and boxes instead of flags.

use discretion::{Refusal, Remedy};

/// The sentence for the page, and the boxes that it can offer.
pub fn on_page(refusal: &Refusal) -> (String, Vec<&'static str>) {
    let boxes = refusal.remedies().iter().filter_map(|remedy| its_box(*remedy)).collect();
    (refusal.said_with(field, said), boxes)
}

/// What is asked for on the page.
fn field(argument: &str) -> String {
    match argument {
        "gammas" => "the file of widths",
        "column" => "columns",
        "keep" => "the columns to copy",
        "threshold" => "the threshold",
        other => other,
    }
    .to_owned()
}

/// The box that allows what looks like a mistake.
fn its_box(remedy: Remedy) -> Option<&'static str> {
    match remedy {
        Remedy::RowsChanged => Some("rows_changed"),
        Remedy::SecondAccount => Some("second_account"),
        Remedy::PayAgain => Some("again"),
        Remedy::AcceptFindings => Some("accept_check"),
        Remedy::NewSession => Some("new"),
        _ => None,
    }
}

fn said(remedy: Remedy) -> Option<String> {
    let said = match remedy {
        Remedy::Reuse => "what that released is in the folder of that run",
        Remedy::PayAgain => "tick its box to pay for another result",
        Remedy::RowsChanged => "tick its box if these are newer rows of the same table",
        Remedy::SecondAccount => "tick its box if this account is meant",
        Remedy::AcceptFindings => {
            "the custodian's look shows more; if all is as it should be, tick its box"
        }
        Remedy::NewSession => "tick its box to open another session at its full price",
        Remedy::NameLedger => "name another file for it when you start `discretion studio`",
        Remedy::SayDelimiter(_) => "choose the separator",
        // Nothing is overwritten from the page, and its form has a field for what may be spent.
        Remedy::Overwrite | Remedy::OverwriteAndPay | Remedy::SaySpend => return None,
        Remedy::AnotherFolder
        | Remedy::AnotherStudentFolder
        | Remedy::AnotherFile
        | Remedy::NameQueries
        | Remedy::NoQueries
        | Remedy::AccountsCap => return Some(remedy.to_string()),
    };
    Some(said.to_owned())
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
        "--dry-run",
        "--json",
        "--from-data",
        "--set {}",
    ];

    #[test]
    fn what_allows_something_is_a_box() {
        let over = Refusal::refused("this session is over").or(Remedy::NewSession);
        let there = Refusal::refused("m.json: this file exists already")
            .or(Remedy::AnotherFolder)
            .or(Remedy::Overwrite);
        let (sentence, boxes) = on_page(&over);
        assert!(sentence.starts_with("this session is over; tick its box"), "{sentence}");
        assert_eq!(boxes, ["new"]);
        assert_eq!(
            on_page(&there),
            ("m.json: this file exists already; choose another folder".to_owned(), Vec::new())
        );
        let (sentence, _) = on_page(&Refusal::bad_input("2 is none").about("threshold"));
        assert_eq!(sentence, "the threshold: 2 is none");
    }

    /// Looks at every text in the crates that jobs are made of: what helps is a [`Remedy`], and no
    /// sentence names a flag.
    #[test]
    fn no_refusal_on_the_page_names_a_flag() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut folders: Vec<_> = ["jobs", "ledger", "disk", "table", "formats"]
            .map(|name| crates.join(format!("discretion-{name}/src")))
            .into();
        // The page is lent this command.
        folders.push(crates.join("discretion-cli/src/commands/answer"));
        let mut texts = 0;
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
                        texts += 1;
                        assert!(!has_flag(&line), "{}: {line}", path.display());
                    }
                }
            }
        }
        assert!(texts > 1000, "{texts} were found, and there are more");
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
