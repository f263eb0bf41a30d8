//! The name of settings, by which a run or a session with equal settings is found again.

/// The name of some settings, and the names that earlier programs gave to the same settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsName {
    name: String,
    earlier: Vec<String>,
}

impl SettingsName {
    /// A name that is written from now on, and those that were written before.
    pub fn new(name: String, earlier: Vec<String>) -> SettingsName {
        SettingsName { name, earlier }
    }

    /// The name that is written.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All names, the one that is written first.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        [&self.name].into_iter().chain(&self.earlier).map(String::as_str)
    }
}

impl From<&str> for SettingsName {
    fn from(name: &str) -> SettingsName {
        SettingsName::new(name.to_owned(), Vec::new())
    }
}
