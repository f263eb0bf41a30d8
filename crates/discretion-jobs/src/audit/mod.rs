//! Audits as they are shown: what was audited, under which claim, and what was found.

mod stoppable;
mod text;

use discretion::audit::exact::ExactFinding;
use discretion::audit::shipped::{AUDITED_DELTA, Shipped};
use discretion::audit::{AuditError, Claim, Finding, Mechanism, Settings, Verdict, audit};
use discretion::privacy::Budget;
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use stoppable::Stoppable;

/// One line of the result. The order of the fields is the order in the JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    mechanism: String,
    budget: Budget,
    /// The neighbouring tables, in words.
    neighbours: String,
    #[serde(flatten)]
    found: Found,
    /// The bound as a share of the claimed ε.
    share: f64,
    /// Why the share stays below 1, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    ceiling: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "lowercase")]
enum Found {
    Sampling(Finding),
    Law(ExactFinding),
}

/// What an audit found, line by line.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    lines: Vec<Line>,
    settings: Settings,
}

/// Who watches an audit, and may stop it.
pub struct Watch<'w> {
    /// Told how many of how many runs are done.
    pub progress: &'w (dyn Fn(usize, usize) + Sync),
    /// Set from elsewhere.
    pub stop: &'w AtomicBool,
}

/// The mechanisms of the library that are to be audited.
#[derive(Clone, Debug, PartialEq)]
pub struct Shipment {
    /// Which, each under a budget.
    pub cases: Vec<(Shipped, Budget)>,
    /// The rows of the neighbouring tables, if nobody wants the mechanism's own number.
    pub rows: Option<usize>,
    /// No runs: compare the exact laws, where they can be written down.
    pub exact: bool,
}

impl Shipment {
    /// This mechanism, or all; under this budget, or under one of each kind that it takes.
    pub fn new(mechanism: Option<Shipped>, budget: Option<Budget>) -> Shipment {
        let mechanisms = mechanism.map_or(Shipped::ALL.to_vec(), |one| vec![one]);
        let each = |shipped: Shipped| {
            let budgets = budget.map_or_else(|| shipped.budgets(), |budget| vec![budget]);
            budgets.into_iter().map(move |budget| (shipped, budget))
        };
        Shipment {
            cases: mechanisms.into_iter().flat_map(each).collect(),
            rows: None,
            exact: false,
        }
    }

    /// Audits them. There is no line for a law that cannot be written down.
    pub fn audit(&self, settings: Settings, watch: &Watch<'_>) -> Result<Audit, AuditError> {
        settings.check()?;
        let mut lines = Vec::new();
        for (place, &(shipped, budget)) in self.cases.iter().enumerate() {
            let case = shipped.case(budget, self.rows.unwrap_or(shipped.default_rows()))?;
            let (found, share) = if self.exact {
                stoppable::go_on(watch.stop)?;
                let Some(exact) = case.exact else { continue };
                let finding = exact.finding(case.claim);
                (Found::Law(finding), finding.epsilon / case.claim.epsilon)
            } else {
                let progress =
                    |done, of| (watch.progress)(place * of + done, self.cases.len() * of);
                let watch = Watch { progress: &progress, stop: watch.stop };
                let finding = sampled(&*case.mechanism, case.claim, settings, &watch)?;
                let share = finding.share();
                (Found::Sampling(finding), share)
            };
            lines.push(Line {
                mechanism: shipped.name().to_owned(),
                budget,
                neighbours: case.neighbours.to_owned(),
                found,
                share,
                ceiling: case.ceiling,
            });
        }
        Ok(Audit { lines, settings })
    }
}

impl Audit {
    /// Audits somebody's own mechanism, whose neighbouring tables are called so.
    pub fn of(
        mechanism: &dyn Mechanism,
        name: &str,
        neighbours: String,
        budget: Budget,
        settings: Settings,
        watch: &Watch<'_>,
    ) -> Result<Audit, AuditError> {
        let finding = sampled(mechanism, Claim::of(budget, AUDITED_DELTA), settings, watch)?;
        let line = Line {
            mechanism: name.to_owned(),
            budget,
            neighbours,
            share: finding.share(),
            found: Found::Sampling(finding),
            ceiling: None,
        };
        Ok(Audit { lines: vec![line], settings })
    }

    /// The same on one thread, which nothing else uses: for a mechanism that is not to run beside
    /// itself, or that waits for work on all cores.
    pub fn one_by_one(
        mechanism: &dyn Mechanism,
        name: &str,
        neighbours: String,
        budget: Budget,
        settings: Settings,
        watch: &Watch<'_>,
    ) -> Result<Audit, AuditError> {
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let thread = thread.map_err(|error| AuditError::Run(error.to_string()))?;
        thread.install(|| Audit::of(mechanism, name, neighbours, budget, settings, watch))
    }

    /// Whether nothing could be audited.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A sentence for every claim that was refuted.
    pub fn refutations(&self) -> Vec<String> {
        let refuted = |line: &&Line| line.verdict() == Verdict::Violated;
        self.lines.iter().filter(refuted).map(text::refutation).collect()
    }

    /// Every number, as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(&self.lines).expect("findings are plain data") + "\n"
    }

    /// For people.
    pub fn text(&self) -> String {
        text::table(&self.lines, self.settings)
    }
}

impl Line {
    fn claim(&self) -> Claim {
        match &self.found {
            Found::Sampling(finding) => finding.claim,
            Found::Law(finding) => finding.claim,
        }
    }

    fn verdict(&self) -> Verdict {
        match &self.found {
            Found::Sampling(finding) => finding.verdict,
            Found::Law(finding) => finding.verdict,
        }
    }
}

fn sampled(
    mechanism: &dyn Mechanism,
    claim: Claim,
    settings: Settings,
    watch: &Watch<'_>,
) -> Result<Finding, AuditError> {
    let stoppable = Stoppable { mechanism, stop: watch.stop };
    audit(&stoppable, claim, settings, watch.progress)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    const SETTINGS: Settings = Settings { trials: 1000, confidence: 0.999, seed: Some(1) };

    #[test]
    fn progress_runs_over_all_cases_and_a_stopped_audit_says_so() {
        let shipment = Shipment::new(Some(Shipped::Counts), None);
        let (seen, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        let progress = |done, of| seen.lock().unwrap().push((done, of));
        let audit = shipment.audit(SETTINGS, &Watch { progress: &progress, stop: &stop }).unwrap();
        assert_eq!(audit.lines.len(), 2);
        assert!(audit.refutations().is_empty());
        // Two budgets, two tables, a thousand runs each.
        assert_eq!(seen.lock().unwrap().iter().max(), Some(&(4000, 4000)));

        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for exact in [false, true] {
            let watch = Watch { progress: &|_, _| (), stop: &stop };
            let refusal =
                Shipment { exact, ..shipment.clone() }.audit(SETTINGS, &watch).unwrap_err();
            assert_eq!(refusal.to_string(), "the audit was stopped");
        }
    }

    #[test]
    fn one_by_one_finds_the_same() {
        let budget = Budget::Pure { epsilon: 1.0 };
        let case = Shipped::Counts.case(budget, 11).unwrap();
        let stop = AtomicBool::new(false);
        let watch = Watch { progress: &|_, _| (), stop: &stop };
        let [all, one] = [Audit::of, Audit::one_by_one].map(|audit| {
            audit(&*case.mechanism, "mine", "two tables".to_owned(), budget, SETTINGS, &watch)
        });
        assert_eq!(all, one);
        assert!(one.unwrap().text().contains("consistent"));
    }
}
