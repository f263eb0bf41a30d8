//! Settings in place of a study's; and the study of a plan: named first, as for every other command, or behind `--study`, as it used to
//! be.

use std::path::{Path, PathBuf};

/// For every command that takes settings in place of the study's.
#[derive(Debug, Default, clap::Args)]
pub struct Settings {
    /// Take this setting in place of the study's, such as intervals.level=0.9; give it again for
    /// several. The value is TOML, or a text without quotes
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Which study.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub struct StudyFile {
    /// Take columns, spend and settings from this study file
    #[arg(value_name = "STUDY")]
    first: Option<PathBuf>,
    /// The same
    #[arg(long, value_name = "STUDY", hide = true)]
    study: Option<PathBuf>,
}

impl StudyFile {
    /// The file, if one was named.
    pub fn named(&self) -> Option<&Path> {
        self.first.as_deref().or(self.study.as_deref())
    }
}
