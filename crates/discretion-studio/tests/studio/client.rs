//! A studio in this process, and somebody who asks it.

use discretion_studio::{Ending, Studio, StudioOptions};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

pub struct Page {
    pub folder: tempfile::TempDir,
    pub host: String,
    pub token: String,
    running: Option<JoinHandle<Ending>>,
}

/// A status, the headers as they came, and the body.
pub type Answer = (u16, String, String);

impl Page {
    /// A page of an empty folder.
    pub fn open() -> Page {
        Page::of(tempfile::tempdir().unwrap())
    }

    /// A page of a folder that is there; the ledger is in it.
    pub fn of(folder: tempfile::TempDir) -> Page {
        let options = StudioOptions {
            folder: folder.path().to_owned(),
            ledger: Some(folder.path().join("ledger.sqlite")),
            port: 0,
            answers: None,
        };
        let studio = Studio::open(options).unwrap();
        let url = studio.url();
        let (host, token) = url.strip_prefix("http://").unwrap().split_once("/#").unwrap();
        let (host, token) = (host.to_owned(), token.to_owned());
        let running = Some(std::thread::spawn(move || studio.run().unwrap()));
        Page { folder, host, token, running }
    }

    /// A request as it is written.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has refused may not read the rest.
        let _ = stream.write_all(body);
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
        let said = String::from_utf8(said).unwrap();
        let (head, body) = said.split_once("\r\n\r\n").unwrap_or((&said, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, head.to_lowercase(), body.to_owned())
    }

    /// What the page asks: its status and its answer.
    pub fn ask(&self, name: &str, body: &Value) -> (u16, Value) {
        let headers = [("host", self.host.as_str()), ("x-discretion-token", &self.token)];
        let (status, _, body) =
            self.send("POST", &format!("/api/{name}"), &headers, body.to_string().as_bytes());
        (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("{name}: {body}")))
    }

    /// An answer that was not refused.
    pub fn get(&self, name: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(name, body);
        assert_eq!(status, 200, "{name}: {answer}");
        answer
    }

    /// Why something was refused.
    pub fn refused(&self, name: &str, body: &Value) -> String {
        let (status, answer) = self.ask(name, body);
        assert!((400..500).contains(&status), "{name}: {status} {answer}");
        answer["refused"].as_str().unwrap().to_owned()
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Waits until a run is over; what is known of it then.
    pub fn follow(&self) -> Value {
        loop {
            let run = self.get("state", &Value::Object(Default::default()))["run"].clone();
            if ["done", "refused"].contains(&run["stage"].as_str().unwrap_or_default()) {
                return run;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the page by its button, and leaves the folder.
    pub fn end(mut self) -> tempfile::TempDir {
        self.get("stop", &serde_json::json!({}));
        assert_eq!(self.running.take().unwrap().join().unwrap(), Ending::Stopped(None));
        self.folder
    }
}

/// A table of people with one column of each kind.
pub fn write_table(folder: &Path) {
    let row = |i: usize| {
        let ward = ["surgery", "cardiology", "oncology"][i % 3];
        let ill = if (i * 7) % 80 + (i % 3) * 9 > 55 { "yes" } else { "no" };
        format!(
            "P{i},{},{ward},{},2020-{:02}-11,{ill}\n",
            (i * 7) % 80 + 10,
            10 + i % 900,
            i % 12 + 1
        )
    };
    let rows: String = (0..3000).map(row).collect();
    fs::write(folder.join("stays.csv"), format!("patient,age,ward,cost,seen,ill\n{rows}")).unwrap();
}
