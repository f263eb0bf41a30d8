//! Probabilities of several classes, a column each.

use super::{json_text, kept_fields, kept_names};
use crate::args::Predict;
use crate::csv::field;
use discretion::Refusal;

/// How a row's probabilities are written down, one for each class.
pub struct ClassLines {
    json: bool,
    keep: Vec<String>,
    /// Names, quoted for the format.
    names: Vec<String>,
    heading: Vec<String>,
}

impl ClassLines {
    pub fn new(names: &[String], args: &Predict) -> Result<ClassLines, Refusal> {
        let quote = if args.json { json_text } else { field };
        Ok(ClassLines {
            json: args.json,
            keep: kept_names(args)?,
            names: names.iter().map(|name| quote(name)).collect(),
            heading: names.iter().map(|name| field(&format!("probability_{name}"))).collect(),
        })
    }

    pub fn heading(&self) -> String {
        if self.json {
            return String::new();
        }
        let kept: String = self.keep.iter().map(|name| field(name) + ",").collect();
        format!("row,{kept}{},label\n", self.heading.join(","))
    }

    pub fn push(&self, row: u64, copied: &[String], probabilities: &[f64], into: &mut String) {
        // Of several that are equally likely, the first.
        let most = probabilities.iter().copied().fold(0.0, f64::max);
        let label = probabilities.iter().position(|&p| p >= most).map_or("", |class| &self.names[class]);
        let kept = kept_fields(self.json, &self.keep, copied);
        if self.json {
            let named = self.names.iter().zip(probabilities);
            let each: Vec<String> = named.map(|(name, p)| format!("{name}:{p}")).collect();
            let each = each.join(",");
            into.push_str(&format!(
                "{{\"row\":{row},{kept}\"probabilities\":{{{each}}},\"label\":{label}}}\n"
            ));
        } else {
            let each: Vec<String> = probabilities.iter().map(f64::to_string).collect();
            into.push_str(&format!("{row},{kept}{},{label}\n", each.join(",")));
        }
    }
}
