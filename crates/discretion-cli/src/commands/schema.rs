//! `discretion schema`: a draft of a study file, for a person to complete.

use crate::args::Schema;
use crate::files::{self, Existing, Readers};
use crate::out;
use discretion::{Refusal, Remedy};
use discretion_table::{DraftRequest, Table, TableSource};
use std::path::{Path, PathBuf};

/// Drafts a study file for a table.
pub fn run(args: &Schema) -> Result<(), Refusal> {
    let table = TableSource::new(args.files.clone()).with_query(args.query.clone());
    let request = DraftRequest {
        account: args.account.clone(),
        from_data: args.from_data,
        format: args.table.format(),
        na: args.table.na.clone(),
        dictionary: args.dictionary.clone(),
        ..DraftRequest::new(table.clone())
    };
    let Some(path) = &args.out else {
        return out::print(&request.draft()?);
    };
    Existing::new(args.force).check(path, &[Remedy::AnotherFile, Remedy::Overwrite])?;
    table.files()?.iter().try_for_each(|file| files::keep_input(path, file))?;
    let named = args.files.iter().map(|file| seen_from(path, file)).collect::<Result<_, _>>()?;
    let draft =
        DraftRequest { named: TableSource::new(named).with_query(args.query.clone()), ..request }
            .draft()?;
    let readers = if args.from_data { Readers::Owner } else { Readers::Anyone };
    files::write(path, readers, &draft)?;
    let shown = path.display();
    if args.from_data {
        eprintln!("warning: {shown}: NOT PRIVATE: bounds and categories were read from the rows");
        eprintln!(
            "Replace them by what the data dictionary says, check the target, fill in every \"?\", then: discretion fit {shown}"
        );
    } else {
        eprintln!("{shown} is written. Fill in every \"?\", then: discretion fit {shown}");
    }
    Ok(())
}

/// The table's path as the study file must give it: study files name tables relative to themselves.
fn seen_from(study: &Path, table: &Path) -> Result<PathBuf, Refusal> {
    if files::parent(study) == Path::new(".") {
        return Ok(table.to_owned());
    }
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|error| Refusal::bad_file(path, error));
    let (folder, table) = (absolute(files::parent(study))?, absolute(table)?);
    Ok(table.strip_prefix(&folder).map(Path::to_owned).unwrap_or(table))
}
