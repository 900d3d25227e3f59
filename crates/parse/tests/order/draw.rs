//! Drawing pages: text in Helvetica or in characters of any script, rules and filled boxes.

use crate::pdf::{file as objects_file, stream};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Width of a page in points.
pub(crate) const WIDTH: f32 = 595.0;
/// Height of a page in points.
pub(crate) const HEIGHT: f32 = 842.0;

/// A page; heights are from its top.
#[derive(Default)]
pub(crate) struct Sheet {
    content: String,
    /// Characters drawn in the font for all scripts.
    wide: BTreeSet<u16>,
}

impl Sheet {
    /// A line of text with its left end and baseline.
    pub(crate) fn text(mut self, x: f32, y: f32, size: f32, text: &str) -> Self {
        let text = text
            .replace('\\', "\\\\")
            .replace('(', "\\(")
            .replace(')', "\\)");
        let y = HEIGHT - y;
        writeln!(self.content, "BT /F {size} Tf {x} {y} Td ({text}) Tj ET").unwrap();
        self
    }

    /// Lines of 10 points, 12 apart.
    pub(crate) fn lines(mut self, x: f32, y: f32, lines: &[&str]) -> Self {
        for (at, line) in lines.iter().enumerate() {
            self = self.text(x, y + 12.0 * at as f32, 10.0, line);
        }
        self
    }

    /// Text that rises to the right at 45 degrees from its start.
    pub(crate) fn slanting(mut self, x: f32, y: f32, size: f32, text: &str) -> Self {
        let y = HEIGHT - y;
        let half = std::f32::consts::FRAC_1_SQRT_2;
        writeln!(
            self.content,
            "BT /F {size} Tf {half} {half} -{half} {half} {x} {y} Tm ({text}) Tj ET"
        )
        .unwrap();
        self
    }

    /// Characters as they stand from left to right, half their size wide.
    pub(crate) fn visual(mut self, x: f32, y: f32, size: f32, text: &str) -> Self {
        let y = HEIGHT - y;
        let codes = self.codes(text);
        writeln!(self.content, "BT /W {size} Tf {x} {y} Td <{codes}> Tj ET").unwrap();
        self
    }

    /// Characters from the top down; `x` is the middle of their line.
    pub(crate) fn vertical(mut self, x: f32, y: f32, size: f32, text: &str) -> Self {
        let y = HEIGHT - y;
        let codes = self.codes(text);
        writeln!(self.content, "BT /V {size} Tf {x} {y} Td <{codes}> Tj ET").unwrap();
        self
    }

    fn codes(&mut self, text: &str) -> String {
        let mut codes = String::new();
        for code in text.encode_utf16() {
            self.wide.insert(code);
            write!(codes, "{code:04x}").unwrap();
        }
        codes
    }

    /// A horizontal rule.
    pub(crate) fn rule(mut self, left: f32, right: f32, y: f32) -> Self {
        let y = HEIGHT - y;
        writeln!(self.content, "0.5 w {left} {y} m {right} {y} l S").unwrap();
        self
    }

    /// A box filled with light grey.
    pub(crate) fn filled(mut self, left: f32, top: f32, right: f32, bottom: f32) -> Self {
        let (y, width, height) = (HEIGHT - bottom, right - left, bottom - top);
        writeln!(self.content, "0.9 g {left} {y} {width} {height} re f 0 g").unwrap();
        self
    }

    /// A drawing of curves.
    pub(crate) fn drawing(mut self, left: f32, top: f32, right: f32, bottom: f32) -> Self {
        let (top, bottom) = (HEIGHT - top, HEIGHT - bottom);
        let middle = f32::midpoint(left, right);
        for _ in 0..4 {
            writeln!(
                self.content,
                "2 w {left} {bottom} m {left} {top} {middle} {top} {right} {top} c S \
                 {left} {top} m {right} {top} {right} {bottom} {middle} {bottom} c S"
            )
            .unwrap();
        }
        self
    }
}

/// A PDF of these pages.
pub(crate) fn file(sheets: &[Sheet]) -> Vec<u8> {
    let first = 10;
    let kids: String = (0..sheets.len())
        .map(|at| format!("{} 0 R ", first + 2 * at))
        .collect();
    let wide: BTreeSet<u16> = sheets
        .iter()
        .flat_map(|sheet| &sheet.wide)
        .copied()
        .collect();
    let font = |encoding: &str, descendant: u32| {
        format!(
            "<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/{encoding}\
             /DescendantFonts[{descendant} 0 R]/ToUnicode 6 0 R>>"
        )
    };
    let descendant = |width: u32| {
        format!(
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/DW {width}/FontDescriptor 8 0 R\
             /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>"
        )
    };
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{kids}]/Count {}>>", sheets.len()).into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
        font("Identity-H", 7).into_bytes(),
        font("Identity-V", 9).into_bytes(),
        stream("", to_unicode(&wide).as_bytes()),
        descendant(500).into_bytes(),
        b"<</Type/FontDescriptor/FontName/Any/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0\
          /Ascent 880/Descent -120/CapHeight 700/StemV 80>>"
            .to_vec(),
        descendant(1000).into_bytes(),
    ];
    for (at, sheet) in sheets.iter().enumerate() {
        let content = first + 2 * at + 1;
        objects.push(
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]/Contents {content} 0 R\
                 /Resources<</Font<</F 3 0 R/W 4 0 R/V 5 0 R>>>>>>"
            )
            .into_bytes(),
        );
        objects.push(stream("", sheet.content.as_bytes()));
    }
    objects_file(&objects)
}

/// The map from codes to the characters that they are.
fn to_unicode(codes: &BTreeSet<u16>) -> String {
    let mut out = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n\
                   /CMapName /Any def /CMapType 2 def\n\
                   1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        .to_owned();
    let codes: Vec<u16> = codes.iter().copied().collect();
    for part in codes.chunks(100) {
        writeln!(out, "{} beginbfchar", part.len()).unwrap();
        for code in part {
            writeln!(out, "<{code:04x}> <{code:04x}>").unwrap();
        }
        out.push_str("endbfchar\n");
    }
    out.push_str("endcmap end end");
    out
}
