//! Aligned columns for people.

/// Columns wider than this are cut: a category can be a whole sentence.
const WIDEST: usize = 48;

/// Rows under a heading; the first column is set left, the others right.
pub struct AlignedColumns {
    rows: Vec<Vec<String>>,
}

impl AlignedColumns {
    /// A table with this heading and no rows.
    pub fn new(heading: &[&str]) -> AlignedColumns {
        AlignedColumns { rows: vec![heading.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    /// Appends a row. Cells that it lacks are empty, and those beyond the heading are left out.
    pub fn row(&mut self, cells: Vec<String>) {
        let mut row: Vec<String> = cells.iter().map(|cell| printable(cell)).collect();
        row.resize(self.rows[0].len(), String::new());
        self.rows.push(row);
    }

    /// The lines, each ended.
    pub fn render(&self) -> String {
        let columns = self.rows[0].len();
        let widest =
            |j: usize| self.rows.iter().map(|row| row[j].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = format!("{:<width$}", row[0], width = widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                line.push_str(&format!("  {cell:>width$}"));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Text from a study file, on one line and not too long.
fn printable(cell: &str) -> String {
    let mut text = String::new();
    for (i, c) in cell.chars().enumerate() {
        if i == WIDEST {
            text.push('…');
            break;
        }
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_nothing_breaks_a_line() {
        let mut table = AlignedColumns::new(&["name", "value"]);
        table.row(vec!["Łódź".into(), "1.5".into()]);
        table.row(vec!["two\nlines".into(), "-12".into()]);
        table.row(vec!["x".repeat(99), String::new()]);
        let text = table.render();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].ends_with("    1.5") && lines[2].starts_with("two\\nlines "), "{text}");
        assert_eq!(lines[3].chars().count(), WIDEST + 1);
    }
}
