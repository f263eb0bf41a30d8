//! Texts and numbers as LaTeX sets them.

/// A comment is over at the end of its line.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A number as the page writes it, in mathematics.
pub fn math(text: &str) -> String {
    let mut formula = String::new();
    let mut power = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let digit = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|power| power == c);
        let is_power = digit.is_some() || c == '⁻';
        if is_power != power {
            formula.push_str(if is_power { "^{" } else { "}" });
            power = is_power;
        }
        match c {
            _ if digit.is_some() => formula.push_str(&digit.unwrap_or_default().to_string()),
            '⁻' | '−' => formula.push('-'),
            '×' => formula.push_str(" \\times "),
            '∞' => formula.push_str("\\infty"),
            'ε' => formula.push_str("\\varepsilon"),
            'δ' => formula.push_str("\\delta"),
            'ρ' => formula.push_str("\\rho"),
            'λ' => formula.push_str("\\lambda"),
            ',' if characters.peek() == Some(&' ') => formula.push_str(",\\"),
            // A comma between thousands is no punctuation.
            ',' => formula.push_str("{,}"),
            '\u{a0}' => formula.push(' '),
            other => formula.push(other),
        }
    }
    if power {
        formula.push('}');
    }
    format!("${formula}$")
}

/// A name as LaTeX sets it.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' | '>' | '|' => {
                escaped.push('$');
                escaped.push(if c == '|' { '|' } else { c });
                escaped.push('$');
            }
            '"' => escaped.push_str("\\textquotedbl{}"),
            c if c.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formulas() {
        for (text, expected) in [
            ("−0.59", "$-0.59$"),
            ("−3.21×10¹⁰", "$-3.21 \\times 10^{10}$"),
            ("10⁻⁶", "$10^{-6}$"),
            ("32,561", "$32{,}561$"),
            ("ε\u{a0}=\u{a0}1, δ\u{a0}=\u{a0}10⁻⁶", "$\\varepsilon = 1,\\ \\delta = 10^{-6}$"),
            ("<0.001", "$<0.001$"),
        ] {
            assert_eq!(math(text), expected);
        }
    }

    #[test]
    fn names_are_no_commands() {
        assert_eq!(escaped("50% of a_b & c"), "50\\% of a\\_b \\& c");
        assert_eq!(escaped("\\input{x}"), "\\textbackslash{}input\\{x\\}");
        assert_eq!(escaped("<30>\n"), "$<$30$>$ ");
        assert_eq!(escaped("München ~^"), "München \\textasciitilde{}\\textasciicircum{}");
    }
}
