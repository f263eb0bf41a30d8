//! Plain rows as CSV, for programs.

use discretion::erm::matrix::OTHER;
use discretion_table::{Classes, Kind, PlainRows, Schema};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes rows as a program reads them: a header, the study's columns in their declared order and
/// units, nothing where a value is missing or not declared, and the class in the last column, under
/// the target's name.
pub(super) struct RowWriter {
    columns: Vec<(String, Column)>,
    target: String,
    classes: Vec<String>,
}

enum Column {
    Number,
    /// The declared values, quoted where they have to be.
    Category(Vec<String>),
}

impl RowWriter {
    pub fn new(schema: &Schema, classes: &Classes) -> Self {
        let column = |kind: &Kind| match kind {
            Kind::Number { .. } | Kind::Date { .. } => Some(Column::Number),
            Kind::Category { values, .. } => {
                Some(Column::Category(values.iter().map(|value| field(value)).collect()))
            }
            Kind::Dropped => None,
        };
        let columns = schema.columns().iter();
        Self {
            columns: columns.filter_map(|c| Some((field(&c.name), column(&c.kind)?))).collect(),
            target: field(&schema.target().column),
            classes: classes.names().iter().map(|name| field(name)).collect(),
        }
    }

    pub fn write(&self, rows: &PlainRows, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create_new(path)?);
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        write!(out, "{}", names.join(","))?;
        let labelled = !rows.classes().is_empty();
        writeln!(
            out,
            "{}{}",
            if labelled { "," } else { "" },
            if labelled { &self.target } else { "" }
        )?;
        for row in 0..rows.count() {
            match self.line(rows, row).as_str() {
                // The only column, and nothing in it: readers pass over a blank line.
                "" => writeln!(out, "\"\"")?,
                line => writeln!(out, "{line}")?,
            }
        }
        out.flush()
    }

    fn line(&self, rows: &PlainRows, row: usize) -> String {
        let (mut numbers, mut codes) = (rows.numbers(row).iter(), rows.codes(row).iter());
        let mut line = String::new();
        for (i, (_, column)) in self.columns.iter().enumerate() {
            if i > 0 {
                line.push(',');
            }
            match column {
                Column::Number => {
                    if let Some(value) = numbers.next().filter(|value| !value.is_nan()) {
                        line.push_str(&value.to_string());
                    }
                }
                Column::Category(values) => match codes.next() {
                    Some(&OTHER) | None => {}
                    Some(&code) => line.push_str(&values[usize::from(code)]),
                },
            }
        }
        if let Some(&class) = rows.classes().get(row) {
            line.push(',');
            line.push_str(&self.classes[usize::from(class)]);
        }
        line
    }
}

/// A CSV field, in quotes if it needs them.
fn field(text: &str) -> String {
    let text = text.trim_matches([' ', '\t']);
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_table::Study;

    fn study(target: &str, columns: &str) -> (Schema, RowWriter) {
        let text = format!(
            "[data]\npath = \"t.csv\"\naccount = \"t\"\n{target}\n[budget]\nepsilon = 1\n[spend]\nepsilon = 1\n\
             [columns]\n{columns}"
        );
        let schema = Study::parse(Path::new("study.toml"), &text).unwrap().schema;
        let writer = RowWriter::new(&schema, &Classes::of(&schema.target().labels).unwrap());
        (schema, writer)
    }

    fn written(writer: &RowWriter, rows: &PlainRows) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        writer.write(rows, &path).unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn rows_are_written_in_their_declared_order_and_units() {
        let (schema, writer) = study(
            "target = \"y,y\"\npositive = \"a \\\"b\\\"\"\nnegative = \"any other\"",
            "job = { values = [\"x\", \"y, z\"] }\nage = { min = 0, max = 100 }\ngone = { drop = true }\n\
             city = { values = [\"1\"] }\n",
        );
        let mut rows = PlainRows::new(&schema);
        rows.append(vec![0.1, f32::NAN], vec![1, OTHER, 0, 0], vec![1, 0]);
        assert_eq!(
            written(&writer, &rows),
            "job,age,city,\"y,y\"\n\"y, z\",0.1,,\"a \"\"b\"\"\"\nx,,1,\"not a \"\"b\"\"\"\n"
        );
        assert_eq!(
            written(&writer, &rows.without_classes()),
            "job,age,city\n\"y, z\",0.1,\nx,,1\n"
        );
    }

    #[test]
    fn a_query_without_any_value_is_no_blank_line() {
        let target = "target = \"y\"\npositive = \"yes\"\nnegative = \"no\"";
        let (schema, writer) = study(target, "age = { min = 0, max = 100 }\n");
        let mut rows = PlainRows::new(&schema);
        rows.append(vec![f32::NAN, 3.0], vec![], vec![1, 0]);
        assert_eq!(written(&writer, &rows), "age,y\n,yes\n3,no\n");
        assert_eq!(written(&writer, &rows.without_classes()), "age\n\"\"\n3\n");

        let (schema, writer) = study(target, "job = { values = [\"a\", \"b\"] }\n");
        let mut rows = PlainRows::new(&schema);
        rows.append(vec![], vec![OTHER, 1], vec![1, 0]);
        assert_eq!(written(&writer, &rows.without_classes()), "job\n\"\"\nb\n");
    }
}
