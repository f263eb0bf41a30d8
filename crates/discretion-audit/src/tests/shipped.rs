use super::*;
use crate::shipped::Shipped;

/// Every shipped mechanism under every kind of budget. A false alarm has a probability of 1e-6 in
/// each.
#[test]
fn what_is_shipped_keeps_its_claim_in_a_short_audit() {
    for shipped in Shipped::ALL {
        for budget in shipped.budgets() {
            let case = shipped.case(budget, shipped.default_rows()).unwrap();
            let settings = Settings { trials: 2000, confidence: 1.0 - 1e-6, seed: Some(11) };
            let finding = audit(&*case.mechanism, case.claim, settings, &quiet).unwrap();
            assert_eq!(
                finding.verdict,
                Verdict::Consistent,
                "{} {budget}: {finding:?}",
                shipped.name()
            );
        }
    }
}

/// No sampling: the exact laws are within the claims, and reach them where nothing is said about a
/// ceiling.
#[test]
fn exact_laws_are_within_their_claims() {
    for shipped in Shipped::ALL {
        for budget in shipped.budgets() {
            let case = shipped.case(budget, shipped.default_rows()).unwrap();
            let Some(exact) = case.exact else { continue };
            let finding = exact.finding(case.claim);
            assert_eq!(
                finding.verdict,
                Verdict::Consistent,
                "{} {budget}: {finding:?}",
                shipped.name()
            );
            if case.ceiling.is_none() {
                let share = finding.epsilon / case.claim.epsilon;
                assert!(share > 0.95, "{} {budget}: {share}", shipped.name());
            }
        }
    }
}
