//! Reading Markdown and plain text.

mod common;

use insta::assert_snapshot;

fn check(text: &str) -> String {
    match common::read("docs/notes.md", text.as_bytes()) {
        Ok(parsed) => common::shown(&parsed),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn headings_and_anchors() {
    assert_snapshot!(check("# Pump\n\nText.\n\n## How it *works*\n\nWater.\n\n## How it works\n\n#### Deep\n\nx\n"), @r#"
    "Pump"
    Title Pump #pump
    Text Text.
    # How it works #how-it-works
      Text Water.
    # How it works #how-it-works-1
      ## Deep #deep
        Text x
    "#);
    assert_snapshot!(check("Pump\n====\n\nUse\n---\n\nOn.\n"), @r#"
    "Pump"
    Title Pump #pump
    # Use #use
      Text On.
    "#);
}

#[test]
fn front_matter() {
    assert_snapshot!(check("---\ntitle: \"The pump\"\ntags: [a]\n---\n\n## Use\n\nOn.\n"), @r#"
    "The pump"
    # Use #use
      Text On.
    "#);
    assert_snapshot!(check("+++\ntitle = 'The pump'\n+++\nOn.\n"), @r#"
    "The pump"
    Text On.
    "#);
    assert_snapshot!(check("---\n\nA rule, not front matter.\n"), @r#"
    "notes"
    Text A rule, not front matter.
    "#);
}

#[test]
fn lists_and_steps() {
    assert_snapshot!(check("3. Stop\n4. Open\n   - left\n   - right\n\n   ![Lid](lid.png)\n\n   ```sh\n   open --all\n   ```\n5. Close\n\n- [x] done\n- [ ] not\n\nTerm\n\n: What it means\n"), @r#"
    "notes"
    List
      step 3. Stop
      step 4. Open
        List
          (•) left
          (•) right
        Picture - "Lid"
        Code "open --all"
      step 5. Close
    List
      (•) [x] done
      (•) [ ] not
    List
      () Term: What it means
    ! 1 picture not found, first `lid.png`
    "#);
}

#[test]
fn tables_and_captions() {
    assert_snapshot!(check("Table 1: Faults\n\n| Fault | Cause |\n|---|---|\n| E1 | No \\| water |\n| E2 | *Heat* |\n\nAfter.\n"), @r#"
    "notes"
    Table 3x2
      | 0:[Fault] | 1:[Cause]
      | 0:E1 | 1:No | water
      | 0:E2 | 1:Heat
      Caption Table 1: Faults
    Text After.
    "#);
    assert_snapshot!(check("![Pump](pump.png)\n\n*Figure 3: The pump*\n\nText.\n\n![Lid](lid.png)\n*The lid, open*\n"), @r#"
    "notes"
    Picture - "Pump"
      Caption Figure 3: The pump
    Text Text.
    Picture - "Lid"
      Caption The lid, open
    ! 2 pictures not found, first `pump.png`
    "#);
    assert_snapshot!(check("![Figure 1: Overview](https://host/x.png)\n"), @r#"
    "notes"
    Picture - "Figure 1: Overview"
      Caption Figure 1: Overview
    ! 1 picture on the network, not fetched
    "#);
}

#[test]
fn pieces_of_html() {
    assert_snapshot!(check("# T\n\n<figure>\n<img src=\"a.png\" alt=\"A\">\n<figcaption>Figure 1. A</figcaption>\n</figure>\n\n<table><tr><th>a</th></tr><tr><td>1</td></tr></table>\n\n<details><summary>More</summary>\n\nInside *this*.\n\n</details>\n\n<script>evil()</script>\n<!-- comment -->\n"), @r#"
    "T"
    Title T #t
    Picture - "A"
      Caption Figure 1. A
    Table 2x1
      | 0:[a]
      | 0:1
    Text More
    Text Inside this.
    ! 1 picture not found, first `a.png`
    "#);
}

#[test]
fn placeholders_are_text() {
    assert_snapshot!(check("Copy <file> to <your-name> and press <kbd>Enter</kbd>. See <https://a.b>.\n"), @r#"
    "notes"
    Text Copy <file> to <your-name> and press Enter. See https://a.b.
    "#);
}

#[test]
fn notes_formulas_code_and_quotes() {
    assert_snapshot!(check("Water[^w] is $H_2O$.\n\n$$\nE = mc^2\n$$\n\n```rust\nfn main() {\n\n    pump();\n}\n```\n\n> [!NOTE]\n> Mind the step.\n\n> Quoted\n> lines.\n\n[^w]: Or oil.\n"), @r#"
    "notes"
    Text Water[1] is H_2O.
    Formula E = mc^2
    Code "fn main() {\n\n    pump();\n}"
    Text Note
    Text Mind the step.
    Text Quoted lines.
    Footnote [1] Or oil. #fn-w
    "#);
}

#[test]
fn money_is_no_formula() {
    assert_snapshot!(check("It costs $5 or $6, from $10,000 to $20,000.\n"), @r#"
    "notes"
    Text It costs $5 or $6, from $10,000 to $20,000.
    "#);
}

#[test]
fn plain_text() {
    let parsed = common::read(
        "notes.txt",
        b"A line\nthat goes on.\n\nThe next paragraph, R&D, a < b.\n",
    )
    .unwrap();
    assert_snapshot!(common::shown(&parsed), @r#"
    "notes"
    Text A line that goes on.
    Text The next paragraph, R&D, a < b.
    "#);
    let latin = common::read(
        "notes.md",
        b"Gr\xfc\xdfe aus K\xf6ln und M\xfcnchen, sch\xf6nes Wetter.",
    )
    .unwrap();
    assert_snapshot!(common::shown(&latin), @r#"
    "notes"
    Text Grüße aus Köln und München, schönes Wetter.
    "#);
}

#[test]
fn hostile_markdown_is_read() {
    for (piece, times) in [
        ("> ", 10_000),
        ("- ", 5_000),
        ("[", 50_000),
        ("*a **b ", 20_000),
        ("![](", 20_000),
        ("<div>\n\n", 5_000),
        ("| a ", 50_000),
    ] {
        let parsed = common::read(
            "a.md",
            format!("start\n\n{}end", piece.repeat(times)).as_bytes(),
        )
        .unwrap();
        assert_eq!(parsed.document.nodes[0].text, "start", "{piece}");
    }
}

#[test]
fn links_lead_to_headings_by_their_slugs() {
    let text = "# Pumps\n\nSee [there](#daily-care).\n\n## Daily care\n\nClean it.\n";
    assert_eq!(
        common::links("page.md", text.as_bytes()),
        ["See there. → Daily care"]
    );
}
