//! What the page can ask, each with one function.

use crate::app::App;
use crate::{results, studies, views, work};
use discretion::Refusal;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The answer to a request; nothing if there is no such request.
pub fn answer(
    app: &std::sync::Arc<App>,
    name: &str,
    body: &[u8],
) -> Option<Result<Value, Refusal>> {
    Some(match name {
        "state" => Ok(views::state::state(app)),
        "draft" => read(body).and_then(|asked| studies::draft(app, &asked)),
        "study" => read(body).and_then(|asked| studies::open(app, &asked)),
        "save" => read(body).and_then(|asked| studies::save(app, &asked)),
        "look" => read(body).and_then(|asked| views::look::look(app, &asked)),
        "rows" => read(body).and_then(|asked| views::plan::rows(app, &asked)),
        "plan" => read(body).and_then(|asked| views::plan::plan(app, &asked)),
        "quote" => read(body).and_then(|asked| work::quote(app, asked)),
        "run" => read(body).and_then(|asked| work::start(app, asked)),
        "stop-run" => Ok(work::stop(app)),
        "history" => views::history::history(app),
        "predict" => read(body).and_then(|asked| results::predict(app, &asked)),
        "dossier" => read(body).and_then(|asked| results::dossier(app, &asked)),
        "stop" => stop(app, read(body)),
        _ => return None,
    })
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::bad_input(format!("the page asked for nonsense: {error}")))
}

/// Ends the page. A run is not lost by accident, and what it has charged is said.
fn stop(app: &App, asked: Result<StopRequest, Refusal>) -> Result<Value, Refusal> {
    let anyway = asked?.anyway;
    match app.work.lost_if_stopped() {
        Some(lost) if !anyway => Err(Refusal::refused(format!("a run is under way: {lost}"))),
        _ => {
            let lost = app.work.end();
            app.stop.send_replace(true);
            Ok(json!({ "lost": lost }))
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StopRequest {
    #[serde(default)]
    anyway: bool,
}
