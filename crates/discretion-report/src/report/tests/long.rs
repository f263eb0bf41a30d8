//! Pages of many effects, and what noise alone makes of them.

use super::*;
use crate::report::search;

/// Sixty numbers; the later ones are larger, and their intervals even more so.
fn long() -> Report {
    let mut report = report();
    let many = (1..=60).map(|i| number(&format!("x{i}"), f64::from(i), 0.1 * f64::from(i * i)));
    report.coefficients.extend(many);
    report
}

/// The same without intervals; noise alone gives each effect up to 40.
fn with_noise() -> Report {
    let mut report = long();
    report.level = None;
    for coefficient in report.coefficients.iter_mut() {
        coefficient.encoded.interval = None;
        coefficient.own_unit.as_mut().unwrap().estimate.interval = None;
        coefficient.p_value = None;
        coefficient.noise = (coefficient.place != Place::Intercept).then_some(40.0);
    }
    report
}

/// The first cells of the table's rows.
fn rows(html: &str) -> Vec<String> {
    let table = &html[html.find("<tbody>").unwrap()..];
    let table = &table[..table.find("</tbody>").unwrap()];
    let cells = table.split("<tr><th scope=\"row\">").skip(1);
    let names = cells.map(|row| row[..row.find("</th>").unwrap()].to_owned());
    names.take_while(|name| !name.contains('\n')).collect()
}

#[test]
fn the_most_certain_come_first_and_the_intercept_before_them() {
    let html = long().to_html();
    let names = rows(&html);
    assert_eq!(names[..5], ["intercept", "x1", "x2", "age", "x3"], "{names:?}");
    assert_eq!(names[names.len() - 2..], ["x59", "x60"], "{names:?}");
    assert!(html.contains(
        "The most certain effects come first: those that are largest in relation to their"
    ));
    // A page that can be read as a whole keeps the order of the model.
    assert_eq!(rows(&report().to_html())[..2], ["intercept", "age"]);
}

#[test]
fn one_script_may_run_where_there_is_something_to_search() {
    let html = long().to_html();
    assert_eq!(html.matches("<script>").count(), 1);
    assert!(html.contains(&crate::markup::escaped(&search::policy())), "{}", search::policy());
    assert!(
        html.contains("class=\"search\" hidden=\"\""),
        "it appears with the script that serves it"
    );
    let short = report().to_html();
    assert!(!short.contains("script-src") && !short.contains("class=\"search\""));
}

#[test]
fn of_many_effects_only_those_are_named_that_chance_would_not_make() {
    let mut report = long();
    let all = report.effects().count() as f64;
    // At 90 %, a p-value has to be below a tenth of 1 over the number of effects.
    report.coefficients[10].p_value = Some(0.099 / all);
    report.coefficients[11].p_value = Some(0.101 / all);
    let html = report.to_html();
    let named = report.coefficients[10].name.clone();
    assert!(
        html.contains(&format!("<strong>More likely with </strong>higher {named}.</p>")),
        "{named}"
    );
    assert!(
        html.contains(
            "This effect is certain: if no fact mattered, not one of 62 would be found so"
        )
    );
    assert!(html.contains("by chance about 6 would"), "a tenth of 62");
}

#[test]
fn without_intervals_effects_are_compared_with_what_noise_gives() {
    let report = with_noise();
    let html = report.to_html().replace('\u{a0}', " ");
    assert_eq!(rows(&html)[..3], ["intercept", "x60", "x59"]);
    let named =
        "higher x60; higher x59; higher x58; higher x57; higher x56; higher x55 and 14 more";
    assert!(html.contains(&format!("<strong>More likely with </strong>{named}.</p>")));
    assert!(html.contains(
        "These 20 of 62 effects are larger than noise for privacy alone makes any of them"
    ));
    assert!(html.contains("<code>[intervals]</code>"));
    // In the column's unit, which is a tenth here.
    let row = &html[html.find("<th scope=\"row\">x60</th>").unwrap()..];
    assert!(row[..row.find("</tr>").unwrap()].ends_with("<td>±4</td>"), "{}", &row[..200]);
    assert_eq!(
        html.matches("class=\"noise\"").count(),
        2 * certainty::MANY + 2,
        "in both plots, and a key each"
    );
    assert_eq!(html.matches("dot open").count(), 2 * (certainty::MANY - 20) + 2);
}
