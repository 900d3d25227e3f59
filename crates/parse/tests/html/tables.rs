use crate::check;
use insta::assert_snapshot;

#[test]
fn headers_spans_and_caption() {
    assert_snapshot!(check(
        "<table id=t1><caption>Table 1. <b>Sizes</b></caption><thead><tr><td>Kind<td colspan=2>Size</thead>\
         <tr><th scope=row rowspan=2>A<td>1<td>2<tr><td colspan=9>3<tr><th>B<td>4<td>5</table>"
    ), @r#"
    "page"
    Table 4x3
      | 0:[Kind] | 1:[Size](1x2)
      | 0:[A](2x1) | 1:1 | 2:2
      | 1:3(1x2)
      | 0:[B] | 1:4 | 2:5 #t1
      Caption Table 1. Sizes
    "#);
}

#[test]
fn a_bold_first_row_heads() {
    assert_snapshot!(check("<table><tr><td><b>Fault</b><td><p><strong>Cause</strong></p><tr><td>E1<td>No water</table>"), @r#"
    "page"
    Table 2x2
      | 0:[Fault] | 1:[Cause]
      | 0:E1 | 1:No water
    "#);
    assert_snapshot!(check("<table><tr><td>E1<td>No water<tr><td>E2<td>Heat</table>"), @r#"
    "page"
    Table 2x2
      | 0:E1 | 1:No water
      | 0:E2 | 1:Heat
    "#);
}

#[test]
fn a_footer_comes_last() {
    assert_snapshot!(check("<table><tfoot><tr><td>Sum<td>3</tfoot><tr><td>a<td>1<tr><td>b<td>2</table>"), @r#"
    "page"
    Table 3x2
      | 0:a | 1:1
      | 0:b | 1:2
      | 0:Sum | 1:3
    "#);
}

#[test]
fn spans_are_clamped() {
    assert_snapshot!(check("<table><tr><td rowspan=0>a<td rowspan=99>b<td colspan=0>c<tr><td colspan=1000>d</table>"), @r#"
    "page"
    Table 2x3
      | 0:a(2x1) | 1:b(2x1) | 2:c
      | 2:d
    "#);
    // The second row's wide cell runs into the cell from above.
    assert_snapshot!(check("<table><tr><td>a<td>b<td rowspan=2>c<tr><td colspan=3>d<td>e</table>"), @r#"
    "page"
    Table 2x4
      | 0:a | 1:b | 2:c(2x1)
      | 0:d(1x2) | 3:e
    "#);
}

#[test]
fn columns_without_cells_vanish() {
    assert_snapshot!(check("<table><tr><td colspan=2>a<td colspan=3>b<tr></tr><tr><td colspan=2>c<td colspan=3>d</table>"), @r#"
    "page"
    Table 2x2
      | 0:a | 1:b
      | 0:c | 1:d
    "#);
}

#[test]
fn cells_are_one_line() {
    assert_snapshot!(check("<table><tr><th>Do<td><p>Open</p><ul><li>left<li>right</ul>a<br>b<tr><th>Ok<td><img src=y.png alt=yes width=16 height=16></table>"), @r#"
    "page"
    Table 2x2
      | 0:[Do] | 1:Open left right a b
      | 0:[Ok] | 1:yes
    "#);
}

#[test]
fn pictures_in_cells_follow_the_table() {
    assert_snapshot!(check("<table><tr><th>Part<th>View<tr><td>Seal<td><img src=seal.png alt='The seal'></table><p>After."), @r#"
    "page"
    Table 2x2
      | 0:[Part] | 1:[View]
      | 0:Seal | 1:The seal
    Picture - "The seal"
    Text After.
    ! 1 picture not found, first `seal.png`
    "#);
}

#[test]
fn layout_tables_are_unwrapped() {
    assert_snapshot!(check("<table role=presentation><tr><td><h2>A</h2><p>x</p><td><p>y</p></table>"), @r#"
    "page"
    # A
      Text x
      Text y
    "#);
    assert_snapshot!(check("<table><tr><td><p>Only one</p><p>cell</p></table>"), @r#"
    "page"
    Text Only one
    Text cell
    "#);
    assert_snapshot!(check("<table><tr><td>Menu<td><table><tr><th>Fault<th>Cause<tr><td>E1<td>Heat</table></table>"), @r#"
    "page"
    Text Menu
    Table 2x2
      | 0:[Fault] | 1:[Cause]
      | 0:E1 | 1:Heat
    "#);
    assert_snapshot!(check("<table><tr><td>Left<td><h2>Pump</h2><p>The pump moves water to the tank.</p></table>"), @r#"
    "page"
    Text Left
    # Pump
      Text The pump moves water to the tank.
    "#);
}

#[test]
fn a_note_with_its_sign_is_text() {
    assert_snapshot!(check(
        "<div class=note><table summary=Note><tr><td rowspan=2><img alt='[Note]' src=note.png></td><th>Note</th></tr>\
         <tr><td><p>Mind the step.</p></td></tr></table></div>"
    ), @r#"
    "page"
    Picture - "[Note]"
    Text Note
    Text Mind the step.
    ! 1 picture not found, first `note.png`
    "#);
}

#[test]
fn captions_beside_tables() {
    assert_snapshot!(check("<p>Table 1: Faults</p><table><tr><td>E1<td>Heat</table><p>Table 2: Sizes</p><table><tr><td>S<td>3</table>"), @r#"
    "page"
    Table 1x2
      | 0:E1 | 1:Heat
      Caption Table 1: Faults
    Table 1x2
      | 0:S | 1:3
      Caption Table 2: Sizes
    "#);
    assert_snapshot!(check("<table><tr><td>E1<td>Heat</table><p>Table 1: Faults</p><p>Table 2 shows more.</p>"), @r#"
    "page"
    Table 1x2
      | 0:E1 | 1:Heat
      Caption Table 1: Faults
    Text Table 2 shows more.
    "#);
}
