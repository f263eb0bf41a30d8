//! What arguments are called, in messages to whoever wrote them.

/// Who wrote the arguments of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Somebody at the command line.
    Flags,
    /// Somebody in Python.
    Keywords,
    /// Somebody at the page.
    Fields,
}

impl Arguments {
    /// What a flag of the command line is called there.
    pub fn name(self, flag: &str) -> String {
        match (self, flag) {
            (Arguments::Flags, _) => format!("--{flag}"),
            // A word of the language itself.
            (Arguments::Keywords, "lambda") => "lam".to_owned(),
            // A list, where the command line has a flag for each.
            (Arguments::Keywords, "column") => "columns".to_owned(),
            (Arguments::Keywords | Arguments::Fields, _) => flag.to_owned(),
        }
    }
}
