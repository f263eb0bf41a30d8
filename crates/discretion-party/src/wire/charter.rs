//! What everybody has to agree on before anything is charged.

use super::{KeyError, PublicKey, digest};
use discretion::joint::Plan;
use discretion_disk::hex::hex;
use discretion_jobs::identity::{VERSION, canonical};
use discretion_ledger::SettingsName;
use serde_json::json;

/// A holder of rows, as the study knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its public key.
    pub key: PublicKey,
}

/// The public study: who takes part, what is computed, and digests of everything that must be the
/// same everywhere.
///
/// Members are numbered from 0 in the order of the study; the coordinator has the number after the
/// last.
#[derive(Clone, Debug)]
pub struct Charter {
    coordinator: PublicKey,
    members: Vec<Member>,
    /// Members that add noise, in the order of their shares.
    aggregators: Vec<usize>,
    plan: Plan,
    /// What is compared, by the name that people are told if it differs.
    sections: Vec<(String, String)>,
    /// The fingerprint that builds before version 2 of names gave to the same study.
    earlier: Option<[u8; 32]>,
}

impl Charter {
    /// A charter. `public` has what the study says, in sections, each as canonical bytes.
    ///
    /// The plan must be for these members, in this order, and for so many aggregators.
    pub fn new(
        coordinator: PublicKey,
        members: Vec<Member>,
        aggregators: Vec<usize>,
        plan: Plan,
        public: &[(&str, Vec<u8>)],
    ) -> Charter {
        assert_eq!(plan.holders().count(), members.len(), "the plan is for these members");
        assert_eq!(
            plan.sharing().aggregators(),
            aggregators.len(),
            "the plan is for these aggregators"
        );
        assert!(
            aggregators.iter().all(|&member| member < members.len()),
            "aggregators are members"
        );
        let keys = members.iter().map(|Member { name, key }| (name, key.to_string()));
        let people = json!({
            "coordinator": coordinator.to_string(),
            "members": keys.collect::<Vec<_>>(),
            "aggregators": aggregators,
        });
        let sections = sections(public, &canonical(&people), &canonical(&plan.public_numbers()));
        Charter { coordinator, members, aggregators, plan, sections, earlier: None }
    }

    /// Adds the public bytes by which builds before version 2 of names knew this study, so that
    /// their journals are found.
    pub fn known_earlier_by(self, public: &[(&str, Vec<u8>)]) -> Charter {
        let Charter { coordinator, members, aggregators, plan, .. } = &self;
        let member =
            |Member { name, key }: &Member| format!("Member {{ name: {name:?}, key: {key} }}");
        let members: Vec<String> = members.iter().map(member).collect();
        let people = format!("{coordinator} [{}] {aggregators:?}", members.join(", "));
        let sections = sections(public, &people, &plan.earlier_text());
        let text = serde_json::to_string(&sections).expect("texts can be written");
        Charter { earlier: Some(digest("study", &[text.as_bytes()])), ..self }
    }

    /// The members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Which members add noise, in the order of their shares.
    pub fn aggregators(&self) -> &[usize] {
        &self.aggregators
    }

    /// Every public number.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The number of the coordinator.
    pub fn coordinator(&self) -> usize {
        self.members.len()
    }

    /// Members and coordinator.
    pub fn count(&self) -> usize {
        self.members.len() + 1
    }

    pub(super) fn sections(&self) -> &[(String, String)] {
        &self.sections
    }

    /// What a participant is called.
    pub fn name(&self, number: usize) -> &str {
        self.members.get(number).map_or("the coordinator", |member| &member.name)
    }

    pub(crate) fn key(&self, number: usize) -> PublicKey {
        self.members.get(number).map_or(self.coordinator, |member| member.key)
    }

    /// The number of the member with this key.
    pub fn member_number(&self, key: PublicKey) -> Result<usize, KeyError> {
        self.members.iter().position(|member| member.key == key).ok_or(KeyError::NotAMember(key))
    }

    /// Refuses any key but the coordinator's.
    pub fn check_coordinator(&self, key: PublicKey) -> Result<(), KeyError> {
        if self.coordinator == key { Ok(()) } else { Err(KeyError::NotTheCoordinator(key)) }
    }

    /// The number of a member among the aggregators, from 0, if it is one.
    pub fn aggregator_number(&self, member: usize) -> Option<usize> {
        self.aggregators.iter().position(|&aggregator| aggregator == member)
    }

    /// A digest of everything that must be the same everywhere.
    pub fn fingerprint(&self) -> [u8; 32] {
        let whole = json!({ "version": VERSION, "sections": self.sections });
        digest("study", &[canonical(&whole).as_bytes()])
    }

    /// Returns the name by which a member finds its journal of this study in its ledger.
    pub fn journal_name(&self, member: usize) -> SettingsName {
        let name = |print: [u8; 32]| format!("party {} {}", hex(&print), self.name(member));
        SettingsName::new(name(self.fingerprint()), self.earlier.into_iter().map(name).collect())
    }
}

/// Digests of what is public, each under its name.
fn sections(public: &[(&str, Vec<u8>)], people: &str, plan: &str) -> Vec<(String, String)> {
    let section = |name: &str, bytes: &[u8]| (name.to_owned(), hex(&digest(name, &[bytes])));
    // The plan is not before what it is computed from: the first difference is the one that people
    // are told.
    let rest = [("[party]", people), ("the numbers of the plan", plan)];
    let public = public.iter().map(|(name, bytes)| section(name, bytes));
    public.chain(rest.map(|(name, text)| section(name, text.as_bytes()))).collect()
}
