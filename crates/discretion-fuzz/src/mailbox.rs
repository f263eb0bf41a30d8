//! Requests to the coordinator of a joint study: strangers are not answered, and a member that
//! sends nonsense harms nobody but the study.

use crate::Verdict;
use crate::messages::{NAMES, charter};
use discretion_party::mailbox::fuzzing::{BusyCoordinator, greeting_text, greets, pieces};
use discretion_party::wire::{Charter, SecretKey, system_clock};
use serde_json::Value;

/// The body of a request: as it is, signed as a member's greeting, and sealed as a member's
/// request.
///
/// A greeting has keys and times that no kept file can have. `@at@` in one stands for the field
/// `at` of a greeting that is right, and so for every field.
pub fn mailbox(bytes: &[u8]) -> Verdict {
    let key = || SecretKey::new().expect("a key");
    let (coordinator, members) = (key(), NAMES.map(|_| key()));
    let study = charter(&coordinator, &members);
    let greeting = filled_in(bytes, &study, &members[0]);
    let [to_member, to_stranger] = greets(&study, coordinator, &members[0], &greeting);
    assert!(to_stranger.starts_with("Refused"), "a greeting without a signature: {to_stranger}");

    let (coordinator, members) = (key(), NAMES.map(|_| key()));
    let busy = BusyCoordinator::new(&charter(&coordinator, &members), coordinator, &members);
    assert!(!busy.takes_from_a_stranger(bytes), "a request that nobody sealed");
    let sent = busy.sends(bytes);
    if let Ok(found) = &sent {
        let for_member_1 = pieces(bytes).expect("what is no message ends the study").into_iter();
        let expected: Vec<Vec<u8>> =
            for_member_1.filter(|(to, _)| *to == 1).map(|(_, piece)| piece).collect();
        assert_eq!(found, &expected, "what is sent arrives, in order");
    }
    if sent.is_ok() || to_member.starts_with("WaitingFor") {
        Verdict::Accepted
    } else {
        Verdict::Refused
    }
}

fn filled_in(bytes: &[u8], charter: &Charter, member: &SecretKey) -> Vec<u8> {
    let Ok(text) = str::from_utf8(bytes) else { return bytes.to_vec() };
    let right = greeting_text(charter, member, system_clock());
    let Ok(Value::Object(right)) = serde_json::from_str(&right) else {
        panic!("a greeting is an object")
    };
    let fill = |text: String, (field, value): (&String, &Value)| {
        text.replace(&format!("@{field}@"), &value.to_string())
    };
    right.iter().fold(text.to_owned(), fill).into_bytes()
}
