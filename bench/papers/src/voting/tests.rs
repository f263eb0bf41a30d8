use super::methods::{self, Method};
use super::sessions::Setting;
use crate::{Options, voting};
use discretion::noise::Seeded;

fn quick() -> Options {
    Options { data: None, quick: true, seed: 3 }
}

#[test]
fn the_short_form_runs_and_answers_what_is_clear() {
    let results = voting::run(&quick(), &|_, _| {}).unwrap();
    let json: serde_json::Value = serde_json::from_str(&results.json).unwrap();
    let ours: Vec<&serde_json::Value> = json["tables"][0]["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["method"] == "ours")
        .collect();
    assert_eq!(ours.len(), 2);
    for line in ours {
        assert!(line["right"].as_f64().unwrap() > 0.9, "{line}");
    }
    for line in json["tables"][0]["all"].as_array().unwrap() {
        assert_eq!(line["answered"], 1.0, "{line}");
        assert!(line["right"].as_f64().unwrap() > 0.85, "{line}");
    }
    assert!(json["rare"]["auc"].as_f64().unwrap() > 0.75, "{}", json["rare"]);
    assert!(results.figures[0].1.starts_with("<svg"));
}

/// With the constants of the paper nothing can be answered where the library answers everything.
#[test]
fn the_printed_noise_drowns_votes_that_ours_can_read() {
    let setting = Setting::planned(1.0, 100, 5, 100_000);
    let votes = vec![vec![0, setting.chunks as u32]; 100];
    let told = |method| methods::labels(method, &setting, &votes, &mut Seeded::new(1));
    assert!(told(Method::Ours).iter().all(|label| *label == Some(1)));
    assert!(told(Method::PrintedCorrected).iter().all(Option::is_none));
    assert_eq!(told(Method::NoisyMax).iter().filter(|label| **label == Some(1)).count(), 100);
}
