//! Reading plain text.

// Files are put together piece by piece; how fast does not matter here.
#![allow(clippy::format_collect)]

mod common;

use insta::assert_snapshot;

fn check(text: &str) -> String {
    match common::read("docs/notes.txt", text.as_bytes()) {
        Ok(parsed) => common::shown(&parsed),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn signs_mean_themselves() {
    assert_snapshot!(check("# no heading\n\nSet *a* to __b__ & <c>, `d` [e](f).\n\n| g |"), @r#"
    "notes"
    Text # no heading
    Text Set *a* to __b__ & <c>, `d` [e](f).
    Text | g |
    "#);
}

#[test]
fn headings_by_underlines_numbers_and_capitals() {
    assert_snapshot!(check("The pump\n========\n\nWhat it is.\n\nUse\n---\nText that goes on\nover two lines.\n\nStart\n~~~~~\n\nOn.\n\nCare\n----\n\nClean it.\n"), @r#"
    "The pump"
    Title The pump
    Text What it is.
    # Use
      Text Text that goes on over two lines.
      ## Start
        Text On.
    # Care
      Text Clean it.
    "#);
    assert_snapshot!(check("1 Use\n\nText.\n\n1.1 Start\n\nOn.\n\n1.1.1 The lever\n\nUp.\n\n1.2 Stop\n\nOff.\n\n2. Care\n\nClean it.\n\nAppendix A: Parts\n\nA list.\n"), @r#"
    "notes"
    # 1 Use
      Text Text.
      ## 1.1 Start
        Text On.
        ### 1.1.1 The lever
          Text Up.
      ## 1.2 Stop
        Text Off.
    # 2. Care
      Text Clean it.
    # Appendix A: Parts
      Text A list.
    "#);
    assert_snapshot!(check("NAME\n       pump - pumps water\n\nOPTIONS\n       -v     says more\n\n       WARNING: hot.\n\nSEE ALSO\n       valve(1)\n"), @r#"
    "notes"
    # NAME
      Text pump - pumps water
    # OPTIONS
      Text -v says more
      Text WARNING: hot.
    # SEE ALSO
      Text valve(1)
    "#);
    assert_snapshot!(check("=====\nTitle\n=====\n\nCHAPTER 1\n\nText.\n\nOK\n\nA sentence of its own.\n\n1 of them is not a heading.\n"), @r#"
    "Title"
    Title Title
    # CHAPTER 1
      Text Text.
      Text OK
      Text A sentence of its own.
      Text 1 of them is not a heading.
    "#);
}

#[test]
fn lists_and_what_belongs_to_them() {
    assert_snapshot!(check("Do this:\n1. Stop\n   and wait.\n2. Open\n   - left\n   - right\n\n   More about it.\n3. Close\n\nThen:\n\n  a) first\n\n  b) second\n\nIn the year\n1999. It was - so to say - late.\n\n* one\n* two\n"), @r#"
    "notes"
    Text Do this:
    List
      step 1. Stop and wait.
      step 2. Open
        List
          (•) left
          (•) right
        Text More about it.
      step 3. Close
    Text Then:
    List
      step a) first
      step b) second
    Text In the year 1999. It was - so to say - late.
    List
      (•) one
      (•) two
    "#);
}

#[test]
fn lines_that_are_not_joined() {
    assert_snapshot!(check("From: a@b.c\nTo: d@e.f\nSubject: Pump\n\nHello,\n\n> It is\n> broken.\n\nName      Size   Price\nPump      3      40\nValve     1      7\n\n+---+\n| a |\n+---+\n"), @r#"
    "notes"
    Code "From: a@b.c\nTo: d@e.f\nSubject: Pump"
    Text Hello,
    Text It is broken.
    Code "Name      Size   Price\nPump      3      40\nValve     1      7"
    Code "+---+\n| a |\n+---+"
    "#);
    let log: String = (0..100_000)
        .map(|at| format!("2024-01-01 12:00:{:02} INFO line {at}\n", at % 60))
        .collect();
    let parsed = common::read("a.log", log.as_bytes()).unwrap();
    assert_eq!(parsed.document.nodes.len(), 2_500);
}

#[test]
fn ends_of_lines_pages_and_what_steers_terminals() {
    assert_snapshot!(check("\u{feff}One\r\nline.\r\n\r\nTwo\rlines.\u{c}N\u{8}NA\u{8}AME and \u{1b}[1;31mred\u{1b}[0m.\n\ttab\n"), @r#"
    "notes"
    Text One line.
    Text Two lines.
    Text NAME and red. tab
    "#);
    let utf16: Vec<u8> = "\u{feff}Grüße."
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_snapshot!(common::shown(&common::read("a.txt", &utf16).unwrap()), @r#"
    "a"
    Text Grüße.
    "#);
    assert_snapshot!(check(" \n\n \t"), @"error: no text, table or picture found");
}
