//! An account is about rows or about persons, from its opening on.

use crate::common::{ONE, place, pure, table};
use discretion_ledger::{Error, Ledger, Purchase, SettingsName};
use discretion_privacy::account::Terms;
use discretion_privacy::{Budget, Unit};

#[test]
fn a_study_of_the_other_unit_is_refused_and_nothing_is_charged() {
    for (unit, other) in [(Unit::Row, Unit::Person), (Unit::Person, Unit::Row)] {
        let (_directory, path) = place();
        let terms = Terms::from(ONE).about(unit);
        {
            let ledger = Ledger::open(&path).unwrap();
            ledger
                .account("stays", terms)
                .unwrap()
                .charge(&Purchase::new(&pure(0.25), "fit").about(unit))
                .unwrap();
            // A raise keeps the unit.
            let raised = Budget::Pure { epsilon: 2.0 };
            ledger.existing_account("stays").unwrap().raise(raised, "more is needed").unwrap();
        }
        let ledger = Ledger::open(&path).unwrap();
        let raised = Terms::from(Budget::Pure { epsilon: 2.0 });
        let error =
            ledger.account("stays", raised.about(other)).err().expect("the other unit is refused");
        assert!(matches!(error, Error::UnitDiffers { .. }) && error.is_refusal(), "{error}");
        assert!(error.to_string().contains(&format!("about a {}, and", unit.name())), "{error}");
        let account = ledger.account("stays", raised.about(unit)).unwrap();
        let standing = account.standing().unwrap();
        assert_eq!((standing.unit, standing.charges), (unit, 1));
        account.charge(&Purchase::new(&pure(0.25), "fit").about(unit)).unwrap();
        // Whoever only knows the account's name is refused by the charge.
        let existing = ledger.existing_account("stays").unwrap();
        let error = existing.charge(&Purchase::new(&pure(0.25), "fit").about(other)).err().unwrap();
        assert!(matches!(error, Error::UnitDiffers { .. }), "{error}");
        assert_eq!(account.standing().unwrap().charges, 2);
        // What was released to the one is not handed to the other, whatever the job is called.
        let rows = table(&account, b"rows");
        let event = pure(0.25);
        let job = SettingsName::from("a1");
        let released = Purchase::new(&event, "fit").about(unit).on(&rows).of_job(&job);
        let number = account.charge(&released).unwrap().number;
        ledger.release(number, "model.json", None).unwrap();
        assert_eq!(existing.earlier_run(&rows, &job, unit).unwrap().unwrap().charge, number);
        let error = existing.earlier_run(&rows, &job, other).err().unwrap();
        assert!(matches!(error, Error::UnitDiffers { .. }), "{error}");
    }
}

/// What another account's order is says nothing about this one's.
#[test]
fn every_account_has_its_own_order_of_persons() {
    let (_directory, path) = place();
    let key =
        |account: &str| Ledger::open(&path).unwrap().account(account, ONE).unwrap().person_key();
    assert_eq!(key("a"), key("a"));
    assert_ne!(key("a"), key("b"));
}
