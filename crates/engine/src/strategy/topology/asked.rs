//! What kind of evidence a question asks for, by its words.

use catena_document::{Modality, words};

/// Words that ask for a figure, lower case.
#[rustfmt::skip]
const FIGURE: &[&str] = &[
    "figure", "figures", "fig", "chart", "charts", "graph", "graphs", "plot", "plots", "diagram",
    "diagrams", "drawing", "picture", "pictures", "image", "images", "photo", "photos",
    "photograph", "illustration", "screenshot", "map", "logo", "icon", "icons", "flowchart",
    "infographic", "colour", "color", "coloured", "colored", "bar", "bars", "pie", "curve", "axis",
    "legend", "abbildung", "bild", "bilder", "diagramm", "zeichnung", "foto", "karte", "farbe",
    "schéma", "carte", "couleur", "figura", "gráfico", "imagen", "mapa", "рисунок", "рисунке",
    "график", "схема", "图", "图表", "图片", "صورة", "الشكل",
];
/// Words that ask for a table, lower case.
#[rustfmt::skip]
const TABLE: &[&str] = &[
    "table", "tables", "row", "rows", "column", "columns", "tabelle", "spalte", "zeile", "tableau",
    "colonne", "tabla", "columna", "таблица", "таблице", "表", "表格", "جدول", "الجدول",
];

/// The kinds of evidence that a question asks for by name; none where it does not say.
pub(super) fn asked(question: &str) -> Vec<Modality> {
    let lower = question.to_lowercase();
    let all: Vec<&str> = words(&lower).into_iter().map(|at| &lower[at]).collect();
    let says = |list: &[&str]| all.iter().any(|word| list.contains(word));
    let mut out = Vec::new();
    if says(FIGURE) {
        out.push(Modality::Figure);
    }
    if says(TABLE) {
        out.push(Modality::Table);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_say_what_they_want_to_see() {
        let check = |question: &str, expected: &[Modality]| {
            assert_eq!(asked(question), expected, "{question}");
        };
        check("Which colour has the bar of 2010?", &[Modality::Figure]);
        check("What does Table 2 say?", &[Modality::Table]);
        check(
            "Was zeigt die Abbildung neben der Tabelle?",
            &[Modality::Figure, Modality::Table],
        );
        check("Who made the pump?", &[]);
    }
}
