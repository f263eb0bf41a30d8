//! A run that ends after its charge, by Ctrl-C or by a bug, says what stays paid.

use std::sync::{Mutex, Once};

/// What has to be known if the run is stopped now.
static TO_SAY: Mutex<Option<String>> = Mutex::new(None);

/// As shells count a process that Ctrl-C ended.
const STOPPED: i32 = 130;

/// Says the sentence if Ctrl-C stops the run while this lives.
#[must_use]
pub struct OnInterrupt(());

impl OnInterrupt {
    pub fn say(sentence: String) -> OnInterrupt {
        static HANDLER: Once = Once::new();
        // Without a handler Ctrl-C stops the run as well, and says nothing.
        HANDLER.call_once(|| drop(ctrlc::set_handler(stop)));
        *TO_SAY.lock().expect("nothing panics with it") = Some(sentence);
        OnInterrupt(())
    }
}

impl Drop for OnInterrupt {
    fn drop(&mut self) {
        *TO_SAY.lock().expect("nothing panics with it") = None;
    }
}

/// What has to be known if the run ends here.
pub fn to_say() -> Option<String> {
    TO_SAY.try_lock().ok()?.clone()
}

/// Ends the run as Ctrl-C does, for who caught it.
#[allow(clippy::exit)] // a job may be at work in another thread
pub fn stopped(sentence: Option<&str>) -> ! {
    if let Some(sentence) = sentence {
        eprintln!("\nstopped: {sentence}");
    }
    std::process::exit(STOPPED);
}

#[allow(clippy::exit)] // other threads are at work, and there is nothing that they have to finish
fn stop() {
    if let Some(sentence) = &*TO_SAY.lock().expect("nothing panics with it") {
        eprintln!("\nstopped: {sentence}");
    }
    std::process::exit(STOPPED);
}
