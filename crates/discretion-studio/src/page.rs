//! The page: files from the binary. They hold nothing about anybody's table, so they need no token.

/// Nothing from elsewhere, nothing inline.
pub const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; \
                          frame-ancestors 'none'";

/// For pages that this program wrote into the folder, and whatever else lies there: a report styles
/// itself and may filter its table, and is kept from asking anybody for anything, this page
/// included.
pub const OF_FILES: &str = "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; \
                            script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
                            frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const JSON: &str = "application/json";

/// Paths, kinds and contents. A translation is another texts file.
const PARTS: [(&str, &str, &str); 16] = [
    ("/", HTML, include_str!("page/index.html")),
    ("/studio.css", STYLE, include_str!("page/studio.css")),
    ("/texts.en.json", JSON, include_str!("page/texts.en.json")),
    ("/studio.js", SCRIPT, include_str!("page/studio.js")),
    ("/server.js", SCRIPT, include_str!("page/server.js")),
    ("/elements.js", SCRIPT, include_str!("page/elements.js")),
    ("/pictures.js", SCRIPT, include_str!("page/pictures.js")),
    ("/table.js", SCRIPT, include_str!("page/table.js")),
    ("/columns.js", SCRIPT, include_str!("page/columns.js")),
    ("/column.js", SCRIPT, include_str!("page/column.js")),
    ("/look.js", SCRIPT, include_str!("page/look.js")),
    ("/plan.js", SCRIPT, include_str!("page/plan.js")),
    ("/planned.js", SCRIPT, include_str!("page/planned.js")),
    ("/run.js", SCRIPT, include_str!("page/run.js")),
    ("/history.js", SCRIPT, include_str!("page/history.js")),
    ("/more.js", SCRIPT, include_str!("page/more.js")),
];

/// A part of the page: its kind and its content.
pub fn part(path: &str) -> Option<(&'static str, &'static str)> {
    PARTS.iter().find(|(known, ..)| *known == path).map(|(_, kind, content)| (*kind, *content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_that_the_page_names_is_there() {
        let texts: serde_json::Value =
            serde_json::from_str(part("/texts.en.json").unwrap().1).unwrap();
        let mut named = 0;
        for (path, _, script) in PARTS.iter().filter(|(path, ..)| path.ends_with(".js")) {
            for call in script.split(|c: char| !(c.is_alphanumeric() || "_(\"-".contains(c))) {
                let Some(key) = call.strip_prefix("t(\"").and_then(|rest| rest.strip_suffix('"'))
                else {
                    continue;
                };
                assert!(texts[key].is_string(), "{path}: no text is called {key}");
                named += 1;
            }
        }
        assert!(named > 100, "{named} texts were found");
    }

    #[test]
    fn every_text_has_one_key_and_is_named() {
        let texts = part("/texts.en.json").unwrap().1;
        let mut scripts = String::new();
        PARTS
            .iter()
            .filter(|(path, ..)| path.ends_with(".js"))
            .for_each(|(.., script)| scripts += script);
        // A key is made of a beginning and a word: t(`step-${name}`).
        let made: Vec<&str> = scripts
            .split("t(`")
            .skip(1)
            .filter_map(|call| call.split_once("${"))
            .map(|(beginning, _)| beginning)
            .filter(|beginning| !beginning.is_empty())
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        let (before, _) = texts.rsplit_once("\": \"").unwrap();
        for key in
            before.split("\": \"").filter_map(|before| before.rsplit_once('"').map(|(_, key)| key))
        {
            assert!(seen.insert(key), "two texts are called {key}");
            let is_named = scripts.contains(&format!("\"{key}\""))
                || made.iter().any(|start| key.starts_with(start));
            // Those of the plan, where the beginning is a word too.
            let of_plan = [
                "epsilon-",
                "rho-",
                "error-",
                "mean-",
                "huber-",
                "budget-",
                "model-",
                "intervals-",
                "evaluate-",
            ];
            let is_of_plan = of_plan.iter().any(|start| key.starts_with(start));
            assert!(is_named || is_of_plan, "no script names {key}");
        }
        assert!(seen.len() > 200, "{} texts were found", seen.len());
    }

    #[test]
    fn nothing_names_another_host_or_parses_markup() {
        for (path, _, content) in PARTS {
            let content = content.replace("http://www.w3.org/2000/svg", "");
            for never in
                ["http:", "https:", "innerHTML", "insertAdjacentHTML", "document.write", "eval("]
            {
                assert!(!content.contains(never), "{path}: {never}");
            }
        }
    }
}
