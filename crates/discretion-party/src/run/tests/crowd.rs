//! Strangers at the coordinator's door.

use super::*;
use std::io::Write;
use std::net::TcpStream;

/// More of them than there are places, each with one byte of a head: the study runs as if nobody
/// were there.
#[test]
fn a_silent_crowd_stops_no_study() {
    let study = TestStudy::new(joint(2, 1), vec![0, 1]);
    let (mailboxes, server) = study.serve(Duration::from_secs(20));
    let address = server.url().trim_start_matches("http://");
    let crowd: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            // It may be closed already: then it is in nobody's way.
            let _ = stream.write_all(b"P");
            stream
        })
        .collect();
    let results = study.run_at(&mailboxes, server.url(), &[]);
    assert!(
        results.coordinator.is_ok(),
        "{:?}",
        results.coordinator.err().map(|error| error.to_string())
    );
    assert!(results.members.iter().all(Result::is_ok));
    assert_eq!(study.charges(), [1, 1, 1]);
    drop(crowd);
}
