//! Tables of every kind, read as a run reads them: one program, because each that links the readers
//! of Parquet takes long to build.

mod arrow_files;
mod bad_input;
mod codes;
mod cohorts;
mod columns;
#[path = "../common/mod.rs"]
mod common;
mod dates;
mod dictionary;
mod good_input;
mod in_memory;
mod mistakes;
mod parquet_files;
mod several_files;
mod spill;
mod sqlite;
mod text_files;
