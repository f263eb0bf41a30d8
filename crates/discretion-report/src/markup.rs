//! Elements of HTML and SVG. Tags close because there is no way to leave one open, and every text
//! is escaped on its way in: names of columns and categories are anybody's words.

use std::fmt;

/// These have no content and no end tag in HTML. Every other one gets its end tag even when empty,
/// which both HTML and XML understand.
const VOID: [&str; 5] = ["br", "col", "hr", "input", "meta"];

/// Spaces between these mean nothing, so each starts a line of its own in the file.
const OWN_LINE: [&str; 27] = [
    "body",
    "circle",
    "desc",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "g",
    "h1",
    "h2",
    "head",
    "header",
    "line",
    "main",
    "meta",
    "p",
    "path",
    "rect",
    "section",
    "style",
    "svg",
    "table",
    "tbody",
    "thead",
    "tr",
];

/// One element.
#[derive(Clone, Debug)]
pub struct Element {
    tag: &'static str,
    attributes: String,
    content: String,
}

impl Element {
    /// An empty element.
    pub fn new(tag: &'static str) -> Element {
        Element { tag, attributes: String::new(), content: String::new() }
    }

    /// With an attribute.
    pub fn set(mut self, name: &'static str, value: impl fmt::Display) -> Element {
        self.attributes.push_str(&format!(" {name}=\"{}\"", escaped(&value.to_string())));
        self
    }

    /// With one or more classes, separated by spaces.
    pub fn class(self, names: &str) -> Element {
        self.set("class", names)
    }

    /// With text at the end of its content.
    pub fn text(mut self, text: impl fmt::Display) -> Element {
        self.content.push_str(&escaped(&text.to_string()));
        self
    }

    /// With an element at the end of its content.
    pub fn child(mut self, child: Element) -> Element {
        if OWN_LINE.contains(&child.tag) && !self.content.ends_with('\n') {
            self.content.push('\n');
        }
        child.write(&mut self.content);
        if OWN_LINE.contains(&child.tag) {
            self.content.push('\n');
        }
        self
    }

    /// With elements at the end of its content.
    pub fn children(self, children: impl IntoIterator<Item = Element>) -> Element {
        children.into_iter().fold(self, Element::child)
    }

    /// With a style sheet at the end of its content. Only constants of the program go in as they
    /// are.
    pub fn style_sheet(mut self, css: &'static str) -> Element {
        self.content.push_str(css);
        self
    }

    /// With a script as its content. Only constants of the program go in as they are.
    pub fn script(mut self, source: &'static str) -> Element {
        self.content.push_str(source);
        self
    }

    fn write(&self, out: &mut String) {
        let Element { tag, attributes, content } = self;
        out.push_str(&format!("<{tag}{attributes}>{content}"));
        if !VOID.contains(tag) {
            out.push_str(&format!("</{tag}>"));
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        out.write_str(&text)
    }
}

/// Text that cannot be taken for markup, within an element or an attribute. Characters that XML
/// forbids altogether become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                escaped.push('\u{fffd}')
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_goes_in_is_markup() {
        let hostile = "</script><b onload='x'>\"&amp;\u{0}";
        let element = Element::new("p").set("title", hostile).text(hostile);
        let inside = "&lt;/script&gt;&lt;b onload=&#39;x&#39;&gt;&quot;&amp;amp;\u{fffd}";
        assert_eq!(element.to_string(), format!("<p title=\"{inside}\">{inside}</p>"));
    }

    #[test]
    fn inline_elements_get_no_space_around_them() {
        let p = Element::new("p").text("a").child(Element::new("b").text("c")).text("d");
        assert_eq!(p.to_string(), "<p>a<b>c</b>d</p>");
        let body = Element::new("main").child(p).child(Element::new("hr"));
        assert_eq!(body.to_string(), "<main>\n<p>a<b>c</b>d</p>\n<hr></main>");
    }

    #[test]
    fn an_empty_element_is_closed_unless_it_is_void() {
        assert_eq!(Element::new("td").to_string(), "<td></td>");
        assert_eq!(
            Element::new("meta").set("charset", "utf-8").to_string(),
            "<meta charset=\"utf-8\">"
        );
    }
}
