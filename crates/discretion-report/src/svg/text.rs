//! How much room a text takes. Whoever writes an SVG cannot ask the reader's fonts, so this errs on
//! the wide side: it uses the widths of DejaVu Sans, which few fonts exceed.

/// Advance widths of the characters from space to tilde, in thousandths of the font size.
const ASCII: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// How much wider bold text is.
const BOLD: f64 = 1.13;

/// A font, as far as room is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Font {
    /// Its size.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
}

impl Font {
    /// The width of a text, seldom less than what a browser needs.
    pub fn width(self, text: &str) -> f64 {
        let em: f64 = text.chars().map(em).sum();
        em * self.size * if self.bold { BOLD } else { 1.0 }
    }

    /// The text in lines no wider than `room`: broken at spaces, else behind a hyphen or the like,
    /// else anywhere. Nothing is left out.
    pub fn wrapped(self, text: &str, room: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            if let Some(line) = lines.last_mut()
                && self.width(line) + self.width(" ") + self.width(word) <= room
            {
                line.push(' ');
                line.push_str(word);
                continue;
            }
            lines.push(String::new());
            for piece in pieces(word) {
                self.append(&mut lines, piece, room);
            }
        }
        if lines.is_empty() { vec![String::new()] } else { lines }
    }

    /// The text if it fits into `room`, else its beginning and an ellipsis.
    pub fn cut(self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        let mut short = String::new();
        for character in text.chars() {
            short.push(character);
            if self.width(&short) + self.width("…") > room {
                short.pop();
                break;
            }
        }
        short + "…"
    }

    /// Adds to the last line what fits on it, and the rest to new ones.
    fn append(self, lines: &mut Vec<String>, piece: &str, room: f64) {
        let line = lines.last_mut().expect("a line was begun for this word");
        if self.width(line) + self.width(piece) <= room {
            line.push_str(piece);
            return;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for character in piece.chars() {
            let line = lines.last_mut().expect("never empty");
            let mut longer = line.clone();
            longer.push(character);
            if line.is_empty() || self.width(&longer) <= room {
                *line = longer;
            } else {
                lines.push(character.to_string());
            }
        }
    }
}

/// A word cut behind every character where a reader accepts a break.
fn pieces(word: &str) -> Vec<&str> {
    word.split_inclusive(['-', '_', '/', ',', ';', '=', ':', '–']).collect()
}

/// The width of a character in units of the font size.
fn em(character: char) -> f64 {
    match character {
        ' '..='~' => f64::from(ASCII[character as usize - 32]) / 1000.0,
        // Accented Latin, Greek, Cyrillic.
        '\u{80}'..='\u{52f}' => 0.8,
        // General punctuation, superscripts, arrows, signs.
        '\u{2000}'..='\u{22ff}' => 0.84,
        // Ideographs, signs and the rest.
        _ => 1.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: Font = Font { size: 10.0, bold: false };

    #[test]
    fn widths_add_up() {
        assert!((FONT.width("ab") - 12.48).abs() < 1e-9);
        assert!(Font { bold: true, ..FONT }.width("ab") > FONT.width("ab"));
        assert!(FONT.width("Łódź") > FONT.width("Lodz"));
    }

    #[test]
    fn wrapping_loses_nothing_and_keeps_to_its_room() {
        for text in [
            "Married-civ-spouse",
            "Other or never asked, at all",
            "Outlying-US(Guam-USVI-etc)",
            "äöü",
        ] {
            for room in [15.0, 40.0, 60.0, 500.0] {
                let lines = FONT.wrapped(text, room);
                let without_spaces = |text: &str| text.replace(' ', "");
                assert_eq!(without_spaces(&lines.concat()), without_spaces(text));
                assert!(lines.iter().all(|line| FONT.width(line) <= room), "{lines:?} in {room}");
            }
        }
        assert_eq!(FONT.wrapped("Married-civ-spouse", 70.0), ["Married-civ-", "spouse"]);
        assert_eq!(FONT.wrapped("two words", 40.0), ["two", "words"]);
        assert_eq!(FONT.wrapped("", 40.0), [""]);
        assert_eq!(
            [500.0, 40.0, 1.0].map(|room| FONT.cut("two words", room)),
            ["two words", "two w…", "…"]
        );
        // A room narrower than any letter still gets one letter a line.
        assert_eq!(FONT.wrapped("ab", 1.0), ["a", "b"]);
    }
}
