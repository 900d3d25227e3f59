use crate::check;
use insta::assert_snapshot;

#[test]
fn bullets_and_steps() {
    assert_snapshot!(check("<p>You need:<ul><li>a key<li>oil</ul><p>Then:<ol><li>Stop the pump.<li>Open it.</ol>"), @"");
}

#[test]
fn printed_numbers() {
    assert_snapshot!(check("<ol start=3><li>c<li value=7>g<li>h</ol>"), @"");
    assert_snapshot!(check("<ol type=a start=26><li>z<li>aa</ol><ol type=I><li>one<li value=9>nine</ol>"), @"");
    assert_snapshot!(check("<ol reversed><li>c<li>b<li>a</ol><ol style='list-style-type: lower-roman' start=4><li>four</ol>"), @"");
    assert_snapshot!(check("<ol type=a start=0><li>zero<li>a</ol><ol start=-1><li>minus</ol><ol start=99999999999><li>one</ol>"), @"");
}

#[test]
fn nested_lists() {
    assert_snapshot!(check("<ol><li>Open<ol type=a><li>the lid<li>the valve<ul><li>left</ul></ol><li>Close</ol>"), @"");
}

#[test]
fn a_list_inside_a_list_belongs_to_the_item_before() {
    assert_snapshot!(check("<ul><li>a</li><ul><li>a.1</li></ul><li>b</li>stray words<p>stray paragraph</p></ul>"), @"");
}

#[test]
fn items_hold_what_stands_in_them() {
    assert_snapshot!(check(
        "<ol><li><p>Lift the pump.</p><img src=a.png alt='Lifting'><p>Mind the hose.</p><pre>lift --now</pre>\
         <table><tr><th>Size<th>Weight<tr><td>S<td>3 kg</table>\
         <li><img src=b.png alt='Valve'>Close the valve.</ol>"
    ), @"");
}

#[test]
fn definitions() {
    assert_snapshot!(check(
        "<dl><dt id=e1>E1<dd>No water.<dt>E2<dt>E3:<dd><p>Too hot.</p><p>Let it cool.</p><dd>Or broken.\
         <div><dt>E4</dt><dd><ul><li>first<li>second</ul></dd></div><dt>E5</dl>"
    ), @"");
}

#[test]
fn references_are_no_steps() {
    assert_snapshot!(check("<ol class=references><li>Smith 2001.<li>Jones 2002.</ol>"), @"");
}

#[test]
fn numbered_paragraphs_stay_text() {
    assert_snapshot!(check("<p>1. Remove the lid.<p>2. Clean it."), @"");
}

#[test]
fn empty_items_are_left_out_but_count() {
    assert_snapshot!(check("<ol><li>a<li> <li>c</ol><ul></ul>"), @"");
}
