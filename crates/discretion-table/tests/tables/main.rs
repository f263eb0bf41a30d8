//! Tables of every kind, read as a run reads them: one program, because each that links the readers of Parquet takes long to build.

mod bad_input;
mod codes;
mod cohorts;
mod columns;
#[path = "../common/mod.rs"]
mod common;
mod dates;
mod dictionary;
mod good_input;
mod mistakes;
mod parquet_files;
mod several_files;
mod sqlite;
mod text_files;
