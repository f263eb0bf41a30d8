//! How many answers sessions gave.

use crate::error::Error;
use crate::explain::Explain;
use crate::store;
use rusqlite::Connection;
use std::collections::HashMap;

/// How many answers each session gave that gave any, by its charge.
pub(crate) fn answers_of_charges(
    connection: &Connection,
    explain: &Explain,
) -> Result<HashMap<u64, u64>, Error> {
    if !store::has_sessions(connection, explain)? {
        return Ok(HashMap::new());
    }
    // One look into an index for each session, however many answers it gave.
    let sql = "SELECT charge, last FROM (
                   SELECT charge, (SELECT MAX(number) FROM answers WHERE answers.charge = sessions.charge) AS last
                   FROM sessions)
               WHERE last IS NOT NULL";
    let mut select = connection.prepare_cached(sql).map_err(|error| explain.sqlite(error))?;
    let counts = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    counts.and_then(Iterator::collect).map_err(|error| explain.sqlite(error))
}
