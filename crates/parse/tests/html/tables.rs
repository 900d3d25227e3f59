use crate::check;
use insta::assert_snapshot;

#[test]
fn headers_spans_and_caption() {
    assert_snapshot!(check(
        "<table id=t1><caption>Table 1. <b>Sizes</b></caption><thead><tr><td>Kind<td colspan=2>Size</thead>\
         <tr><th scope=row rowspan=2>A<td>1<td>2<tr><td colspan=9>3<tr><th>B<td>4<td>5</table>"
    ), @"");
}

#[test]
fn a_bold_first_row_heads() {
    assert_snapshot!(check("<table><tr><td><b>Fault</b><td><p><strong>Cause</strong></p><tr><td>E1<td>No water</table>"), @"");
    assert_snapshot!(check("<table><tr><td>E1<td>No water<tr><td>E2<td>Heat</table>"), @"");
}

#[test]
fn a_footer_comes_last() {
    assert_snapshot!(check("<table><tfoot><tr><td>Sum<td>3</tfoot><tr><td>a<td>1<tr><td>b<td>2</table>"), @"");
}

#[test]
fn spans_are_clamped() {
    assert_snapshot!(check("<table><tr><td rowspan=0>a<td rowspan=99>b<td colspan=0>c<tr><td colspan=1000>d</table>"), @"");
    // The second row's wide cell runs into the cell from above.
    assert_snapshot!(check("<table><tr><td>a<td>b<td rowspan=2>c<tr><td colspan=3>d<td>e</table>"), @"");
}

#[test]
fn columns_without_cells_vanish() {
    assert_snapshot!(check("<table><tr><td colspan=2>a<td colspan=3>b<tr></tr><tr><td colspan=2>c<td colspan=3>d</table>"), @"");
}

#[test]
fn cells_are_one_line() {
    assert_snapshot!(check("<table><tr><th>Do<td><p>Open</p><ul><li>left<li>right</ul>a<br>b<tr><th>Ok<td><img src=y.png alt=yes width=16 height=16></table>"), @"");
}

#[test]
fn pictures_in_cells_follow_the_table() {
    assert_snapshot!(check("<table><tr><th>Part<th>View<tr><td>Seal<td><img src=seal.png alt='The seal'></table><p>After."), @"");
}

#[test]
fn layout_tables_are_unwrapped() {
    assert_snapshot!(check("<table role=presentation><tr><td><h2>A</h2><p>x</p><td><p>y</p></table>"), @"");
    assert_snapshot!(check("<table><tr><td><p>Only one</p><p>cell</p></table>"), @"");
    assert_snapshot!(check("<table><tr><td>Menu<td><table><tr><th>Fault<th>Cause<tr><td>E1<td>Heat</table></table>"), @"");
    assert_snapshot!(check("<table><tr><td>Left<td><h2>Pump</h2><p>The pump moves water to the tank.</p></table>"), @"");
}

#[test]
fn a_note_with_its_sign_is_text() {
    assert_snapshot!(check(
        "<div class=note><table summary=Note><tr><td rowspan=2><img alt='[Note]' src=note.png></td><th>Note</th></tr>\
         <tr><td><p>Mind the step.</p></td></tr></table></div>"
    ), @"");
}

#[test]
fn captions_beside_tables() {
    assert_snapshot!(check("<p>Table 1: Faults</p><table><tr><td>E1<td>Heat</table><p>Table 2: Sizes</p><table><tr><td>S<td>3</table>"), @"");
    assert_snapshot!(check("<table><tr><td>E1<td>Heat</table><p>Table 1: Faults</p><p>Table 2 shows more.</p>"), @"");
}
