//! Formulas as one line of text.

use crate::xml::Element;

/// A formula (`m:oMath`) in the notation of keyboards: `(a+b)/2`, `x^2`, `√(y)`.
pub(super) fn line(formula: Element<'_>) -> String {
    let mut out = String::new();
    for child in formula.children() {
        write(child, &mut out);
    }
    out
}

fn write(element: Element<'_>, out: &mut String) {
    let part = |name| element.child(name).map(line).unwrap_or_default();
    let small = |name| grouped(&part(name));
    match element.name() {
        "t" => out.push_str(&element.text()),
        // What follows is no part of the denominator.
        "f" => out.extend([&small("num"), "/", &small("den"), " "]),
        "sSup" => out.extend([&part("e"), "^", &small("sup")]),
        "sSub" => out.extend([&part("e"), "_", &small("sub")]),
        "sSubSup" => out.extend([&part("e"), "_", &small("sub"), "^", &small("sup")]),
        "rad" => out.extend([&part("deg"), "√(", &part("e"), ")"]),
        "d" => {
            let mark = |name, usual| {
                let properties = element.child("dPr").and_then(|own| own.child(name));
                properties
                    .and_then(|mark| mark.attr("val"))
                    .unwrap_or(usual)
            };
            let inside: Vec<String> = element.named("e").map(line).collect();
            out.extend([mark("begChr", "("), &inside.join(", "), mark("endChr", ")")]);
        }
        "nary" => {
            let sign = element
                .child("naryPr")
                .and_then(|own| own.child("chr"))
                .and_then(|sign| sign.attr("val"));
            *out += sign.unwrap_or("∫");
            for (mark, name) in [("_", "sub"), ("^", "sup")] {
                let limit = part(name);
                if !limit.is_empty() {
                    out.extend([mark, &grouped(&limit)]);
                }
            }
            out.extend([" ", &part("e")]);
        }
        "m" => {
            let row = |row: Element<'_>| row.named("e").map(line).collect::<Vec<_>>().join(", ");
            let rows: Vec<String> = element.named("mr").map(row).collect();
            *out += &rows.join("; ");
        }
        name if name.ends_with("Pr") => {}
        _ => {
            for child in element.children() {
                write(child, out);
            }
        }
    }
}

/// What binds together, in brackets where it has several parts.
fn grouped(text: &str) -> String {
    let text = text.trim();
    if text.chars().all(|c| c.is_alphanumeric() || c == '.') {
        text.to_owned()
    } else {
        format!("({text})")
    }
}
