//! Where the ledger is.

use crate::explain::check_ordinary;
use crate::{Error, FileError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable that names the ledger.
pub const LEDGER_VARIABLE: &str = "DISCRETION_LEDGER";

/// The ledger's file: `flag`, else `DISCRETION_LEDGER`, else `ledger.sqlite` in the user's data
/// directory.
pub fn default_path(flag: Option<&Path>) -> Result<PathBuf, Error> {
    let path = locate(flag, |name| std::env::var_os(name))?;
    check_ordinary(&path)?;
    Ok(path)
}

fn locate(
    flag: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, Error> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = flag {
        return Ok(path.to_path_buf());
    }
    if let Some(path) = set(LEDGER_VARIABLE) {
        return Ok(path);
    }
    // The specification has a relative XDG_DATA_HOME ignored.
    let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(set("HOME")?.join(".local/share")));
    Ok(data
        .ok_or(Error::File(FileError::NoDataDirectory))?
        .join("discretion")
        .join("ledger.sqlite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(flag: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())
        };
        let path = locate(flag.map(Path::new), variable).ok()?;
        Some(path.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_flag_goes_before_the_variable_and_both_before_the_data_directory() {
        let all = [("DISCRETION_LEDGER", "/v"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(with(Some("f"), &all).unwrap(), "f");
        assert_eq!(with(None, &all).unwrap(), "/v");
        assert_eq!(with(None, &all[1..]).unwrap(), "/x/discretion/ledger.sqlite");
        assert_eq!(with(None, &all[2..]).unwrap(), "/h/.local/share/discretion/ledger.sqlite");
        assert_eq!(
            with(None, &[("XDG_DATA_HOME", "relative"), ("HOME", "/h")]).unwrap(),
            "/h/.local/share/discretion/ledger.sqlite"
        );
        assert_eq!(with(None, &[]), None);
    }
}
