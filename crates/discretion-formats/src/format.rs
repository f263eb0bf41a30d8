//! Files that this program writes and reads again: what they have in common.

use crate::claim::Claim;
use discretion::Excerpt;
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
            let column = Excerpt::of(column);
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
    /// Reads one, or says in a sentence why not. What is read fits together ([`Claim::check`]).
    pub fn parse<T: DeserializeOwned + Claim>(&self, json: &str) -> Result<T, String> {
        let Format { name: format, thing, file, command } = self;
        let broken = |error: serde_json::Error| {
            let said = without_long_quotes(&error);
            format!("this is not a {thing} file of discretion, or a damaged one: {said}")
        };
        let shown = |found: &str| format!("\"{}\"", Excerpt::of(found));
        match format_of(json).map_err(broken)? {
            None => Err(format!(
                "this is not a {thing} file: it has no \"format\"; name a {file} that `discretion {command}` wrote"
            )),
            Some(found) if !same_kind(&found, format) => Err(format!(
                "this file has the format {}, and a {thing} has {format:?}; name a {file} that `discretion {command}` wrote",
                shown(&found)
            )),
            Some(found) if found != *format => Err(format!(
                "this {thing} has the format {}, and this program reads {format:?}; use the version of discretion that wrote it",
                shown(&found)
            )),
            Some(_) => {
                let claim: T = serde_json::from_str(json).map_err(broken)?;
                claim.check().map_err(|sentence| format!("this {thing} is damaged: {sentence}"))?;
                Ok(claim)
            }
        }
    }

    /// The text of a file. If it has a warning, that is its first field and belongs on the very
    /// first line.
    pub fn text(json: String, has_warning: bool) -> String {
        if has_warning { json.replacen("{\n  ", "{ ", 1) + "\n" } else { json + "\n" }
    }
}

/// The format that a file names, if it names one.
pub(crate) fn format_of(json: &str) -> Result<Option<String>, serde_json::Error> {
    /// Known of every version, past and future.
    #[derive(Deserialize)]
    struct AnyVersion {
        format: Option<String>,
    }
    Ok(serde_json::from_str::<AnyVersion>(json)?.format)
}

/// Our own messages about a schema, a law or a matrix are shorter than this.
const LONGEST_SENTENCE: usize = 600;

/// Writes the message of a JSON error with its place. Names and values from the file are cut
/// short.
fn without_long_quotes(error: &serde_json::Error) -> String {
    let said = error.to_string();
    // A name stands between backticks, a text between quotes; the program's own words follow the
    // last of them.
    for (before, quote) in [
        ("unknown field `", "`, "),
        ("unknown variant `", "`, "),
        ("invalid type: string \"", "\", "),
        ("invalid value: string \"", "\", "),
    ] {
        let Some(rest) = said.strip_prefix(before) else { continue };
        let Some((quoted, after)) = rest.rsplit_once(&format!("{quote}expected ")) else {
            continue;
        };
        return format!("{before}{}{quote}expected {after}", Excerpt::of(quoted));
    }
    // A sentence of ours has its excerpts cut already; other types quote a whole text.
    match said.find(['"', '`']) {
        Some(start) if said.len() > LONGEST_SENTENCE => {
            let (line, column) = (error.line(), error.column());
            let quoted = Excerpt::of(&said[start + 1..]);
            format!("{}\"{quoted}\" at line {line} column {column}", &said[..start])
        }
        _ => said,
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
