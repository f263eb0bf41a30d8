//! The extension module `discretion._discretion`: it converts, and forwards to the libraries.
//!
//! Signatures for people, their documentation and their tests are in `python/`.

mod arrow_stream;
mod audit;
mod budget;
mod columns;
mod dates;
mod density;
mod density_file;
mod digest;
mod errors;
mod fit;
mod interrupt;
mod ledger;
mod model;
mod number;
mod number_model;
mod number_rows;
mod parts;
mod payer;
mod person_ids;
mod pieces;
mod plan;
mod release;
mod remote;
mod repeat;
mod save;
mod settled;
mod table;
mod vote;
mod weights;

use pyo3::prelude::*;

/// The module.
#[pymodule]
mod _discretion {
    use super::*;

    #[pymodule_export]
    use super::audit::{audit_callable, audit_shipped};
    #[pymodule_export]
    use super::dates::date_columns;
    #[pymodule_export]
    use super::density::{Described, fit_density};
    #[pymodule_export]
    use super::density_file::Density;
    #[pymodule_export]
    use super::fit::{check_fit_on_cluster, fit};
    #[pymodule_export]
    use super::ledger::Ledger;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::number::{EncodedNumber, check_number_on_cluster, fit_number};
    #[pymodule_export]
    use super::number_model::NumberModel;
    #[pymodule_export]
    use super::parts::Part;
    #[pymodule_export]
    use super::pieces::{deal_piece, describe_piece, encode_piece, tally_pieces};
    #[pymodule_export]
    use super::plan::{plan, plan_fit, plan_number, plan_vote};
    #[pymodule_export]
    use super::release::release;
    #[pymodule_export]
    use super::remote::{RemoteColumns, RemoteRows};
    #[pymodule_export]
    use super::settled::settled;
    #[pymodule_export]
    use super::table::Encoded;
    #[pymodule_export]
    use super::vote::{Session, persons_in_order};

    /// The schema of a study file, as JSON.
    #[pyfunction]
    fn schema_of_study(py: Python<'_>, path: std::path::PathBuf) -> PyResult<String> {
        let study = discretion_table::Study::read(path)
            .map_err(|error| errors::input(py, error.to_string()))?;
        Ok(serde_json::to_string(&study.schema).expect("a schema is plain data"))
    }

    /// What the classes of a schema's target are called, in their order. None of a number.
    #[pyfunction]
    fn class_names(py: Python<'_>, target: &str) -> PyResult<Vec<String>> {
        let target: discretion_table::Target =
            serde_json::from_str(target).map_err(|error| errors::input(py, error.to_string()))?;
        Ok(target.labels.names())
    }
}
