//! `discretion studio`: a page on this machine that goes from a table to a published private model,
//! and writes the same files as the command line.
//!
//! - [`Studio::open`] takes a folder and an address; [`Studio::run`] serves until it is told to
//!   stop.
//! - Whoever asks needs the token that is in the [address](Studio::url); `PROOF.md` says what the
//!   page shows and who can see it.
//! - Nothing is kept in memory that is worth keeping: studies are files in the folder, what was
//!   spent is in the ledger.
//!
//! The page's address is this machine's alone, and has its token behind #, which browsers never
//! send:
//!
//! ```
//! use discretion_studio::{Studio, StudioOptions};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let ledger = Some(folder.join("ledger.sqlite"));
//! let studio = Studio::open(StudioOptions { folder: folder.to_owned(), ledger, port: 0, answers: None })?;
//! assert!(studio.url().starts_with("http://127.0.0.1:"));
//! assert!(studio.url().contains("/#"));
//! // studio.run()? would serve the page until somebody stops it.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod app;
mod door;
mod folder;
mod http;
mod jobs;
mod page;
mod refusals;
mod requests;
mod results;
mod signals;
mod studies;
mod views;
mod work;

pub use answers::{AnswerQueries, AnswersMade, AnswersRequest};

use app::App;
use discretion::Refusal;
use discretion_http::{HttpListener, ListenOptions, random_token};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// What a studio is opened with.
pub struct StudioOptions {
    /// The folder with tables, studies and results.
    pub folder: PathBuf,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<PathBuf>,
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// How queries are answered by a vote, if they are.
    pub answers: Option<Box<dyn AnswerQueries>>,
}

/// A page that is about to be served.
pub struct Studio {
    app: Arc<App>,
    listener: HttpListener,
    stopped: watch::Receiver<bool>,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// By its button. Something has to be known if a run was charged and not over.
    Stopped(Option<String>),
    /// By Ctrl-C or its like, and the same.
    Interrupted(Option<String>),
}

impl Studio {
    /// Takes the folder, and an address that only this machine reaches.
    pub fn open(options: StudioOptions) -> Result<Studio, Refusal> {
        let folder = folder::Folder::open(&options.folder)?;
        let listen = ListenOptions {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)),
            tls: None,
            patience: Duration::from_secs(30),
            most_connections: 64,
            last_answers: Duration::from_secs(2),
        };
        let listener = listen.listen()?;
        let token = random_token().map_err(Refusal::refused)?;
        let (stop, stopped) = watch::channel(false);
        let door = door::Door::new(token, listener.address());
        let app = Arc::new(App {
            folder,
            ledger: options.ledger,
            door,
            work: work::Work::default(),
            answers: options.answers,
            stop,
        });
        Ok(Studio { app, listener, stopped })
    }

    /// The address with its token. What stands behind # is never sent by a browser.
    pub fn url(&self) -> String {
        format!("{}/#{}", self.listener.url(), self.app.door.token())
    }

    /// Serves until the page's button or a signal ends it. A run that is under way ends with it.
    pub fn run(self) -> Result<Ending, Refusal> {
        let Studio { app, listener, stopped } = self;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| Refusal::refused(format!("no threads for the page: {error}")))?;
        let interrupted = Arc::new(AtomicBool::new(false));
        runtime.block_on(async {
            let signal = signals::interrupted()
                .map_err(|error| Refusal::refused(format!("signals cannot be caught: {error}")))?;
            let (told, flag) = (app.clone(), interrupted.clone());
            tokio::spawn(async move {
                signal.await;
                flag.store(true, Ordering::SeqCst);
                told.stop.send_replace(true);
            });
            listener.serve(http::router(app.clone()), stopped).await;
            Ok::<(), Refusal>(())
        })?;
        // From here on nothing is charged any more.
        let lost = app.work.end();
        let interrupted = interrupted.load(Ordering::SeqCst);
        // A job's thread ends with the process, as a command does.
        runtime.shutdown_background();
        Ok(if interrupted { Ending::Interrupted(lost) } else { Ending::Stopped(lost) })
    }
}
