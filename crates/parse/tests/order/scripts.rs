//! Scripts that run from right to left or from the top down.

use crate::draw::Sheet;
use crate::{read, shown};

/// A line as it looks, from its words in reading order: all turned round.
fn seen(text: &str) -> String {
    text.chars().rev().collect()
}

#[test]
fn hebrew_is_read_from_the_right() {
    // Two columns of which the right one comes first; a number keeps its order.
    let right = [
        "המשאבה מרימה מים",
        "מבאר שעומקה עד 17 מטר",
        "ולא יותר מכך כי האוויר",
    ];
    let left = [
        "אינו לוחץ גבוה יותר",
        "ובבאר עמוקה יורדת",
        "המשאבה עם הצינור",
    ];
    let mut sheet = Sheet::default();
    for (at, (right, left)) in right.iter().zip(left).enumerate() {
        let y = 100.0 + 14.0 * at as f32;
        let right = seen(right).replace("71", "17");
        let width = |text: &str| text.chars().count() as f32 * 5.0;
        sheet = sheet.visual(540.0 - width(&right), y, 10.0, &right).visual(
            260.0 - width(left),
            y,
            10.0,
            &seen(left),
        );
    }
    insta::assert_snapshot!(shown(&[sheet]), @"Text המשאבה מרימה מים מבאר שעומקה עד 17 מטר ולא יותר מכך כי האוויר אינו לוחץ גבוה יותר ובבאר עמוקה יורדת המשאבה עם הצינור");
}

#[test]
fn a_latin_name_in_arabic_text_keeps_its_letters() {
    let line = format!("{} Linux {}", seen("من الأنظمة"), seen("يعد نظام"));
    let next = seen("المستخدمة في الخوادم");
    let width = |text: &str| text.chars().count() as f32 * 5.0;
    let sheet = Sheet::default()
        .visual(540.0 - width(&line), 100.0, 10.0, &line)
        .visual(540.0 - width(&next), 114.0, 10.0, &next);
    let document = read(&[sheet]).document;
    let text = &document.nodes[0].text;
    assert_eq!(text, "يعد نظام Linux من الأنظمة المستخدمة في الخوادم");
    let first = document.nodes[0].provenance[0].bbox;
    assert!(
        (first.left - 415.0).abs() < 1.0 && (first.right - 540.0).abs() < 1.0,
        "{first:?}"
    );
}

#[test]
fn a_hebrew_word_in_english_text_is_read_from_its_right() {
    let line = format!("The word {} means peace", seen("שלום רב"));
    let sheet = Sheet::default().visual(60.0, 100.0, 10.0, &line);
    insta::assert_snapshot!(shown(&[sheet]), @"Text The word שלום רב means peace");
}

#[test]
fn vertical_lines_are_read_from_the_right() {
    let lines = [
        "吾輩は猫である名前はまだ無いどこで生れたかとんと見当がつかぬ何でも薄暗いじめじめ",
        "した所でニャーニャー泣いていた事だけは記憶している吾輩はここで始めて人間というも",
        "のを見たしかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。",
    ];
    let mut sheet = Sheet::default();
    for (at, line) in lines.iter().enumerate() {
        sheet = sheet.vertical(500.0 - 18.0 * at as f32, 100.0, 10.0, line);
    }
    let document = read(&[sheet]).document;
    let node = &document.nodes[0];
    assert_eq!(node.text, lines.concat());
    // The first line's square of characters stands about its middle.
    let bbox = node.provenance[0].bbox;
    let middle = bbox.center_x();
    assert!(
        (middle - 500.0).abs() < 1.5 && (bbox.top - 100.0).abs() < 2.0,
        "{bbox:?}"
    );
}

#[test]
fn accents_drawn_over_a_letter_are_part_of_it() {
    let sheet = Sheet::default()
        .visual(60.0, 100.0, 10.0, "Thanks to J")
        .visual(114.8, 100.0, 10.0, "´")
        .visual(115.0, 100.0, 10.0, "an Mina")
        .visual(150.0, 100.0, 10.0, "ˇ")
        .visual(150.0, 100.0, 10.0, "c for his help");
    let document = read(&[sheet]).document;
    assert_eq!(document.nodes[0].text, "Thanks to Ján Minač for his help");
}
