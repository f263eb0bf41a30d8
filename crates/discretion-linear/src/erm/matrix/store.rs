//! Where rows are kept.

use super::{Layout, Matrix};
use crate::erm::OracleError;
use std::ops::Range;
use std::sync::Arc;

/// Place where encoded rows are kept: memory, or a file that is read anew at every pass. It is
/// asked from several threads at once.
pub trait Store: Send + Sync {
    /// Returns the layout of the rows.
    fn layout(&self) -> &Layout;

    /// Returns the number of rows.
    fn rows(&self) -> usize;

    /// Calls `work` once, with a matrix that has these rows side by side and the place of the first
    /// of them in it. The matrix has the store's layout.
    fn with(
        &self,
        rows: Range<usize>,
        work: &mut dyn FnMut(&Matrix, usize),
    ) -> Result<(), OracleError>;

    /// Returns the rows, if they are in memory.
    fn in_memory(&self) -> Option<&Matrix> {
        None
    }

    /// Returns a store of the same rows in this order. In memory, unless a store knows better.
    fn permuted(&self, order: &[usize]) -> Result<Arc<dyn Store>, OracleError> {
        let mut rows = None;
        self.with(0..self.rows(), &mut |matrix, at| {
            let order: Vec<usize> = order.iter().map(|row| at + row).collect();
            rows = Some(matrix.gather(&order));
        })?;
        Ok(Arc::new(rows.expect("a store hands out its rows")))
    }
}

impl Store for Matrix {
    fn layout(&self) -> &Layout {
        Matrix::layout(self)
    }

    fn rows(&self) -> usize {
        Matrix::rows(self)
    }

    fn with(
        &self,
        rows: Range<usize>,
        work: &mut dyn FnMut(&Matrix, usize),
    ) -> Result<(), OracleError> {
        work(self, rows.start);
        Ok(())
    }

    fn in_memory(&self) -> Option<&Matrix> {
        Some(self)
    }
}

impl<S: Store + ?Sized> Store for &S {
    fn layout(&self) -> &Layout {
        (**self).layout()
    }

    fn rows(&self) -> usize {
        (**self).rows()
    }

    fn with(
        &self,
        rows: Range<usize>,
        work: &mut dyn FnMut(&Matrix, usize),
    ) -> Result<(), OracleError> {
        (**self).with(rows, work)
    }

    fn in_memory(&self) -> Option<&Matrix> {
        (**self).in_memory()
    }

    fn permuted(&self, order: &[usize]) -> Result<Arc<dyn Store>, OracleError> {
        (**self).permuted(order)
    }
}
