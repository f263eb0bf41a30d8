//! Columns that may say whose a row is, by their names alone.

const IDENTIFIERS: [&str; 14] = [
    "id",
    "ids",
    "identifier",
    "key",
    "mrn",
    "nbr",
    "no",
    "nr",
    "num",
    "number",
    "pid",
    "ssn",
    "uid",
    "uuid",
];

const PEOPLE: [&str; 9] = [
    "patient",
    "person",
    "subject",
    "participant",
    "customer",
    "client",
    "member",
    "resident",
    "respondent",
];

/// Whether the last word of a name, such as `patient_id`, `encounterNumber` or `patient`, is one
/// for identifiers.
pub fn names_an_identifier(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("there is a word").extend(c.to_lowercase());
        }
        before = c;
    }
    let last = words.into_iter().rfind(|word| !word.is_empty()).unwrap_or_default();
    IDENTIFIERS.contains(&last.as_str()) || PEOPLE.contains(&last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_identifiers_are_known_by_their_last_word() {
        for name in [
            "id",
            "patient_id",
            "patientId",
            "Encounter ID",
            "patient_nbr",
            "case-no",
            "SSN",
            "orderNumber",
            "patient",
        ] {
            assert!(names_an_identifier(name), "{name}");
        }
        for name in
            ["", "age", "paid", "number_inpatient", "void", "idea", "id_type", "patient_age"]
        {
            assert!(!names_an_identifier(name), "{name}");
        }
    }
}
