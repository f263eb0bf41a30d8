//! `discretion dossier`.

use crate::outputs::keep_words;
use crate::workspace::{STUDY, Workspace};

const ABOUT: &str = "\n[about]\ncurators = \"A hospital\"\nintended_use = \"beds\"\nregion = \"Nowhere\"\nlegal_basis = \"consent\"\n\
                     contact = \"ann@example.org\"\nauthors = [\"Ann\", \"Bob\"]\npublication_date = \"2026-01-31\"\n";

/// Writes the dossier of a model and looks at what every dossier has: all files, and audits by
/// names that `audit` knows.
pub fn is_whole(workspace: &Workspace, model: &str, out: &str) -> String {
    workspace.run(&["dossier", model, "--out", out]).succeeds();
    for file in ["registry.yaml", "dossier.html", "for-everyone.html", "ledger.json"] {
        assert!(!workspace.read(&format!("{out}/{file}")).is_empty(), "{file}");
    }
    let controls = workspace.json(&format!("{out}/disclosure-controls.json"));
    let checks = controls["checks"].as_array().unwrap().iter().map(|check| check.as_str().unwrap());
    let mechanisms: Vec<&str> =
        checks.filter_map(|check| check.strip_prefix("discretion audit --mechanism ")).collect();
    assert!(!mechanisms.is_empty(), "{controls}");
    #[cfg(feature = "audit")]
    for name in &mechanisms {
        assert!(
            discretion::audit::shipped::Shipped::named(name).is_some(),
            "there is no audit of {name}"
        );
    }
    mechanisms.join(" ")
}

#[test]
fn a_dossier_is_made_of_the_model_the_ledger_and_what_people_say() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml"]).succeeds();
    let asks = workspace.run(&["dossier", "study/model.json", "--out", "open"]).succeeds();
    assert!(
        asks.stdout.contains("to be said: on what legal basis the rows are used (`legal_basis`"),
        "{}",
        asks.stdout
    );
    keep_words("dossier.txt", &asks.stdout);

    workspace.write("study.toml", STUDY.to_owned() + ABOUT);
    let made = ["dossier", "study/model.json", "--study", "study.toml", "--out", "dossier"];
    let run = workspace.run(&made).succeeds();
    assert!(!run.stdout.contains("to be said"), "{}", run.stdout);
    let yaml = workspace.read("dossier/registry.yaml");
    assert!(
        yaml.contains("publication_date: \"2026-01-31\"") && yaml.contains("epsilon: 1.0"),
        "{yaml}"
    );
    let extract = workspace.json("dossier/ledger.json");
    let head = extract["head"].as_str().unwrap();
    assert_eq!(
        extract["charge_of_this_model"],
        workspace.json("study/model.json")["ledger"]["charge"]
    );
    // What the page tells to run finds the ledger sound.
    let page = workspace.read("dossier/dossier.html");
    assert!(page.contains(head) && page.contains("NIST SP 800-226"), "{page}");
    workspace.run(&["ledger", "verify", "--noted", head]).succeeds();
    let everyone = workspace.read("dossier/for-everyone.html");
    assert!(everyone.contains("What this means for you"), "{everyone}");
    let controls = workspace.json("dossier/disclosure-controls.json");
    assert_eq!(controls["to_be_said"].as_array().unwrap().len(), 0);
    assert_eq!(controls["ledger_head"], head);

    workspace.run(&made).fails(1, "").says("--force");
    workspace.run(&["dossier", "t.csv"]).fails(2, "");
    workspace.write("study.toml", STUDY.to_owned() + &ABOUT.replace("2026-01-31", "31.1.2026"));
    workspace.run(&made).fails(2, "").says("2026-01-31");
}
