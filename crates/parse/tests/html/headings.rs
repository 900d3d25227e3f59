use crate::check;
use insta::assert_snapshot;

#[test]
fn the_only_h1_is_the_title() {
    assert_snapshot!(check("<title>Site | Pump</title><h1>Pump</h1><p>Text.<h2>Use</h2><p>On.<h3>Start</h3><p>Go.<h2>Care</h2><p>Oil."), @"");
}

#[test]
fn several_h1_are_sections_and_the_title_comes_from_the_head() {
    assert_snapshot!(check("<title>Pump\n manual</title><h1>Use</h1><p>On.<h2>Start</h2><p>Go.<h1>Care</h1><p>Oil."), @"");
}

#[test]
fn a_first_h1_that_is_named_as_the_page_is_the_title() {
    assert_snapshot!(check("<title>Pump manual</title><h1 class=title>Pump manual</h1><h1>Use</h1><p>On.<h1>Care</h1><p>Oil."), @"");
}

#[test]
fn a_page_of_one_section_is_called_by_it() {
    assert_snapshot!(check("<title>8.9. Contrast</title><h3>8.9. Contrast</h3><p>Text.<h4>Use</h4><p>More."), @"");
}

#[test]
fn skipped_levels_close_up() {
    assert_snapshot!(check("<h1>T</h1><h2>A</h2><h5>A.a</h5><h3>A.b</h3><h6>A.b.1</h6><h2>B</h2>"), @"");
}

#[test]
fn a_late_h1_is_no_title() {
    assert_snapshot!(check("<h2>Notes</h2><p>Much text stands here before the heading, more than after it.<h1>End</h1><p>Short."), @"");
}

#[test]
fn titles_of_last_resort() {
    assert_snapshot!(check("<meta property=og:title content='Shared name'><p>Text."), @"");
    assert_snapshot!(check("<p>Text."), @"");
}

#[test]
fn aria_headings() {
    assert_snapshot!(check("<h1>T</h1><div role=heading aria-level=2>A</div><p>x<span role=heading aria-level=3>B</span><p>y<h2 role=presentation>no heading</h2>"), @"");
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
    ), @"");
}

#[test]
fn headings_inside_tables_and_items_are_text() {
    assert_snapshot!(check("<h1>T</h1><table><tr><th><h2>Part</h2><th>No.<tr><td>Seal<td>7</table><ol><li><h3>Open</h3><p>Turn the lid.<li><h3>Close</h3></ol>"), @"");
}

#[test]
fn lists_of_whole_sections_are_sections() {
    assert_snapshot!(check("<h1>T</h1><ul><li><h2>A</h2><p>x<h3>A.a</h3><p>y<li><h2>B</h2><p>z</ul>"), @"");
}

#[test]
fn a_title_outside_main() {
    assert_snapshot!(check("<title>Pump - ACME</title><body><header><h1>Pump</h1><a href=/>Home</a></header><main><p>The pump moves water from here to there.<h2>Use</h2><p>Switch it on.</main>"), @"");
    assert_snapshot!(check("<title>Pump - ACME</title><body><header><h1>ACME</h1></header><main><h2>Pump</h2><p>The pump moves water from here to there.<h3>Use</h3><p>Switch it on.</main>"), @"");
}
