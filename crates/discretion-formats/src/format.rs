//! Files that this program writes and reads again: what they have in common.

use discretion_disk::hex::hex;
use discretion_table::Schema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// Name and version of this program, as every file has it.
pub const PROGRAM: &str = concat!("discretion ", env!("CARGO_PKG_VERSION"));

/// The content of a file that may be published, unless it warns.
pub trait Artefact: Sized {
    /// The text of the file.
    fn to_json(&self) -> String;

    /// Reads the text of a file, or says in a sentence why not.
    fn from_json(json: &str) -> Result<Self, String>;

    /// Why it must not be published, if so.
    fn warning(&self) -> Option<&str>;
}

/// Refuses a schema of which it is not settled where curves bend: a model has knots.
pub(crate) fn settled(schema: &Schema) -> Result<(), String> {
    match schema.unsettled() {
        None => Ok(()),
        Some((column, said)) => {
            Err(format!("column `{column}` of this model has {said} and no knots; was it edited?"))
        }
    }
}

/// A kind of file.
pub struct Format {
    /// Its name and version: what this program writes and reads.
    pub name: &'static str,
    /// What it holds.
    pub thing: &'static str,
    /// What it is called.
    pub file: &'static str,
    /// What wrote it.
    pub command: &'static str,
}

impl Format {
    /// Reads one, or says in a sentence why not.
    pub fn parse<T: DeserializeOwned>(&self, json: &str) -> Result<T, String> {
        /// Known of every version, past and future.
        #[derive(Deserialize)]
        struct AnyVersion {
            format: Option<String>,
        }
        let Format { name: format, thing, file, command } = self;
        let broken = |error: serde_json::Error| {
            format!("this is not a {thing} file of discretion, or a damaged one: {error}")
        };
        match serde_json::from_str::<AnyVersion>(json).map_err(broken)?.format {
            None => Err(format!(
                "this is not a {thing} file: it has no \"format\"; name a {file} that `discretion {command}` wrote"
            )),
            Some(found) if !same_kind(&found, format) => Err(format!(
                "this file has the format {found:?}, and a {thing} has {format:?}; name a {file} that `discretion \
                 {command}` wrote"
            )),
            Some(found) if found != *format => Err(format!(
                "this {thing} has the format {found:?}, and this program reads {format:?}; use the version of \
                 discretion that wrote it"
            )),
            Some(_) => serde_json::from_str(json).map_err(broken),
        }
    }

    /// The text of a file. If it has a warning, that is its first field and belongs on the very
    /// first line.
    pub fn text(json: String, has_warning: bool) -> String {
        if has_warning { json.replacen("{\n  ", "{ ", 1) + "\n" } else { json + "\n" }
    }
}

/// Whether two formats differ at most in their version.
fn same_kind(one: &str, other: &str) -> bool {
    let kind = |format: &str| format.split_once('/').map(|(kind, _)| kind.to_owned());
    kind(one) == kind(other)
}

/// The SHA-256 of a file's content: 64 hexadecimal digits.
pub fn content_hash(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}
