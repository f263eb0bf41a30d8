//! A model file, whatever its outcome is.

use crate::format::{Artefact, content_hash};
use crate::model::Model;
use crate::number::NumberModel;
use crate::privacy::Privacy;
use discretion::Refusal;
use discretion_table::{Schema, unreadable};
use std::path::Path;

/// A model that predicts, whatever its outcome is.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyModel {
    /// Classes.
    Classes(Box<Model>),
    /// A number.
    Number(Box<NumberModel>),
}

impl AnyModel {
    /// Reads a model file of either kind.
    pub fn read(path: &Path) -> Result<AnyModel, Refusal> {
        AnyModel::read_with_hash(path).map(|(model, _)| model)
    }

    /// The same, with the SHA-256 of the file.
    pub fn read_with_hash(path: &Path) -> Result<(AnyModel, String), Refusal> {
        let json = discretion_disk::files::read_to_string(path)
            .map_err(|error| unreadable(path, &error))?;
        Ok((AnyModel::from_text(&json, path)?, content_hash(json.as_bytes())))
    }

    /// Reads the text of the file at `path`.
    pub fn from_text(json: &str, path: &Path) -> Result<AnyModel, Refusal> {
        let model = match NumberModel::is_in(json) {
            true => NumberModel::from_json(json).map(|model| AnyModel::Number(Box::new(model))),
            false => Model::from_json(json).map(|model| AnyModel::Classes(Box::new(model))),
        };
        model.map_err(|sentence| Refusal::bad_file(path, sentence))
    }

    /// Why it must not be published, if so.
    pub fn warning(&self) -> Option<&str> {
        match self {
            AnyModel::Classes(model) => model.warning(),
            AnyModel::Number(model) => model.warning(),
        }
    }

    /// The text of its file.
    pub fn to_json(&self) -> String {
        match self {
            AnyModel::Classes(model) => model.to_json(),
            AnyModel::Number(model) => model.to_json(),
        }
    }

    /// What has to be known of its intervals.
    pub fn about_intervals(&self) -> Option<&String> {
        match self {
            AnyModel::Classes(model) => model.intervals.as_ref()?.warning.as_ref(),
            AnyModel::Number(_) => None,
        }
    }

    /// What is promised.
    pub fn privacy(&self) -> &Privacy {
        match self {
            AnyModel::Classes(model) => &model.privacy,
            AnyModel::Number(model) => &model.privacy,
        }
    }

    /// Whether anything is promised to those it was trained on.
    pub fn is_private(&self) -> bool {
        self.privacy().private
    }

    /// What is declared about the table.
    pub fn schema(&self) -> &Schema {
        match self {
            AnyModel::Classes(model) => &model.schema,
            AnyModel::Number(model) => &model.schema,
        }
    }
}

impl From<Model> for AnyModel {
    fn from(model: Model) -> AnyModel {
        AnyModel::Classes(Box::new(model))
    }
}

impl From<NumberModel> for AnyModel {
    fn from(model: NumberModel) -> AnyModel {
        AnyModel::Number(Box::new(model))
    }
}
