//! Study files: drafted, opened, checked and saved. What the page shows is what is in the file.

use crate::app::App;
use crate::refusals::on_page;
use discretion::Refusal;
use discretion::privacy::Budget;
use discretion_disk::files::{self, Readers};
use discretion_formats::content_hash;
use discretion_jobs::request::check_budget;
use discretion_jobs::support::{self, features_of};
use discretion_table::{DraftRequest, FieldProblem, Form, Study, TableSource, suggested_account};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// More columns than a person fills in on a page.
const MOST_COLUMNS: usize = 2_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftAsked {
    /// The table: a name in the folder, or a whole path that somebody typed.
    table: String,
    /// What to ask, if it is an SQLite file.
    #[serde(default)]
    query: Option<String>,
    #[serde(default)]
    dictionary: Option<String>,
    /// Whether bounds and values are looked up in the rows: NOT PRIVATE.
    #[serde(default)]
    look_up: bool,
}

/// A form for a table: names and types, and what a data dictionary says.
pub fn draft(app: &App, asked: &DraftAsked) -> Result<Value, Refusal> {
    let table = app.folder.table(&asked.table)?;
    let dictionary = asked.dictionary.as_deref().map(|name| app.folder.table(name)).transpose()?;
    let request = DraftRequest {
        account: Some(suggested_account(&table)),
        from_data: asked.look_up,
        dictionary,
        named: TableSource::from(&PathBuf::from(&asked.table)).with_query(asked.query.clone()),
        ..DraftRequest::new(TableSource::from(&table).with_query(asked.query.clone()))
    };
    let form = Form::read(Path::new("study.toml"), &request.draft()?)?;
    refuse_many(&form)?;
    Ok(json!({ "form": form }))
}

fn refuse_many(form: &Form) -> Result<(), Refusal> {
    match form.columns.len() {
        few if few <= MOST_COLUMNS => Ok(()),
        many => Err(Refusal::bad_input(format!(
            "{many} columns are more than a page can show; write the study file with `discretion schema` and a data dictionary"
        ))),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyAsked {
    pub study: String,
}

/// A study file as a form, and what it was when it was read.
pub fn open(app: &App, asked: &StudyAsked) -> Result<Value, Refusal> {
    let path = app.folder.study(&asked.study)?;
    let text = Study::text_of(&path)?;
    let form = Form::read(&path, &text)?;
    refuse_many(&form)?;
    refuse_more_than_fields(&path, &text, &form)?;
    let written_here = text.starts_with("# A study file, written by `discretion studio`");
    let mut answer = checked(&path, &form);
    answer["form"] = json!(form);
    answer["base"] = json!(content_hash(text.as_bytes()));
    answer["comments_go"] = json!(!written_here && text.contains('#'));
    Ok(answer)
}

/// Some studies say what no field can hold, such as a value with a line break. They are not opened
/// here, because saving would change what they mean.
fn refuse_more_than_fields(path: &Path, text: &str, form: &Form) -> Result<(), Refusal> {
    let Ok(study) = Study::parse(path, text) else { return Ok(()) };
    let same = Study::parse(path, &form.text())
        .is_ok_and(|written| Study { places: study.places.clone(), ..written } == study);
    match same {
        true => Ok(()),
        false => Err(Refusal::bad_file(
            path,
            "this study says something that the page has no field for; edit it by hand and run it with `discretion fit`",
        )),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormAsked {
    study: String,
    form: Form,
    /// What the file was when this page read it; nothing if it was not there.
    #[serde(default)]
    base: Option<String>,
}

/// Saves a form as its study file, finished or not: a closed tab loses nothing. A file that
/// somebody else changed stays.
pub fn save(app: &App, asked: &FormAsked) -> Result<Value, Refusal> {
    let path = app.folder.study(&asked.study)?;
    let there = files::read(&path).ok().map(|bytes| content_hash(&bytes));
    let mut answer = checked(&path, &asked.form);
    let text = asked.form.text();
    let hash = content_hash(text.as_bytes());
    if there != asked.base && there.as_ref() != Some(&hash) {
        return Err(Refusal::refused(format!(
            "{}: another tab or an editor changed this file since it was opened here; open it again, or save under another name",
            asked.study
        )));
    }
    let looked_up = asked.form.columns.iter().any(|column| column.looked_up);
    if there.as_ref() != Some(&hash) {
        files::write(&path, if looked_up { Readers::Owner } else { Readers::Anyone }, &text)?;
    }
    answer["base"] = json!(hash);
    Ok(answer)
}

/// What is open, what is wrong, and whether the study can run.
fn checked(path: &Path, form: &Form) -> Value {
    let mut check = form.check(path);
    if let Some(study) = &check.study {
        let key = if matches!(study.spend, Budget::Zcdp { .. }) { "rho" } else { "epsilon" };
        let wrong = [
            (check_budget(study).err(), ("spend", Some(key))),
            // Some things that a study may say do not go together.
            (support::check(&features_of(study, &[])).err(), ("data", None)),
        ];
        for (refusal, (section, key)) in wrong {
            check.problems.extend(refusal.map(|refusal| FieldProblem {
                section: section.to_owned(),
                column: None,
                key: key.map(str::to_owned),
                sentence: on_page(&refusal).0,
            }));
        }
    }
    let ready = check.study.is_some() && check.problems.is_empty();
    json!({
        "open": check.open,
        "problems": check.problems,
        "ready": ready,
        "text": check.text,
    })
}
