//! Running heads and page numbers of files of one page.

use crate::draw::Sheet;
use crate::shown;

const TEXT: [&str; 6] = [
    "A pump of this kind lifts water from a well that is no deeper than seven metres, since the air",
    "outside can press it no higher than that, whatever the motor does. Where a well is deeper, the",
    "pump has to be let down into it on a pipe, and the motor stands above or goes down with it in a",
    "tight housing, which is then cooled by the water that flows past the windings on its way up. The",
    "cable runs beside the pipe and is tied to it at every metre, so that its weight does not pull at",
    "the gland.",
];

/// A page of text with something else on it.
#[track_caller]
fn check(draw: impl Fn(Sheet) -> Sheet, expected: &str) {
    let tree = shown(&[draw(Sheet::default().lines(50.0, 120.0, &TEXT))]);
    let apart: Vec<&str> = tree
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("Text A pump"))
        .collect();
    assert_eq!(apart.join("\n"), expected);
}

#[test]
fn what_runs_at_the_edge_is_told_by_its_look() {
    check(
        |sheet| sheet.text(290.0, 800.0, 10.0, "62"),
        "PageFooter 62",
    );
    check(
        |sheet| sheet.text(270.0, 800.0, 10.0, "Page 3 of 10"),
        "PageFooter Page 3 of 10",
    );
    check(
        |sheet| {
            sheet
                .text(50.0, 50.0, 10.0, "Deep wells")
                .text(535.0, 50.0, 10.0, "447")
        },
        "PageHeader Deep wells 447",
    );
    check(
        |sheet| {
            sheet.text(
                50.0,
                810.0,
                7.0,
                "Downloaded from www.wells.example on 3 May 2019",
            )
        },
        "PageFooter Downloaded from www.wells.example on 3 May 2019",
    );
    check(
        |sheet| {
            sheet
                .text(50.0, 790.0, 9.0, "Revision: 2.4")
                .text(270.0, 790.0, 9.0, "P/N 119-036")
                .text(480.0, 790.0, 9.0, "10 June 2019")
        },
        "PageFooter Revision: 2.4 P/N 119-036 10 June 2019",
    );
}

#[test]
fn titles_notes_and_last_lines_are_kept() {
    check(
        |sheet| sheet.text(50.0, 60.0, 18.0, "Deep wells"),
        "Title Deep wells",
    );
    check(
        |sheet| sheet.text(50.0, 215.0, 10.0, "Last of all comes a short line of text"),
        "Text Last of all comes a short line of text",
    );
    check(
        |sheet| sheet.text(50.0, 780.0, 7.0, "* Measured at sea level in the spring."),
        "Footnote * Measured at sea level in the spring.",
    );
}
