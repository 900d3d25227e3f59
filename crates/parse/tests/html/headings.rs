use crate::check;
use insta::assert_snapshot;

#[test]
fn the_only_h1_is_the_title() {
    assert_snapshot!(check("<title>Site | Pump</title><h1>Pump</h1><p>Text.<h2>Use</h2><p>On.<h3>Start</h3><p>Go.<h2>Care</h2><p>Oil."), @r#"
    "Pump"
    Title Pump
    Text Text.
    # Use
      Text On.
      ## Start
        Text Go.
    # Care
      Text Oil.
    "#);
}

#[test]
fn several_h1_are_sections_and_the_title_comes_from_the_head() {
    assert_snapshot!(check("<title>Pump\n manual</title><h1>Use</h1><p>On.<h2>Start</h2><p>Go.<h1>Care</h1><p>Oil."), @r#"
    "Pump manual"
    # Use
      Text On.
      ## Start
        Text Go.
    # Care
      Text Oil.
    "#);
}

#[test]
fn a_first_h1_that_is_named_as_the_page_is_the_title() {
    assert_snapshot!(check("<title>Pump manual</title><h1 class=title>Pump manual</h1><h1>Use</h1><p>On.<h1>Care</h1><p>Oil."), @r#"
    "Pump manual"
    Title Pump manual
    # Use
      Text On.
    # Care
      Text Oil.
    "#);
}

#[test]
fn a_page_of_one_section_is_called_by_it() {
    assert_snapshot!(check("<title>8.9. Contrast</title><h3>8.9. Contrast</h3><p>Text.<h4>Use</h4><p>More."), @r#"
    "8.9. Contrast"
    Title 8.9. Contrast
    Text Text.
    # Use
      Text More.
    "#);
}

#[test]
fn skipped_levels_close_up() {
    assert_snapshot!(check("<h1>T</h1><h2>A</h2><h5>A.a</h5><h3>A.b</h3><h6>A.b.1</h6><h2>B</h2>"), @r#"
    "T"
    Title T
    # A
      ## A.a
      ## A.b
        ### A.b.1
    # B
    "#);
}

#[test]
fn a_late_h1_is_no_title() {
    assert_snapshot!(check("<h2>Notes</h2><p>Much text stands here before the heading, more than after it.<h1>End</h1><p>Short."), @r#"
    "page"
    # Notes
      Text Much text stands here before the heading, more than after it.
    # End
      Text Short.
    "#);
}

#[test]
fn titles_of_last_resort() {
    assert_snapshot!(check("<meta property=og:title content='Shared name'><p>Text."), @r#"
    "Shared name"
    Text Text.
    "#);
    assert_snapshot!(check("<p>Text."), @r#"
    "page"
    Text Text.
    "#);
}

#[test]
fn aria_headings() {
    assert_snapshot!(check("<h1>T</h1><div role=heading aria-level=2>A</div><p>x<span role=heading aria-level=3>B</span><p>y<h2 role=presentation>no heading</h2>"), @r#"
    "T"
    Title T
    # A
      Text x
      ## B
        Text y
        Text no heading
    "#);
}

#[test]
fn anchors_of_headings() {
    assert_snapshot!(check(
        "<h1 id=top>T</h1>\
         <h2 id=own>Own</h2><p>x\
         <h2><a name=inner></a>Inner</h2><p>x\
         <a name=before></a><h2>Before</h2><p>x\
         <section id=around><h2>Around</h2><p>x</section>\
         <div id=block><div class=titlepage><h2>Block</h2></div><p>x</div>\
         <div id=far><p>Text first.<h2>None</h2></div>\
         <h2 id=sphinx>Link<a class=headerlink href=#sphinx>¶</a></h2><p>x"
    ), @r#"
    "T"
    Title T #top
    # Own #own
      Text x
    # Inner #inner
      Text x #before
    # Before #before
      Text x
    # Around #around
      Text x
    # Block #block
      Text x
      Text Text first.
    # None
    # Link #sphinx
      Text x
    "#);
}

#[test]
fn headings_inside_tables_and_items_are_text() {
    assert_snapshot!(check("<h1>T</h1><table><tr><th><h2>Part</h2><th>No.<tr><td>Seal<td>7</table><ol><li><h3>Open</h3><p>Turn the lid.<li><h3>Close</h3></ol>"), @r#"
    "T"
    Title T
    Table 2x2
      | 0:[Part] | 1:[No.]
      | 0:Seal | 1:7
    List
      step 1. Open
        Text Turn the lid.
      step 2. Close
    "#);
}

#[test]
fn lists_of_whole_sections_are_sections() {
    assert_snapshot!(check("<h1>T</h1><ul><li><h2>A</h2><p>x<h3>A.a</h3><p>y<li><h2>B</h2><p>z</ul>"), @r#"
    "T"
    Title T
    # A
      Text x
      ## A.a
        Text y
    # B
      Text z
    "#);
}

#[test]
fn a_title_outside_main() {
    assert_snapshot!(check("<title>Pump - ACME</title><body><header><h1>Pump</h1><a href=/>Home</a></header><main><p>The pump moves water from here to there.<h2>Use</h2><p>Switch it on.</main>"), @r#"
    "Pump"
    Title Pump
    Text The pump moves water from here to there.
    # Use
      Text Switch it on.
    "#);
    assert_snapshot!(check("<title>Pump - ACME</title><body><header><h1>ACME</h1></header><main><h2>Pump</h2><p>The pump moves water from here to there.<h3>Use</h3><p>Switch it on.</main>"), @r#"
    "Pump"
    Title Pump
    Text The pump moves water from here to there.
    # Use
      Text Switch it on.
    "#);
}

#[test]
fn a_title_page_before_the_title() {
    assert_snapshot!(check("<title>R FAQ</title><h1>Questions on R</h1><h2>Version 3</h2><h1>R FAQ</h1><h2>Introduction</h2><p>This document answers questions on R that are asked often.<h3>Legal</h3><p>It is free."), @r#"
    "R FAQ"
    Title R FAQ
    # Questions on R
      ## Version 3
    # Introduction
      Text This document answers questions on R that are asked often.
      ## Legal
        Text It is free.
    "#);
    assert_snapshot!(check("<title>R</title><h1>R</h1><h1>R</h1><h2>Introduction</h2><p>x"), @r#"
    "R"
    Title R
    # Introduction
      Text x
    "#);
}

#[test]
fn buttons_and_permanent_links_in_headings() {
    assert_snapshot!(check("<h1>Pump <button>Copy</button></h1><h2><button>Use</button></h2><p>x<h2>Care <a href='#care'>#</a></h2><p>y"), @r#"
    "Pump"
    Title Pump
    # Use
      Text x
    # Care #care
      Text y
    "#);
}
