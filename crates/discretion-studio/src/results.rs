//! Files that come in and files that were made: uploads, pages to look at, scores, dossiers.

use crate::app::App;
use crate::folder::is_table;
use axum::body::Body;
use discretion::{Refusal, Remedy};
use discretion_disk::existing::{Existing, keep_input};
use discretion_disk::files::{self, Draft, Readers};
use discretion_jobs::Silence;
use discretion_jobs::dossier::DossierRequest;
use discretion_jobs::predict::{Prediction, Predictor};
use discretion_table::unreadable;
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;

/// The largest file that can be dropped; a larger one is named by its path.
const LARGEST_UPLOAD: u64 = 4 << 30;

/// The largest file to look at.
const LARGEST_SHOWN: u64 = 256 << 20;

/// A dropped table, written into the folder for its owner alone. It appears whole or not at all.
pub async fn upload(app: &App, name: &str, mut body: Body) -> Result<Value, Refusal> {
    let name = percent_decoded(name)?;
    if name.contains('/') || !is_table(&name) {
        return Err(Refusal::bad_input(format!(
            "{name:?}: a table is a .csv, .tsv (also with .gz behind it), .parquet, .arrow, .feather or .sqlite file"
        )));
    }
    let path = app.folder.inside(&name)?;
    Existing::Keep.check(&path, &[Remedy::AnotherFile])?;
    let mut draft = Draft::create(&path, Readers::Owner)?;
    let mut bytes = 0_u64;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            Refusal::refused(format!("{name}: the file did not arrive whole; drop it again"))
        })?;
        if let Some(data) = frame.data_ref() {
            bytes += data.len() as u64;
            if bytes > LARGEST_UPLOAD {
                return Err(Refusal::bad_input(format!(
                    "{name}: a file of more than 4 GB is named by its path"
                )));
            }
            draft.write_all(data).map_err(|error| Refusal::unwritten(&path, error))?;
        }
    }
    draft.commit()?;
    Ok(json!({ "name": name, "bytes": bytes }))
}

/// A file of the folder, with its kind. Tables are not shown: they are not what this page made.
pub fn file(app: &App, name: &str) -> Result<(&'static str, Vec<u8>), Refusal> {
    let name = percent_decoded(name)?;
    let path = app.folder.inside(&name)?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let kind = match ending {
        "html" => "text/html; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "toml" | "md" | "txt" | "yaml" => "text/plain; charset=utf-8",
        _ => {
            return Err(Refusal::bad_input(format!(
                "{name}: only reports and results can be looked at here"
            )));
        }
    };
    let size = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?.len();
    if size > LARGEST_SHOWN {
        return Err(Refusal::bad_input(format!("{name}: this file is too large to look at here")));
    }
    Ok((kind, files::read(&path).map_err(|error| unreadable(&path, &error))?))
}

fn percent_decoded(name: &str) -> Result<String, Refusal> {
    let bad = || Refusal::bad_input("a name that is none".to_owned());
    let mut bytes = Vec::new();
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next().ok_or_else(bad)?, rest.next().ok_or_else(bad)?];
        let digits = std::str::from_utf8(&digits).map_err(|_| bad())?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| bad())?);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredictAsked {
    model: String,
    table: String,
    #[serde(default)]
    keep: Vec<String>,
    out: String,
}

/// Scores of a table, as `discretion predict` writes them.
pub fn predict(app: &App, asked: &PredictAsked) -> Result<Value, Refusal> {
    let (model_file, table, out) = (
        app.folder.inside(&asked.model)?,
        app.folder.table(&asked.table)?,
        app.folder.inside(&asked.out)?,
    );
    let model = Predictor::read(&model_file)?;
    let prediction = Prediction {
        model: &model,
        model_file: &model_file,
        table: &table,
        keep: &asked.keep,
        json: false,
        threshold: None,
    };
    prediction.check()?;
    if !asked.out.ends_with(".csv") {
        return Err(Refusal::bad_input(format!(
            "{}: scores are written to a .csv file",
            asked.out
        )));
    }
    Existing::Keep.check(&out, &[Remedy::AnotherFile])?;
    keep_input(&out, &table)?;
    let readers = prediction.readers();
    let mut draft = Draft::create(&out, readers)?;
    let rows = prediction.write(&|_| {}, |text| {
        draft.write_all(text.as_bytes()).map_err(|error| Refusal::unwritten(&out, error))
    })?;
    draft.commit()?;
    let for_owner = matches!(readers, Readers::Owner);
    Ok(json!({ "rows": rows, "file": out.display().to_string(), "for_owner": for_owner }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DossierAsked {
    model: String,
    #[serde(default)]
    study: Option<String>,
}

/// What a board asks about a model: a folder beside it, as `discretion dossier` writes it. It is
/// made anew each time.
pub fn dossier(app: &App, asked: &DossierAsked) -> Result<Value, Refusal> {
    let model = app.folder.inside(&asked.model)?;
    let study = asked.study.as_deref().map(|name| app.folder.study(name)).transpose()?;
    let name = Path::new(&asked.model).with_file_name("dossier");
    let folder = app.folder.inside(&name.to_string_lossy())?;
    let request = DossierRequest {
        model: &model,
        study: study.as_deref(),
        folder: &folder,
        ledger: app.ledger(),
        existing: Existing::Replace,
    };
    let written = request.write(&Silence)?;
    let files: Vec<String> = written
        .files
        .iter()
        .filter_map(|file| file.file_name())
        .map(|file| format!("{}/{}", name.to_string_lossy(), file.to_string_lossy()))
        .collect();
    let missing: Vec<Value> = written
        .missing
        .iter()
        .map(|(question, key)| json!({ "question": question, "key": key }))
        .collect();
    Ok(json!({ "files": files, "missing": missing }))
}
