//! Tables beside and between columns of text.

use crate::draw::Sheet;
use crate::shown;

#[test]
fn titles_of_groups_and_slanting_headings_keep_the_columns_apart() {
    let mut sheet = Sheet::default()
        .text(50.0, 90.0, 10.0, "Table 1: Runs of three models")
        .rule(50.0, 400.0, 100.0)
        .text(250.0, 115.0, 9.0, "First")
        .text(320.0, 115.0, 9.0, "Second")
        .slanting(252.0, 160.0, 9.0, "Procedure")
        .slanting(322.0, 160.0, 9.0, "Completion")
        .text(55.0, 160.0, 9.0, "#")
        .text(80.0, 160.0, 9.0, "Topic")
        .text(140.0, 160.0, 9.0, "Task")
        .rule(50.0, 400.0, 165.0);
    let groups = ["Proteomics", "Chemistry"];
    let mut y = 178.0;
    for (at, group) in groups.iter().enumerate() {
        sheet = sheet.text(55.0, y, 9.0, group);
        for (row, topic) in ["Easy", "Normal", "Hard"].iter().enumerate() {
            y += 12.0;
            sheet = sheet
                .text(55.0, y, 9.0, &(at * 3 + row + 1).to_string())
                .text(80.0, y, 9.0, topic)
                .text(140.0, y, 9.0, "Clustering")
                .text(252.0, y, 9.0, "0.87")
                .text(322.0, y, 9.0, "0.20");
        }
        y += 12.0;
    }
    insta::assert_snapshot!(shown(&[sheet.rule(50.0, 400.0, y - 8.0)]), @"
    Table 10x5
      | 3:[First] | 4:[Second]
      | 0:[#] | 1:[Topic] | 2:[Task] | 3:[Procedure] | 4:[Completion]
      | 0:Proteomics(1x2)
      | 0:1 | 1:Easy | 2:Clustering | 3:0.87 | 4:0.20
      | 0:2 | 1:Normal | 2:Clustering | 3:0.87 | 4:0.20
      | 0:3 | 1:Hard | 2:Clustering | 3:0.87 | 4:0.20
      | 0:Chemistry(1x2)
      | 0:4 | 1:Easy | 2:Clustering | 3:0.87 | 4:0.20
      | 0:5 | 1:Normal | 2:Clustering | 3:0.87 | 4:0.20
      | 0:6 | 1:Hard | 2:Clustering | 3:0.87 | 4:0.20
      Caption Table 1: Runs of three models
    ");
}

#[test]
fn a_numbered_list_beside_text_is_no_table() {
    let left = [
        "1.  s(t) = 2t + 8",
        "2.  s(t) = 3t - 10",
        "3.  s(t) = t + 1",
    ];
    let right = [
        "A potato is thrown up with a speed of 100 feet",
        "a second from the top of a building that has a",
        "height of 85 feet above the ground. After some",
        "seconds it falls. Find its speed after 0.5 s and",
        "5.75 s.",
        "Find out when it is highest above the ground,",
        "and how high that is. Then find when it is back",
        "at the height that it was thrown from, and at",
        "what speed it passes that.",
    ];
    let mut sheet = Sheet::default()
        .lines(
            50.0,
            100.0,
            &[
                "Find the speed of the bodies that follow, given",
                "their places over time:",
            ],
        )
        .lines(305.0, 100.0, &right);
    for (at, line) in left.iter().enumerate() {
        let y = 136.0 + 24.0 * at as f32;
        let (number, formula) = line.split_once("  ").unwrap();
        sheet = sheet
            .text(50.0, y, 10.0, number)
            .text(80.0, y, 10.0, formula);
    }
    insta::assert_snapshot!(shown(&[sheet]), @"
    Text Find the speed of the bodies that follow, given their places over time:
    List
      step 1. s(t) = 2t + 8
      step 2. s(t) = 3t - 10
      step 3. s(t) = t + 1
    Text A potato is thrown up with a speed of 100 feet a second from the top of a building that has a height of 85 feet above the ground. After some seconds it falls. Find its speed after 0.5 s and 5.75 s.
    Text Find out when it is highest above the ground, and how high that is. Then find when it is back at the height that it was thrown from, and at what speed it passes that.
    ");
}

#[test]
fn short_lines_at_other_heights_in_the_next_column_are_no_cells() {
    let prose = [
        "For the following exercises the functions give the",
        "place of a particle that goes along a straight line.",
        "Find its speed and when it slows down or speeds up,",
        "then say where it stands after the first ten seconds.",
    ];
    let mut sheet = Sheet::default()
        .lines(50.0, 100.0, &prose)
        .lines(50.0, 250.0, &prose)
        .lines(320.0, 100.0, &prose)
        .lines(320.0, 250.0, &prose);
    for (row, text) in ["s = 2t + 8", "s = 3t - 10", "s = t + 1"]
        .iter()
        .enumerate()
    {
        let y = 165.0 + 26.0 * row as f32;
        sheet = sheet
            .text(50.0, y, 10.0, &format!("{}.", 150 + row))
            .text(80.0, y, 10.0, text);
    }
    for (row, text) in [
        "5.75 s.",
        "at 0.5 s",
        "highest.",
        "1.5 s",
        "in the air",
        "the ground",
    ]
    .iter()
    .enumerate()
    {
        sheet = sheet.text(345.0, 163.5 + 13.0 * row as f32, 10.0, text);
    }
    insta::assert_snapshot!(shown(&[sheet]), @"
    Text For the following exercises the functions give the place of a particle that goes along a straight line. Find its speed and when it slows down or speeds up, then say where it stands after the first ten seconds.
    Table 3x2
      | 0:[150.] | 1:[s = 2t + 8]
      | 0:151. | 1:s = 3t - 10
      | 0:152. | 1:s = t + 1
    Text For the following exercises the functions give the place of a particle that goes along a straight line. Find its speed and when it slows down or speeds up, then say where it stands after the first ten seconds.
    Text For the following exercises the functions give the place of a particle that goes along a straight line. Find its speed and when it slows down or speeds up, then say where it stands after the first ten seconds.
    Text 5.75 s.
    Text at 0.5 s highest.
    Text 1.5 s in the air the ground
    Text For the following exercises the functions give the place of a particle that goes along a straight line. Find its speed and when it slows down or speeds up, then say where it stands after the first ten seconds.
    ");
}
