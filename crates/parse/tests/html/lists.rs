use crate::check;
use insta::assert_snapshot;

#[test]
fn bullets_and_steps() {
    assert_snapshot!(check("<p>You need:<ul><li>a key<li>oil</ul><p>Then:<ol><li>Stop the pump.<li>Open it.</ol>"), @r#"
    "page"
    Text You need:
    List
      (•) a key
      (•) oil
    Text Then:
    List
      step 1. Stop the pump.
      step 2. Open it.
    "#);
}

#[test]
fn printed_numbers() {
    assert_snapshot!(check("<ol start=3><li>c<li value=7>g<li>h</ol>"), @r#"
    "page"
    List
      step 3. c
      step 7. g
      step 8. h
    "#);
    assert_snapshot!(check("<ol type=a start=26><li>z<li>aa</ol><ol type=I><li>one<li value=9>nine</ol>"), @r#"
    "page"
    List
      step z. z
      step aa. aa
    List
      step I. one
      step IX. nine
    "#);
    assert_snapshot!(check("<ol reversed><li>c<li>b<li>a</ol><ol style='list-style-type: lower-roman' start=4><li>four</ol>"), @r#"
    "page"
    List
      step 3. c
      step 2. b
      step 1. a
    List
      step iv. four
    "#);
    assert_snapshot!(check("<ol type=a start=0><li>zero<li>a</ol><ol start=-1><li>minus</ol><ol start=99999999999><li>one</ol>"), @r#"
    "page"
    List
      step 0. zero
      step a. a
    List
      step -1. minus
    List
      step 1. one
    "#);
}

#[test]
fn nested_lists() {
    assert_snapshot!(check("<ol><li>Open<ol type=a><li>the lid<li>the valve<ul><li>left</ul></ol><li>Close</ol>"), @r#"
    "page"
    List
      step 1. Open
        List
          step a. the lid
          step b. the valve
            List
              (•) left
      step 2. Close
    "#);
}

#[test]
fn a_list_inside_a_list_belongs_to_the_item_before() {
    assert_snapshot!(check("<ul><li>a</li><ul><li>a.1</li></ul><li>b</li>stray words<p>stray paragraph</p></ul>"), @r#"
    "page"
    List
      (•) a
        List
          (•) a.1
      (•) b
      (•) stray words
      (•) stray paragraph
    "#);
}

#[test]
fn items_hold_what_stands_in_them() {
    assert_snapshot!(check(
        "<ol><li><p>Lift the pump.</p><img src=a.png alt='Lifting'><p>Mind the hose.</p><pre>lift --now</pre>\
         <table><tr><th>Size<th>Weight<tr><td>S<td>3 kg</table>\
         <li><img src=b.png alt='Valve'>Close the valve.</ol>"
    ), @r#"
    "page"
    List
      step 1. Lift the pump.
        Picture - "Lifting"
        Text Mind the hose.
        Code "lift --now"
        Table 2x2
          | 0:[Size] | 1:[Weight]
          | 0:S | 1:3 kg
      step 2. Close the valve.
        Picture - "Valve"
    ! 2 pictures not found, first `a.png`
    "#);
}

#[test]
fn definitions() {
    assert_snapshot!(check(
        "<dl><dt id=e1>E1<dd>No water.<dt>E2<dt>E3:<dd><p>Too hot.</p><p>Let it cool.</p><dd>Or broken.\
         <div><dt>E4</dt><dd><ul><li>first<li>second</ul></dd></div><dt>E5</dl>"
    ), @r#"
    "page"
    List
      () E1: No water. #e1
      () E2, E3: Too hot.
        Text Let it cool.
        Text Or broken.
      () E4
        List
          (•) first
          (•) second
      () E5
    "#);
}

#[test]
fn references_are_no_steps() {
    assert_snapshot!(check("<ol class=references><li>Smith 2001.<li>Jones 2002.</ol>"), @r#"
    "page"
    List
      (1.) Smith 2001.
      (2.) Jones 2002.
    "#);
}

#[test]
fn numbered_paragraphs_stay_text() {
    assert_snapshot!(check("<p>1. Remove the lid.<p>2. Clean it."), @r#"
    "page"
    Text 1. Remove the lid.
    Text 2. Clean it.
    "#);
}

#[test]
fn empty_items_are_left_out_but_count() {
    assert_snapshot!(check("<ol><li>a<li> <li>c</ol><ul></ul>"), @r#"
    "page"
    List
      step 1. a
      step 3. c
    "#);
}
