//! Pictures inside the terminal, where it can show them.

use super::sixel::sixel;
use crate::output::is_rich_terminal;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::fmt::Write;

/// Columns of a picture at most.
const COLUMNS: u32 = 72;
/// Pixels that a column is taken to have.
const COLUMN: u32 = 8;
/// Bytes of base64 that a terminal of kitty's protocol takes at once.
const CHUNK: usize = 4096;

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inline {
    /// kitty's graphics protocol.
    Kitty,
    /// iTerm2's inline images.
    Iterm,
    /// Sixels.
    Sixel,
}

/// How the terminal that stdout is shows pictures; `None` where it is no terminal or shows none.
pub(crate) fn inline() -> Option<Inline> {
    is_rich_terminal()
        .then(|| Inline::by_environment(&|name| std::env::var(name).ok()))
        .flatten()
}

impl Inline {
    /// What a terminal says of itself.
    fn by_environment(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let value = |name| variable(name).unwrap_or_default();
        let (term, program) = (value("TERM"), value("TERM_PROGRAM"));
        // What runs inside a multiplexer does not see the terminal.
        if variable("TMUX").is_some() || variable("STY").is_some() || program == "tmux" {
            return None;
        }
        let kitty = variable("KITTY_WINDOW_ID").is_some()
            || term.contains("kitty")
            || term.contains("ghostty")
            || program == "ghostty";
        let iterm = matches!(program.as_str(), "iTerm.app" | "WezTerm" | "mintty")
            || value("LC_TERMINAL") == "iTerm2";
        let sixel = term.contains("sixel")
            || ["foot", "mlterm", "contour"]
                .iter()
                .any(|name| term.starts_with(name));
        if kitty {
            Some(Self::Kitty)
        } else if iterm {
            Some(Self::Iterm)
        } else {
            sixel.then_some(Self::Sixel)
        }
    }

    /// The codes that show a PNG, at most so many columns wide; `None` where it cannot be shown.
    pub(crate) fn show(self, png: &[u8], columns: usize) -> Option<String> {
        let (width, _) = image::ImageReader::new(std::io::Cursor::new(png))
            .with_guessed_format()
            .ok()?
            .into_dimensions()
            .ok()?;
        let columns = COLUMNS.min(columns as u32).min(width / COLUMN).max(1);
        Some(match self {
            Self::Kitty => kitty(png, columns),
            Self::Iterm => format!(
                "\x1b]1337;File=inline=1;size={};width={columns};preserveAspectRatio=1:{}\x07",
                png.len(),
                BASE64.encode(png)
            ),
            Self::Sixel => sixel(png, columns * COLUMN)?,
        })
    }
}

fn kitty(png: &[u8], columns: u32) -> String {
    let data = BASE64.encode(png);
    let chunks: Vec<&str> = data
        .as_bytes()
        .chunks(CHUNK)
        .filter_map(|chunk| std::str::from_utf8(chunk).ok())
        .collect();
    let mut out = String::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let more = u8::from(at + 1 < chunks.len());
        let _ = if at == 0 {
            write!(
                out,
                "\x1b_Ga=T,f=100,q=2,c={columns},m={more};{chunk}\x1b\\"
            )
        } else {
            write!(out, "\x1b_Gm={more};{chunk}\x1b\\")
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_told_by_their_environment() {
        let check = |set: &[(&str, &str)], expected| {
            let variable = |name: &str| {
                let found = set.iter().find(|(other, _)| *other == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Inline::by_environment(&variable), expected, "{set:?}");
        };
        check(&[("TERM", "xterm-256color")], None);
        check(&[("TERM", "xterm-kitty")], Some(Inline::Kitty));
        check(&[("TERM_PROGRAM", "WezTerm")], Some(Inline::Iterm));
        check(&[("TERM", "foot-extra")], Some(Inline::Sixel));
        check(&[("KITTY_WINDOW_ID", "1"), ("TMUX", "/tmp/x")], None);
        check(&[("TERM_PROGRAM", "vscode")], None);
    }

    #[test]
    fn pictures_are_sent_in_chunks_and_whole() {
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbImage::from_fn(200, 90, |x, y| {
            image::Rgb([x as u8, y as u8, (x * y) as u8])
        })
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("a picture");
        let png = png.into_inner();
        let kitty = Inline::Kitty.show(&png, 80).expect("a picture");
        let sent: String = kitty
            .split("\x1b\\")
            .filter_map(|chunk| chunk.split_once(';'))
            .map(|(_, data)| data)
            .collect();
        assert_eq!(BASE64.decode(sent).expect("base64"), png);
        assert!(kitty.starts_with("\x1b_Ga=T,f=100,q=2,c=25,m=1;"));
        assert!(kitty.contains("\x1b_Gm=0;"));
        let iterm = Inline::Iterm.show(&png, 10).expect("a picture");
        assert!(iterm.contains("width=10;"));
        assert_eq!(Inline::Kitty.show(b"no picture", 80), None);
    }
}
