//! Where what a model rests on comes from: declared, looked up in the rows, or released; and the
//! build that made it.

use discretion_table::{Column, Curve, FEATURES, Kind, Schema};
use serde::{Deserialize, Serialize};

/// Where bounds, categories or knots come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Somebody wrote them down, or they follow from what was written down.
    Declared,
    /// They were looked up in the rows, and no guarantee covers them.
    TakenFromRows,
    /// They were released with noise, within the budget.
    ReleasedPrivately,
}

/// Where everything comes from that was known of the table before it was trained on, and the build
/// of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// The program's target, profile and features.
    pub build: String,
    /// Each column that is used.
    pub columns: Vec<ColumnOrigin>,
}

/// Where what is known of one column comes from. Only what it has is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnOrigin {
    /// The column.
    pub column: String,
    /// The bounds of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Origin>,
    /// The values of a column of categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Origin>,
    /// The knots of a curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knots: Option<Origin>,
}

impl Origins {
    /// Of a schema.
    pub fn of(schema: &Schema) -> Origins {
        let used = schema.columns().iter().filter(|column| !matches!(column.kind, Kind::Dropped));
        let origin = |column: &Column| {
            let looked_up = schema.from_rows().contains(&column.name);
            let known = if looked_up { Origin::TakenFromRows } else { Origin::Declared };
            let of_knots = |curve: &Curve| match curve {
                Curve { released_for: Some(_), .. } => Origin::ReleasedPrivately,
                Curve { from_rows: true, .. } => Origin::TakenFromRows,
                _ => known,
            };
            let is_category = matches!(column.kind, Kind::Category { .. });
            ColumnOrigin {
                column: column.name.clone(),
                bounds: (!is_category).then_some(known),
                categories: is_category.then_some(known),
                knots: column.curve.as_ref().map(of_knots),
            }
        };
        Origins { build: build(), columns: used.map(origin).collect() }
    }
}

/// This build, in a line without any path: what it runs on, how it was compiled, and what it can
/// read.
pub fn build() -> String {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let libc = if cfg!(target_env = "musl") { "-musl" } else { "" };
    let (machine, system) = (std::env::consts::ARCH, std::env::consts::OS);
    format!("{machine}-{system}{libc}, {profile}, {}", FEATURES.join(" "))
        .trim_end_matches(", ")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_table::Study;
    use std::path::Path;

    #[test]
    fn every_column_says_where_its_declarations_come_from() {
        let text = "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n\
                    [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\nage = { min = 0, max = 9, knots = [0, 4, 9] }\n\
                    dose = { min = 0, max = 9 }\nsite = { values = [\"n\", \"s\"] }\nid = { drop = true }\n";
        let study = Study::parse(Path::new("study.toml"), text).unwrap();
        let origins = Origins::of(&study.schema.clone().looked_up(vec!["dose".to_owned()]));
        let json = serde_json::to_value(&origins).unwrap();
        assert_eq!(
            json["columns"],
            serde_json::json!([
                { "column": "age", "bounds": "declared", "knots": "declared" },
                { "column": "dose", "bounds": "taken-from-rows" },
                { "column": "site", "categories": "declared" },
            ])
        );
        assert_eq!(serde_json::from_value::<Origins>(json).unwrap(), origins);
        assert!(
            !origins.build.contains('/') && origins.build.contains(std::env::consts::ARCH),
            "{}",
            origins.build
        );
    }
}
