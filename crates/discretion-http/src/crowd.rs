//! Who has a place. A crowd that says nothing, or shows no key, cannot keep others out: when all
//! places are taken, the one who has waited longest without a key gives up its place, from the
//! address that has most of them. Limits of tower and hyper count requests or connections, and do
//! not know who has shown a key.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// A request without a key that takes longer than this gives up its place, if somebody needs it.
const LONGEST_WITHOUT_KEY: Duration = Duration::from_secs(2);

/// As many connections of one key are safe from others. Whoever has shown another key needs places
/// too.
const SAFE_OF_A_KEY: usize = 8;

/// The connections of a service.
pub(crate) struct Crowd {
    most: usize,
    connections: Mutex<Connections>,
    /// Somebody left.
    left: Notify,
}

#[derive(Default)]
struct Connections {
    next: u64,
    /// The oldest first.
    all: BTreeMap<u64, Connection>,
}

struct Connection {
    address: IpAddr,
    /// Whose key was shown, by number.
    key: Option<u64>,
    /// Since when a request is being answered.
    busy: Option<Instant>,
    /// Ends it; nothing in the moment before it begins.
    end: Option<AbortHandle>,
}

/// A place, until it is dropped.
pub(crate) struct Place {
    visitor: Visitor,
}

/// A connection, as a service sees it: in the extensions of every request.
#[derive(Clone)]
pub struct Visitor {
    crowd: Arc<Crowd>,
    number: u64,
}

impl Visitor {
    /// Says that this connection has shown the key of this number. From now on no stranger takes
    /// its place.
    pub fn has_shown_key(&self, key: u64) {
        if let Some(connection) = self.crowd.lock().all.get_mut(&self.number) {
            connection.key = Some(key);
        }
    }

    pub(crate) fn set_busy(&self, is_busy: bool) {
        if let Some(connection) = self.crowd.lock().all.get_mut(&self.number) {
            connection.busy = is_busy.then(Instant::now);
        }
    }
}

impl Place {
    pub(crate) fn visitor(&self) -> &Visitor {
        &self.visitor
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Visitor { crowd, number } = &self.visitor;
        crowd.lock().all.remove(number);
        crowd.left.notify_one();
    }
}

impl Crowd {
    pub(crate) fn new(most: usize) -> Arc<Crowd> {
        Arc::new(Crowd { most, connections: Mutex::default(), left: Notify::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a newcomer: a free one, or one that somebody without a key gives up. Waits if
    /// there is none.
    pub(crate) async fn admit(self: &Arc<Crowd>, address: IpAddr) -> Place {
        loop {
            if let Some(number) = self.try_admit(address) {
                return Place { visitor: Visitor { crowd: self.clone(), number } };
            }
            // Not only when somebody leaves: requests without a key become slow while one waits.
            let _ = tokio::time::timeout(LONGEST_WITHOUT_KEY / 8, self.left.notified()).await;
        }
    }

    fn try_admit(&self, address: IpAddr) -> Option<u64> {
        let mut connections = self.lock();
        // One address without keys has half of the places at most, so that others find one at once.
        let of_address =
            connections.strangers().filter(|(_, other)| other.address == address).count();
        if of_address >= (self.most / 2).max(1) {
            let victim = connections.slowest_stranger(Some(address));
            victim.into_iter().for_each(|victim| connections.end(victim));
        }
        if connections.all.len() >= self.most {
            let victim = connections.slowest_stranger(None).or_else(|| connections.one_of_many());
            connections.end(victim?);
        }
        let number = connections.next;
        connections.next += 1;
        connections.all.insert(number, Connection { address, key: None, busy: None, end: None });
        Some(number)
    }

    /// Says how to end a connection that has begun.
    pub(crate) fn begun(&self, visitor: &Visitor, end: AbortHandle) {
        if let Some(connection) = self.lock().all.get_mut(&visitor.number) {
            connection.end = Some(end);
        }
    }
}

impl Connections {
    fn strangers(&self) -> impl Iterator<Item = (u64, &Connection)> {
        self.all.iter().filter(|(_, one)| one.key.is_none()).map(|(number, one)| (*number, one))
    }

    /// The oldest that is silent, or else the oldest slow request, of one address or of that which
    /// has most of them.
    fn slowest_stranger(&self, of: Option<IpAddr>) -> Option<u64> {
        let slow =
            |one: &Connection| one.busy.is_some_and(|since| since.elapsed() > LONGEST_WITHOUT_KEY);
        let oldest = |may_go: &dyn Fn(&Connection) -> bool| {
            let mut of_address: HashMap<IpAddr, (usize, u64)> = HashMap::new();
            for (number, one) in
                self.strangers().filter(|(_, one)| one.end.is_some() && may_go(one))
            {
                of_address.entry(one.address).or_insert((0, number)).0 += 1;
            }
            let candidates =
                of_address.into_iter().filter(|(address, _)| of.is_none_or(|of| of == *address));
            candidates
                .max_by_key(|(_, (count, number))| (*count, u64::MAX - number))
                .map(|(_, (_, number))| number)
        };
        oldest(&|one| one.busy.is_none()).or_else(|| oldest(&slow))
    }

    /// Where everybody has shown a key: the oldest connection of a key that has more than are safe.
    fn one_of_many(&self) -> Option<u64> {
        let mut of_key: HashMap<u64, (usize, u64)> = HashMap::new();
        for (number, one) in &self.all {
            if let (Some(key), Some(_)) = (one.key, &one.end) {
                of_key.entry(key).or_insert((0, *number)).0 += 1;
            }
        }
        let most = of_key.into_values().max_by_key(|(count, number)| (*count, u64::MAX - number));
        most.filter(|(count, _)| *count > SAFE_OF_A_KEY).map(|(_, number)| number)
    }

    fn end(&mut self, number: u64) {
        if let Some(Connection { end: Some(end), .. }) = self.all.remove(&number) {
            end.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::BROADCAST);

    fn come(crowd: &Arc<Crowd>, address: IpAddr) -> Option<Visitor> {
        let number = crowd.try_admit(address)?;
        let visitor = Visitor { crowd: crowd.clone(), number };
        crowd.begun(&visitor, tokio::spawn(std::future::pending::<()>()).abort_handle());
        Some(visitor)
    }

    fn is_here(visitor: &Visitor) -> bool {
        visitor.crowd.lock().all.contains_key(&visitor.number)
    }

    /// Connections are tasks, so there must be something that runs them.
    fn within(test: fn()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { test() });
    }

    #[test]
    fn the_silent_give_up_their_places_and_keys_keep_them() {
        within(silent_crowd);
    }

    fn silent_crowd() {
        let crowd = Crowd::new(8);
        let known = come(&crowd, HERE).unwrap();
        known.has_shown_key(1);
        let other = come(&crowd, THERE).unwrap();
        let silent: Vec<Visitor> = (0..100).map(|_| come(&crowd, HERE).unwrap()).collect();
        assert!(
            is_here(&known) && is_here(&other),
            "neither a key nor another address is pushed out"
        );
        let here = silent.iter().filter(|visitor| is_here(visitor)).count();
        assert_eq!(here, 4, "half of the places");
        assert!(silent[96..].iter().all(is_here), "the newest stay");
        let busy = &silent[96];
        busy.set_busy(true);
        come(&crowd, HERE).unwrap();
        assert!(is_here(busy) && !is_here(&silent[97]), "silence goes before work");
    }

    #[test]
    fn a_key_has_its_safe_places_and_no_more() {
        within(crowd_of_keys);
    }

    fn crowd_of_keys() {
        let crowd = Crowd::new(12);
        let mut of_one = Vec::new();
        for _ in 0..12 {
            let visitor = come(&crowd, HERE).unwrap();
            visitor.has_shown_key(1);
            of_one.push(visitor);
        }
        for _ in 0..4 {
            come(&crowd, THERE).unwrap().has_shown_key(2);
        }
        assert_eq!(of_one.iter().filter(|visitor| is_here(visitor)).count(), 8);
        assert!(come(&crowd, THERE).is_none(), "who has shown a key is safe");
    }
}
