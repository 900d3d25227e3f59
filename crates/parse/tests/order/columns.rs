//! Columns, frames, figures with text round them, footnotes.

use crate::draw::Sheet;
use crate::shown;

/// Lines of a narrow column.
const LEFT: [&str; 8] = [
    "A pump of this kind lifts water from a well",
    "that is no deeper than seven metres, since",
    "the air outside can press it no higher than",
    "that, whatever the motor does. Where a well",
    "is deeper, the pump has to be let down into",
    "it on a pipe, and the motor stands above or",
    "goes down with it in a tight housing, which",
    "is then cooled by the water that flows past",
];
const RIGHT: [&str; 8] = [
    "the windings on its way up. The cable runs",
    "beside the pipe and is tied to it at every",
    "metre, so that its weight does not pull at",
    "the gland. A check valve over the pump will",
    "hold the column of water when it stops, so",
    "that the next start has not to fill it, and",
    "a second one near the top is of use only in",
    "wells of more than a hundred metres depth.",
];

#[test]
fn dense_narrow_columns_are_no_table() {
    let sheet = Sheet::default()
        .lines(50.0, 100.0, &LEFT)
        .lines(305.0, 100.0, &RIGHT);
    insta::assert_snapshot!(shown(&[sheet]), @"Text A pump of this kind lifts water from a well that is no deeper than seven metres, since the air outside can press it no higher than that, whatever the motor does. Where a well is deeper, the pump has to be let down into it on a pipe, and the motor stands above or goes down with it in a tight housing, which is then cooled by the water that flows past the windings on its way up. The cable runs beside the pipe and is tied to it at every metre, so that its weight does not pull at the gland. A check valve over the pump will hold the column of water when it stops, so that the next start has not to fill it, and a second one near the top is of use only in wells of more than a hundred metres depth.");
}

#[test]
fn a_paragraph_goes_on_past_a_footnote_in_the_next_column() {
    let sheet = Sheet::default()
        .lines(50.0, 500.0, &LEFT)
        .text(
            50.0,
            720.0,
            7.0,
            "1 Measured at sea level and at a temperature of ten degrees.",
        )
        .lines(305.0, 500.0, &RIGHT);
    insta::assert_snapshot!(shown(&[sheet]), @"
    Text A pump of this kind lifts water from a well that is no deeper than seven metres, since the air outside can press it no higher than that, whatever the motor does. Where a well is deeper, the pump has to be let down into it on a pipe, and the motor stands above or goes down with it in a tight housing, which is then cooled by the water that flows past the windings on its way up. The cable runs beside the pipe and is tied to it at every metre, so that its weight does not pull at the gland. A check valve over the pump will hold the column of water when it stops, so that the next start has not to fill it, and a second one near the top is of use only in wells of more than a hundred metres depth.
    Footnote 1 Measured at sea level and at a temperature of ten degrees.
    ");
}

#[test]
fn a_paragraph_goes_on_across_pages_past_running_heads() {
    let page = |number: u32, lines: &[&str]| {
        Sheet::default()
            .text(50.0, 40.0, 8.0, "Deep wells")
            .text(530.0, 40.0, 8.0, &number.to_string())
            .lines(50.0, 100.0, lines)
    };
    insta::assert_snapshot!(shown(&[page(14, &LEFT), page(15, &RIGHT)]), @"
    PageHeader Deep wells 14
    Text A pump of this kind lifts water from a well that is no deeper than seven metres, since the air outside can press it no higher than that, whatever the motor does. Where a well is deeper, the pump has to be let down into it on a pipe, and the motor stands above or goes down with it in a tight housing, which is then cooled by the water that flows past the windings on its way up. The cable runs beside the pipe and is tied to it at every metre, so that its weight does not pull at the gland. A check valve over the pump will hold the column of water when it stops, so that the next start has not to fill it, and a second one near the top is of use only in wells of more than a hundred metres depth.
    PageHeader Deep wells 15
    ");
}

#[test]
fn a_side_bar_does_not_part_the_text_beside_it() {
    let sheet = Sheet::default()
        .lines(50.0, 100.0, &LEFT)
        .lines(50.0, 196.0, &RIGHT)
        .filled(300.0, 110.0, 560.0, 180.0)
        .text(310.0, 125.0, 10.0, "In short")
        .text(
            310.0,
            140.0,
            10.0,
            "Seven metres is as deep as suction goes.",
        )
        .text(
            310.0,
            155.0,
            10.0,
            "Below that the pump goes down the well.",
        )
        .text(310.0, 170.0, 10.0, "Tie the cable to the pipe.");
    insta::assert_snapshot!(shown(&[sheet]), @"
    Text A pump of this kind lifts water from a well that is no deeper than seven metres, since the air outside can press it no higher than that, whatever the motor does. Where a well is deeper, the pump has to be let down into it on a pipe, and the motor stands above or goes down with it in a tight housing, which is then cooled by the water that flows past the windings on its way up. The cable runs beside the pipe and is tied to it at every metre, so that its weight does not pull at the gland. A check valve over the pump will hold the column of water when it stops, so that the next start has not to fill it, and a second one near the top is of use only in wells of more than a hundred metres depth.
    Text In short Seven metres is as deep as suction goes. Below that the pump goes down the well. Tie the cable to the pipe.
    ");
}

#[test]
fn text_runs_round_a_figure_between_the_columns() {
    let wide = [
        "Water is pressed up the pipe by the air outside",
        "and no pump can pull it higher than the air will",
        "press it, which is ten metres on a good day, and",
    ];
    let narrow = [
        "less in the hills, where",
        "the air is thin; losses in",
        "the pipe take more of it",
        "away, so that seven are",
        "what can be relied upon",
    ];
    let mut sheet = Sheet::default();
    for x in [50.0, 310.0] {
        sheet = sheet.lines(x, 100.0, &wide);
    }
    sheet = sheet
        .lines(50.0, 136.0, &narrow)
        .lines(420.0, 136.0, &narrow);
    for x in [50.0, 310.0] {
        sheet = sheet.lines(x, 196.0, &wide);
    }
    let sheet = sheet.drawing(190.0, 132.0, 405.0, 182.0);
    insta::assert_snapshot!(shown(&[sheet]), @"
    Text Water is pressed up the pipe by the air outside and no pump can pull it higher than the air will press it, which is ten metres on a good day, and less in the hills, where the air is thin; losses in the pipe take more of it away, so that seven are what can be relied upon Water is pressed up the pipe by the air outside and no pump can pull it higher than the air will press it, which is ten metres on a good day, and
    Picture -
    Text Water is pressed up the pipe by the air outside and no pump can pull it higher than the air will press it, which is ten metres on a good day, and less in the hills, where the air is thin; losses in the pipe take more of it away, so that seven are what can be relied upon Water is pressed up the pipe by the air outside and no pump can pull it higher than the air will press it, which is ten metres on a good day, and
    ");
}

#[test]
fn a_large_first_letter_is_part_of_its_word() {
    let sheet = Sheet::default()
        .text(50.0, 124.0, 40.0, "O")
        .lines(
            85.0,
            100.0,
            &[
                "ver the years wells have become deeper, as",
                "the water that is near the ground is used",
                "up or spoilt, and the pumps have followed",
            ],
        )
        .lines(
            50.0,
            136.0,
            &[
                "it down; what was done by hand or by a mill is",
                "now done by a motor that hangs in the well.",
            ],
        );
    insta::assert_snapshot!(shown(&[sheet]), @"Text Over the years wells have become deeper, as the water that is near the ground is used up or spoilt, and the pumps have followed it down; what was done by hand or by a mill is now done by a motor that hangs in the well.");
}
