//! What a study file says about several holders: who they are, the plan of their sums, the charter
//! that everybody must share.

use discretion::Refusal;
use discretion::choose::split::{is_share, validation_rows};
use discretion::joint::{Holders, JointError, Plan, Sharing, Stepping, Wanted};
use discretion_formats::LambdaFrom;
use discretion_jobs::identity::{self, canonical, earlier};
use discretion_jobs::joint::{JointEvaluation, Public};
use discretion_jobs::request;
use discretion_jobs::support::{self, Feature, features_of};
use discretion_party::wire::{Charter, Member};
use discretion_table::{EvaluateSettings, Lambda, ModelSettings, PartySettings, StepChoice, Study};
use serde_json::json;

/// The holders of a study and how they share sums, as far as mathematics goes.
pub struct StudyHolders {
    pub names: Vec<String>,
    pub rows: Vec<usize>,
    pub sharing: Sharing,
    pub step: StepChoice,
}

/// Refuses what several holders cannot do together, before anything is read.
pub fn check(study: &Study, step: StepChoice) -> Result<(), Refusal> {
    let step = match step {
        StepChoice::Auto => None,
        StepChoice::Newton => Some(Feature::NewtonStep),
        StepChoice::None => Some(Feature::NoStep),
    };
    let also: Vec<Feature> = step.into_iter().chain([Feature::Holders]).collect();
    support::check(&features_of(study, &also))
}

/// Fixes every public number of a joint study that was checked.
pub fn plan(study: &Study, holders: &StudyHolders) -> Result<Plan, Refusal> {
    let at = |sentence: String| Refusal::bad_input(format!("{}: {sentence}", study.path.display()));
    let lambda = match study.model.lambda {
        Lambda::Auto => None,
        Lambda::Fixed(lambda) => Some(lambda),
        Lambda::Grid(_) => unreachable!("a list was refused"),
    };
    let step = match (holders.step, &study.intervals) {
        (_, Some(_)) => Stepping::ForIntervals,
        (StepChoice::Auto, None) => Stepping::Auto,
        (StepChoice::Newton, None) => Stepping::Always,
        (StepChoice::None, None) => Stepping::Never,
    };
    request::check_budget(study)?;
    let layout = study.schema.encoder().layout();
    let wanted = Wanted {
        loss: study.model.loss,
        lambda,
        sharing: holders.sharing,
        budget: study.spend,
        step,
    };
    let refused = |error: JointError| at(error.to_string());
    // What is held out of each holder's rows, by position, does not train.
    let share = study.evaluate.as_ref().map(|settings| settings.share);
    let held_out: Vec<usize> = holders
        .rows
        .iter()
        .map(|&rows| share.map_or(0, |share| validation_rows(rows, share)))
        .collect();
    let training: Vec<usize> =
        holders.rows.iter().zip(&held_out).map(|(all, out)| all - out).collect();
    let sizes = Holders::new(&training, layout.dimension(), layout.row_terms()).map_err(refused)?;
    let sizes = if study.schema.unit().is_row() { sizes } else { sizes.of_persons() };
    let sizes = match study.schema.target().labels.several() {
        Some(classes) => sizes.of_classes(classes),
        None => sizes,
    };
    // Intervals follow from the moments of columns that are known; other studies need not say them.
    let sizes = match study.intervals {
        Some(_) => sizes.of_columns(&layout.columns(), &layout.column_entries()),
        None => sizes,
    };
    let plan = wanted.joint(&sizes).and_then(|joint| joint.plan(&sizes)).map_err(refused)?;
    match evaluation(study)? {
        Some(evaluation) => plan.evaluated_on(&held_out, evaluation.groups()).map_err(refused),
        None => Ok(plan),
    }
}

/// What is evaluated, if the study says so.
pub fn evaluation(study: &Study) -> Result<Option<JointEvaluation>, Refusal> {
    let Some(settings) = &study.evaluate else { return Ok(None) };
    if !is_share(settings.share) {
        let sentence =
            format!("[evaluate] share = {}: it rounds to all rows or none", settings.share);
        return Err(Refusal::bad_input(sentence));
    }
    JointEvaluation::new(&study.schema, study.model.loss, settings).map(Some)
}

/// What is public about the study besides its plan.
pub fn public<'s>(study: &'s Study, holders: &StudyHolders) -> Result<Public<'s>, Refusal> {
    Ok(Public {
        schema: &study.schema,
        names: holders.names.clone(),
        lambda_from: match study.model.lambda {
            Lambda::Fixed(_) => LambdaFrom::Study,
            Lambda::Auto | Lambda::Grid(_) => LambdaFrom::Auto,
        },
        intervals: study.intervals.clone().unwrap_or_default(),
        evaluation: evaluation(study)?,
    })
}

/// The `[party]` table of a study.
fn party_settings(study: &Study) -> Result<(&PartySettings, StudyHolders), Refusal> {
    let at = |sentence: String| Refusal::bad_input(format!("{}: {sentence}", study.path.display()));
    let missing = "there is no [party] table; add one with everybody's key and number of rows (docs/parties.md)";
    let party = study.party.as_ref().ok_or_else(|| at(missing.to_owned()))?;
    let sharing = Sharing::new(party.aggregators.len(), party.colluders);
    let holders = StudyHolders {
        names: party.holders.iter().map(|holder| holder.name.clone()).collect(),
        rows: party.holders.iter().map(|holder| holder.rows).collect(),
        sharing: sharing.map_err(|error| at(error.to_string()))?,
        step: party.step,
    };
    Ok((party, holders))
}

/// What everybody has to agree on. Where the table is, who pays and its cap are everyone's own
/// business.
pub fn charter(study: &Study) -> Result<(Charter, StudyHolders), Refusal> {
    let (party, holders) = party_settings(study)?;
    check(study, holders.step)?;
    let plan = plan(study, &holders)?;
    let bad = |whose: &str, why: String| {
        Refusal::bad_input(format!(
            "{}: the key of {whose} in [party]: {why}",
            study.path.display()
        ))
    };
    let coordinator = party.coordinator.parse().map_err(|why| bad("the coordinator", why))?;
    let mut members: Vec<Member> = Vec::new();
    for holder in &party.holders {
        let key = holder.key.parse().map_err(|why| bad(&holder.name, why))?;
        if key == coordinator || members.iter().any(|member| member.key == key) {
            return Err(bad(
                &holder.name,
                "somebody else has it too; everybody needs their own".to_owned(),
            ));
        }
        members.push(Member { name: holder.name.clone(), key });
    }
    let public = public_settings(study, &holders, party);
    let earlier = earlier_settings(study, &holders, party);
    let charter = Charter::new(coordinator, members, party.aggregators.clone(), plan, &public);
    Ok((charter.known_earlier_by(&earlier), holders))
}

/// The sections of a study that all holders must share, each as bytes.
fn public_settings(
    study: &Study,
    holders: &StudyHolders,
    party: &PartySettings,
) -> [(&'static str, Vec<u8>); 6] {
    let ModelSettings { loss, lambda, method } = &study.model;
    let evaluate = |EvaluateSettings { share, by }: &EvaluateSettings| json!([share, by]);
    let step = match party.step {
        StepChoice::Auto => "auto",
        StepChoice::Newton => "newton",
        StepChoice::None => "none",
    };
    let run = json!({
        "rows": holders.rows,
        "colluders": party.colluders,
        "step": step,
        "run": party.run,
    });
    [
        ("the target in [data], [columns] or `norm`", json!(study.schema)),
        ("[spend]", json!(study.spend)),
        ("[model]", json!({ "loss": loss, "lambda": lambda, "method": method })),
        ("[intervals]", json!(study.intervals.as_ref().map(identity::intervals))),
        ("[evaluate]", json!(study.evaluate.as_ref().map(evaluate))),
        ("[party]", run),
    ]
    .map(|(name, value)| (name, canonical(&value).into_bytes()))
}

/// The bytes that builds before version 2 of names hashed in place of these.
fn earlier_settings(
    study: &Study,
    holders: &StudyHolders,
    party: &PartySettings,
) -> [(&'static str, Vec<u8>); 6] {
    let json = |value: serde_json::Result<Vec<u8>>| value.expect("a study is plain data");
    let (rows, colluders, run) = (&holders.rows, party.colluders, party.run);
    [
        ("the target in [data], [columns] or `norm`", json(serde_json::to_vec(&study.schema))),
        ("[spend]", json(serde_json::to_vec(&study.spend))),
        ("[model]", json(serde_json::to_vec(&study.model))),
        ("[intervals]", earlier::intervals(study.intervals.as_ref()).into_bytes()),
        ("[evaluate]", earlier::evaluate(study.evaluate.as_ref()).into_bytes()),
        (
            "[party]",
            format!("{rows:?} {colluders:?} {} {run}", earlier::step(party.step)).into_bytes(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn study(settings: &str, party: &str) -> Study {
        let key = |digit: &str| format!("dpk_{}", digit.repeat(64));
        let (coordinator, north, south) = (key("1"), key("2"), key("3"));
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"dead\"\npositive = \"yes\"\nnegative = \"no\"\n\
             [budget]\nepsilon = 9\ndelta = 1e-5\n[spend]\nepsilon = 4\ndelta = 1e-6\n[columns]\nage = {{ min = 0, max = 100 }}\n\
             ward = {{ values = [\"a\", \"b\"] }}\n{settings}[party]\ncoordinator = \"{coordinator}\"\n\
             holders = {{ north = {{ rows = 20000, key = \"{north}\" }}, south = {{ rows = 30000, key = \"{south}\" }} }}\n{party}"
        );
        Study::parse(Path::new("study.toml"), &text).unwrap()
    }

    /// What a holder's journal was and is found by. Another name loses what was paid for.
    #[test]
    fn names_of_joint_studies_stay() {
        let more = "[model]\nlambda = 0.01\n[intervals]\nlevel = 0.9\n[evaluate]\nshare = 0.2\nby = \"ward\"\n";
        let pinned = [
            (
                "",
                "",
                [
                    "328d1c243addd4d2c331f75731e561371f329ba394602f54a8d554a57ab423e4",
                    "50736bb5d88b9e44823ec9b8d5ab4003df84b2dd19eec6668608587bb0ee06ab",
                ],
            ),
            (
                more,
                "step = \"newton\"\nrun = 2\n",
                [
                    "5da03292340ed2ebf7e3402391571bddc0de23418cc5ea7448b21437d475cd06",
                    "7cdc22aabfb46358f4ade015b62679738f93958db5fe1b396eb3078caf7bd7a6",
                ],
            ),
        ];
        for (settings, party, names) in pinned {
            let (charter, _) = charter(&study(settings, party)).unwrap();
            let found = charter.journal_name(1);
            let found: Vec<&str> = found.all().collect();
            assert_eq!(found, names.map(|name| format!("party {name} south")));
        }
    }
}
