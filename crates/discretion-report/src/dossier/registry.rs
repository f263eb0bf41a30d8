//! The record for the public registry of deployments, as YAML.

use super::{Dossier, Question};
use crate::words::Promise;
use discretion::privacy::{Budget, Unit};
use std::fmt::Write;

/// Lines of YAML. Texts are in double quotes, as JSON has them, which YAML reads alike.
struct Yaml(String);

impl Yaml {
    fn table(&mut self, depth: usize, key: &str) {
        writeln!(self.0, "{}{key}:", "  ".repeat(depth)).expect("writing to a String cannot fail");
    }

    fn text(&mut self, depth: usize, key: &str, text: &str) {
        let quoted = serde_json::to_string(text).expect("a text is plain data");
        writeln!(self.0, "{}{key}: {quoted}", "  ".repeat(depth))
            .expect("writing to a String cannot fail");
    }

    fn number(&mut self, depth: usize, key: &str, number: f64) {
        // A point, so that every reader of YAML takes it for a number.
        let digits = match format!("{number:?}") {
            digits if digits.contains('.') => digits,
            digits => digits.replace('e', ".0e"),
        };
        writeln!(self.0, "{}{key}: {digits}", "  ".repeat(depth))
            .expect("writing to a String cannot fail");
    }

    fn list(&mut self, depth: usize, key: &str, texts: &[String]) {
        self.table(depth, key);
        for text in texts {
            let quoted = serde_json::to_string(text).expect("a text is plain data");
            writeln!(self.0, "{}- {quoted}", "  ".repeat(depth + 1))
                .expect("writing to a String cannot fail");
        }
    }
}

/// The record. What only a person knows and nobody said is a text that says so.
pub fn yaml(dossier: &Dossier<'_>) -> String {
    let Dossier { model, about, today, .. } = dossier;
    let asked = |question: Question, said: &Option<String>| {
        said.clone().unwrap_or_else(|| question.placeholder())
    };
    let several = |question: Question, said: &[String]| match said {
        [] => vec![question.placeholder()],
        said => said.to_vec(),
    };
    let mut yaml = Yaml(String::new());
    yaml.text(0, "url_slug", &dossier.slug());
    yaml.text(0, "status", "Draft");
    yaml.0.push_str("tier: 3\n");
    yaml.table(0, "deployment");

    yaml.table(1, "basic");
    yaml.text(2, "name", &dossier.name());
    yaml.list(2, "data_curators", &several(Question::Curators, &about.curators));
    yaml.text(2, "intended_use", &asked(Question::IntendedUse, &about.intended_use));
    yaml.text(2, "data_product_type", "Machine learning model");
    yaml.text(2, "data_product_region", &asked(Question::Region, &about.region));
    yaml.text(2, "description", &dossier.description());
    yaml.text(2, "publication_date", about.publication_date.as_deref().unwrap_or(today));
    if let Some(sector) = &about.sector {
        yaml.text(2, "data_product_sector", sector);
    }

    if let Some(guarantee) = model.privacy.guarantee {
        let variant = match guarantee {
            Budget::Pure { .. } => "Pure DP",
            Budget::Approximate { .. } => "Approximate DP",
            Budget::Zcdp { .. } => "Zero-concentrated DP",
        };
        yaml.table(1, "dp_variant");
        yaml.text(2, "variant_name", variant);
        yaml.text(2, "data_domain", &dossier.domain());
        yaml.text(2, "unprotected_quantities", &dossier.unprotected());
        yaml.table(1, "privacy_loss");
        let unit = model.privacy.unit;
        yaml.text(2, "privacy_unit", unit.name());
        let details = match unit {
            Unit::Row => {
                "Tables of the same size that differ in the value of one row (replace one)."
            }
            Unit::Person => {
                "Tables of the same persons that differ in the rows of one of them (replace one)."
            }
        };
        yaml.text(2, "privacy_unit_details", details);
        yaml.table(2, "privacy_parameters");
        match guarantee {
            Budget::Pure { epsilon } => yaml.number(3, "epsilon", epsilon),
            Budget::Approximate { epsilon, delta } => {
                yaml.number(3, "epsilon", epsilon);
                yaml.number(3, "delta", delta);
            }
            Budget::Zcdp { rho } => yaml.number(3, "rho", rho),
        }
        yaml.text(
            2,
            "privacy_parameters_details",
            &format!("{}: {}", guarantee.name(), model.privacy.statement),
        );
    }

    yaml.table(1, "deployment_model");
    yaml.text(2, "model_name", if model.is_joint { "Federated" } else { "Central" });
    yaml.text(2, "actors", "The custodian holds the rows and runs the program; whoever has the model file sees what was released.");
    yaml.text(2, "release_type", "One release");
    yaml.text(2, "data_source_type", "Static");
    yaml.text(2, "access_type", "Non-interactive");

    yaml.table(1, "accounting");
    yaml.text(
        2,
        "post_processing",
        "Intervals, figures of quality and predictions are computed from released numbers alone.",
    );
    yaml.text(2, "composition", &dossier.composition());

    yaml.table(1, "implementation");
    yaml.text(2, "preprocessing_and_hyperparameter_tuning", &dossier.preprocessing());
    yaml.text(2, "mechanisms", &dossier.mechanisms());
    yaml.text(2, "justification", &model.why);

    yaml.table(1, "administrative");
    if let Some(sources) = &about.sources {
        yaml.text(2, "sources", sources);
    }
    yaml.text(2, "notes", &format!("Made from a model file of {}.", model.program));
    yaml.list(2, "registry_authors", &several(Question::Authors, &about.authors));
    yaml.0
}
