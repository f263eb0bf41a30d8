//! Accounts: pricing, charging, refusing, raising, looking back.

use crate::common::{ONE, filled, place, pure};
use discretion_ledger::{Error, FileError, Happening, Ledger, Purchase, Room, SmallerRun};
use discretion_privacy::account::{Curvature, Event, Law, MaskNoise};
use discretion_privacy::{Budget, Unit};

#[test]
fn a_charge_is_there_after_reopening() {
    let (_directory, path) = place();
    let number = {
        let ledger = Ledger::open(&path).unwrap();
        let charge = ledger
            .account("adult", ONE)
            .unwrap()
            .charge(&Purchase::new(&pure(0.25), "fit"))
            .unwrap();
        assert_eq!(
            (charge.quote.cost, charge.quote.left, charge.quote.before.amount),
            (0.25, 0.75, 0.0)
        );
        charge.number
    };
    let ledger = Ledger::open(&path).unwrap();
    let standing = ledger.account("adult", ONE).unwrap().standing().unwrap();
    assert_eq!((standing.spent.amount, standing.charges, standing.unreleased), (0.25, 1, 1));
    ledger.release(number, "model.json", None).unwrap();
    assert_eq!(ledger.list().unwrap()[0].unreleased, 0);
    assert!(matches!(ledger.release(number + 1, "x", None), Err(Error::NoSuchCharge(_))));
    assert!(
        matches!(ledger.release(1, "x", None), Err(Error::NoSuchCharge(1))),
        "an opening is no charge"
    );
}

#[test]
fn a_charge_past_the_cap_is_refused_with_what_would_fit() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    account.charge(&Purchase::new(&pure(0.7), "fit")).unwrap();
    let error = account.charge(&Purchase::new(&pure(0.5), "fit")).err().unwrap();
    assert!(error.is_refusal());
    let Error::Overspent { before, after, cap, room, .. } = &error else { panic!("{error}") };
    assert_eq!((*before, cap.budget()), (0.7, ONE));
    assert_eq!((*after > 1.19, *room), (true, Room::Unknown), "{error}");
    assert!(error.to_string().contains("; spend less in [spend], or ask"), "{error}");
    // Of a run that is known, it is said of the run.
    let twice = |size: f64| Event::Composition { of: vec![pure(size), pure(size)] };
    let smaller =
        SmallerRun { budget: Budget::Pure { epsilon: 0.5 }, event: &|size| Some(twice(size)) };
    let run = twice(0.5);
    let purchase = Purchase::new(&run, "fit").or_smaller(smaller);
    let error = account.charge(&purchase).err().unwrap();
    let room = Room::Run(Some(Budget::Pure { epsilon: 0.15 }));
    assert!(matches!(&error, Error::Overspent { room: found, .. } if *found == room), "{error}");
    assert!(error.to_string().ends_with("for this run epsilon = 0.15 would fit in [spend]"));
    account.charge(&Purchase::new(&twice(0.15), "fit")).unwrap();
    let error = account.charge(&purchase).err().unwrap();
    assert!(error.to_string().contains("this run would not fit with less to spend"), "{error}");
    let error = account.charge(&Purchase::new(&pure(0.5), "fit")).err().unwrap().to_string();
    assert!(error.contains("account 'adult'"), "{error}");
    assert_eq!(account.standing().unwrap().charges, 2);
}

#[test]
fn a_cap_for_fifty_pays_for_fifty() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    for _ in 0..50 {
        account.charge(&Purchase::new(&pure(0.02), "fit")).unwrap();
    }
    let error = account.charge(&Purchase::new(&pure(0.02), "fit")).err().unwrap();
    assert!(matches!(error, Error::Overspent { room: Room::Unknown, .. }), "{error}");
}

#[test]
fn another_cap_is_refused_with_both_values() {
    let (_directory, path) = place();
    let ledger = filled(&path);
    let error = ledger.account("adult", ONE).err().unwrap();
    assert!(matches!(error, Error::CapDiffers { .. }) && error.is_refusal());
    let message = error.to_string();
    assert!(message.contains("ε = 2") && message.contains("ε = 1"), "{message}");
    assert!(ledger.account("adult", Budget::Pure { epsilon: 2.0 }).is_ok());
}

#[test]
fn a_raise_in_between_stops_a_charge_for_the_old_cap() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    account.charge(&Purchase::new(&pure(0.1), "fit")).unwrap();
    let raised = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
    ledger.existing_account("adult").unwrap().raise(raised, "delta agreed").unwrap();
    assert!(matches!(
        account.charge(&Purchase::new(&pure(0.1), "fit")),
        Err(Error::CapDiffers { .. })
    ));
}

#[test]
fn caps_only_rise_and_only_with_a_reason() {
    let ledger = Ledger::in_memory().unwrap();
    ledger.account("adult", ONE).unwrap().charge(&Purchase::new(&pure(0.1), "fit")).unwrap();
    let account = ledger.existing_account("adult").unwrap();
    let two = Budget::Pure { epsilon: 2.0 };
    assert!(matches!(account.raise(two, "  "), Err(Error::NoReason)));
    for bad in [ONE, Budget::Pure { epsilon: 0.5 }, Budget::Zcdp { rho: 0.4 }] {
        assert!(matches!(account.raise(bad, "why"), Err(Error::NotARaise { .. })), "{bad}");
    }
    account.raise(two, "why").unwrap();
    let standing = account.standing().unwrap();
    assert_eq!((standing.cap.budget(), standing.cap_at_opening.budget()), (two, ONE));
    let unopened = ledger.account("other", ONE).unwrap();
    assert!(matches!(unopened.raise(two, "why"), Err(Error::NoSuchAccount { .. })));
}

#[test]
fn a_dry_run_changes_nothing() {
    let (_directory, path) = place();
    drop(filled(&path));
    let before = std::fs::read(&path).unwrap();
    {
        let ledger = Ledger::peek(&path).unwrap();
        let quote = ledger
            .account("adult", Budget::Pure { epsilon: 2.0 })
            .unwrap()
            .price(&pure(0.5))
            .unwrap();
        assert!(quote.within && (quote.left - 1.125).abs() < 1e-12, "{quote:?}");
        let new = ledger.account("new", ONE).unwrap();
        assert!(!new.price(&pure(1.5)).unwrap().within);
        assert!(new.standing().unwrap().opened_at.is_none());
        assert_eq!(ledger.list().unwrap().len(), 2);
        assert!(
            matches!(
                new.charge(&Purchase::new(&pure(0.5), "fit")),
                Err(Error::File(FileError::ReadOnly { .. }))
            ),
            "a peek cannot charge"
        );
    }
    assert!(before == std::fs::read(&path).unwrap(), "the file's bytes changed");
    let ledger = Ledger::open(&path).unwrap();
    let head = ledger.verify(None).unwrap();
    ledger.account("new", ONE).unwrap().price(&pure(0.5)).unwrap();
    assert_eq!(head, ledger.verify(None).unwrap());
}

#[test]
fn what_has_no_price_in_the_currency_of_a_cap_is_refused() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let gaussian = Event::Gaussian { sensitivity: 1.0, sigma: 20.0 };
    let error = account.charge(&Purchase::new(&gaussian, "mean")).err().unwrap();
    assert!(matches!(error, Error::NotPriced { .. }) && error.is_refusal(), "{error}");
    assert!(matches!(
        account.charge(&Purchase::new(&pure(f64::NAN), "x")),
        Err(Error::BadEvent(_))
    ));
    assert!(account.history().unwrap().is_empty(), "a refused first charge opens nothing");
}

#[test]
fn a_changed_table_is_noticed_and_still_charged() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let print = |account: &discretion_ledger::Account<'_>, bytes: &[u8]| {
        let mut table = account.fingerprint();
        std::io::copy(&mut &bytes[..], &mut table).unwrap();
        table.finish()
    };
    let table = print(&account, b"rows");
    assert_eq!(account.charge(&Purchase::new(&pure(0.1), "no table")).unwrap().table_changed, None);
    let first = account.charge(&Purchase::new(&pure(0.1), "first").on(&table)).unwrap();
    assert_eq!(first.table_changed, None);
    assert_eq!(
        account.charge(&Purchase::new(&pure(0.1), "same").on(&table)).unwrap().table_changed,
        None
    );
    let changed = account
        .charge(&Purchase::new(&pure(0.1), "changed").on(&print(&account, b"Rows")))
        .unwrap();
    assert_eq!(changed.table_changed.unwrap().first_charge, first.number);
    // The rows of a table in memory are compared with rows, not with the bytes of a file.
    let rows = |bytes: &[u8]| {
        let mut table = account.fingerprint();
        table.update(bytes);
        table.finish_rows()
    };
    let first_rows = account.charge(&Purchase::new(&pure(0.1), "rows").on(&rows(b"a"))).unwrap();
    assert_eq!(first_rows.table_changed, None);
    assert_eq!(
        account.charge(&Purchase::new(&pure(0.1), "file").on(&table)).unwrap().table_changed,
        None
    );
    let changed = account.charge(&Purchase::new(&pure(0.1), "other rows").on(&rows(b"b"))).unwrap();
    assert_eq!(changed.table_changed.unwrap().first_charge, first_rows.number);
    // Neither another account nor another ledger has the same fingerprint.
    assert_ne!(table, print(&ledger.account("other", ONE).unwrap(), b"rows"));
    let elsewhere = Ledger::in_memory().unwrap();
    assert_ne!(table, print(&elsewhere.account("adult", ONE).unwrap(), b"rows"));
}

#[test]
fn history_tells_what_happened() {
    let (_directory, path) = place();
    let ledger = filled(&path);
    let history = ledger.existing_account("adult").unwrap().history().unwrap();
    assert_eq!(history.iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 2, 4, 7]);
    assert!(matches!(&history[0].what, Happening::Opened { cap } if cap.budget() == ONE));
    let Happening::Charged { event, what, releases, .. } = &history[1].what else { panic!() };
    assert_eq!((event, what.as_str()), (&pure(0.25), "fit adult"));
    assert_eq!((releases.len(), releases[0].file.as_str()), (1, "model.json"));
    assert!(matches!(&history[2].what, Happening::Charged { releases, .. } if releases.is_empty()));
    assert!(
        matches!(&history[3].what, Happening::Raised { reason, .. } if reason == "new ethics vote")
    );
    let error = ledger.existing_account("nobody").err().unwrap().to_string();
    assert!(error.contains("adult, other"), "{error}");
}

#[test]
fn an_account_tells_what_still_fits() {
    let ledger = Ledger::in_memory().unwrap();
    let cap = Budget::Approximate { epsilon: 3.0, delta: 1e-6 };
    let account = ledger.account("adult", cap).unwrap();
    let mean = Event::Gaussian { sensitivity: 1.0, sigma: 20.0 };
    for _ in 0..100 {
        account.charge(&Purchase::new(&mean, "mean")).unwrap();
    }
    let standing = account.standing().unwrap();
    let more = standing.more_like_last.unwrap();
    assert_eq!(more.charge, 101);
    // Equal runs have equal shares.
    let share = standing.spent.amount / 100.0;
    assert_eq!(more.runs, (standing.left() / share) as u64, "{standing:?}");
    assert_eq!(account.price(&mean).unwrap().runs, more.runs);
    assert!(
        standing.spent.readings.iter().any(|reading| reading.used.is_none()),
        "no plain sum any more"
    );
    let room = account.largest(1.0, pure).unwrap().unwrap();
    assert!(room > 0.2 && room < 1.0, "{room}");
    account.charge(&Purchase::new(&pure(room), "the rest")).unwrap();
    assert!(!account.price(&pure(0.1)).unwrap().within);
}

#[test]
fn an_export_has_every_entry_and_no_secret() {
    let (_directory, path) = place();
    let ledger = filled(&path);
    let mut out = Vec::new();
    ledger.export(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[1]["event"]["epsilon"], 0.25);
    assert_eq!(lines[2]["charge"], 2);
    assert_eq!(lines[6]["note"], "new ethics vote");
    assert!(lines.windows(2).all(|pair| pair[0]["hash"] == pair[1]["previous"]));
    assert_eq!(lines[6]["hash"], ledger.verify(None).unwrap().head.as_str());
}

/// Ledgers already written hold these texts.
#[test]
fn the_text_of_events_does_not_change() {
    let noise = Law::Gaussian { sigma: 0.1 };
    let cases = [
        (
            Event::ObjectivePerturbation {
                rows: 10,
                dimension: 2,
                lambda: 0.01,
                curvature_bound: 0.25,
                noise,
                unit: Unit::Row,
                curvature: Curvature::Bounded,
            },
            r#"{"event":"objective-perturbation","rows":10,"dimension":2,"lambda":0.01,"curvature_bound":0.25,"noise":{"law":"gaussian","sigma":0.1}}"#,
        ),
        (
            Event::OutputPerturbation {
                rows: 10,
                dimension: 2,
                lambda: 0.01,
                noise: Law::Spherical { scale: 3.0 },
            },
            r#"{"event":"output-perturbation","rows":10,"dimension":2,"lambda":0.01,"noise":{"law":"spherical","scale":3.0}}"#,
        ),
        (
            Event::Composition {
                of: vec![
                    Event::Mask { noise: MaskNoise::Laplace { epsilon: 0.001 } },
                    Event::Mask { noise: MaskNoise::Gaussian { rho: 1e-9 } },
                ],
            },
            r#"{"event":"composition","of":[{"event":"mask","noise":{"law":"laplace","epsilon":0.001}},{"event":"mask","noise":{"law":"gaussian","rho":1e-9}}]}"#,
        ),
        (
            Event::Selection { candidates: 7, epsilon: 0.5 },
            r#"{"event":"selection","candidates":7,"epsilon":0.5}"#,
        ),
        (
            Event::SparseVector { runs: 50, epsilon_each: 0.1, delta: 1e-7 },
            r#"{"event":"sparse-vector","runs":50,"epsilon_each":0.1,"delta":1e-7}"#,
        ),
        (
            Event::Gaussian { sensitivity: 1.0, sigma: 20.0 },
            r#"{"event":"gaussian","sensitivity":1.0,"sigma":20.0}"#,
        ),
        (
            Event::DiscreteGaussian { sensitivity: 1.0, sigma: 20.0 },
            r#"{"event":"discrete-gaussian","sensitivity":1.0,"sigma":20.0}"#,
        ),
        (pure(0.1 + 0.2), r#"{"event":"pure","epsilon":0.30000000000000004,"what":"test"}"#),
        (
            Event::Concentrated { rho: 0.5, what: "sum".into() },
            r#"{"event":"concentrated","rho":0.5,"what":"sum"}"#,
        ),
        (
            Event::Approximate { epsilon: 1.0, delta: 1e-9, what: "other".into() },
            r#"{"event":"approximate","epsilon":1.0,"delta":1e-9,"what":"other"}"#,
        ),
    ];
    for (event, text) in cases {
        assert_eq!(serde_json::to_string(&event).unwrap(), text);
        assert_eq!(serde_json::from_str::<Event>(text).unwrap(), event);
        assert!(text.contains(event.kind()));
    }
    for unknown in
        [r#"{"event":"selection","candidates":7,"epsilon":0.5,"k":1}"#, r#"{"event":"later"}"#]
    {
        assert!(serde_json::from_str::<Event>(unknown).is_err());
    }
}
