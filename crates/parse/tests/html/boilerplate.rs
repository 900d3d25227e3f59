use crate::check;
use insta::assert_snapshot;

const BODY: &str = "<h1>Pump</h1><p>The pump moves water to the tank. It must not run dry.</p>";

/// The tree of a page with `extra` around its text.
fn check_around(before: &str, after: &str) -> String {
    check(&format!("<body>{before}{BODY}{after}"))
}

#[test]
fn navigation_is_left_out() {
    assert_snapshot!(check_around(
        "<a href=#main>Skip to content</a><header><a href=/>ACME</a></header><nav><ul><li><a href=a>A</a><li><a href=b>B</a></ul></nav>\
         <div class='breadcrumbs'><a href=/>Home</a> &gt; <a href=/p>Pumps</a> &gt; Pump</div>\
         <div class=navheader><table><tr><th colspan=3>Pump</th></tr><tr><td><a accesskey=p href=x><img src=prev.png alt=Prev></a></td><th>Chapter 2</th><td><a accesskey=n href=y>Next</a></td></tr></table></div>",
        "<div>Next: <a rel=next href=x>Care</a>, Up: <a rel=up href=y>Top</a></div><aside><a href=x>Other pumps</a> <a href=y>More</a></aside>\
         <form><label>Search <input></label></form><footer>© ACME 2020. All rights reserved. <a href=/>Imprint</a></footer><div id=cookie-bar>We use cookies. <button>OK</button></div>"
    ), @r#"
    "Pump"
    Title Pump
    Text The pump moves water to the tank. It must not run dry.
    "#);
}

#[test]
fn tables_of_contents_go_with_their_heading() {
    assert_snapshot!(check_around(
        "<h2>Table of Contents</h2><ul><li><a href=#a>A</a><ul><li><a href=#b>B</a></ul><li><a href=#c>C</a></ul>",
        "<h2 id=a>A</h2><p>x"
    ), @r#"
    "Pump"
    Title Pump
    Text The pump moves water to the tank. It must not run dry.
    # A #a
      Text x
    "#);
}

#[test]
fn hidden_text_is_left_out() {
    assert_snapshot!(check_around(
        "<p hidden>h</p><p aria-hidden=true>a</p><p style='Display : none'>d</p><span class=sr-only>s</span>",
        "<p hidden=until-found>Found by search.</p>"
    ), @r#"
    "Pump"
    Title Pump
    Text The pump moves water to the tank. It must not run dry.
    Text Found by search.
    "#);
}

#[test]
fn what_might_be_content_stays() {
    assert_snapshot!(check_around(
        "<header><h2>Before you start</h2><p>Read this.</p></header>",
        "<aside class=sidebar><p>Tip: use warm water. It is better.</p></aside><ul><li><a href=https://a>A book</a><li><a href=https://b>Another</a><li><a href=https://c>Third</a></ul>"
    ), @r#"
    "Pump"
    Title Pump
    # Before you start
      Text Read this.
      Text The pump moves water to the tank. It must not run dry.
      Text Tip: use warm water. It is better.
      List
        (•) A book
        (•) Another
        (•) Third
    "#);
    assert_snapshot!(check("<nav><p>All of this page stands in a nav. It is odd. But it is text all the same, and a lot of it.</p></nav>"), @r#"
    "page"
    Text All of this page stands in a nav. It is odd. But it is text all the same, and a lot of it.
    "#);
    assert_snapshot!(check("<body style='visibility:hidden'><p>Shown by script."), @r#"
    "page"
    Text Shown by script.
    "#);
    assert_snapshot!(check("<div class=toc><a href=#a>A</a> <a href=#b>B</a> <a href=#c>C</a></div>"), @r#"
    "page"
    Text A B C
    "#);
}

#[test]
fn main_holds_the_document() {
    assert_snapshot!(check("<div>Teaser here.</div><main><h1>Pump</h1><p>The pump moves water to the tank, all day long.</main><div>Subscribe now.</div>"), @r#"
    "Pump"
    Title Pump
    Text The pump moves water to the tank, all day long.
    "#);
    assert_snapshot!(check("<h1>Blog</h1><article><h2>A</h2><p>First text.</article><article><h2>B</h2><p>Second text.</article>"), @r#"
    "Blog"
    Title Blog
    # A
      Text First text.
    # B
      Text Second text.
    "#);
}

#[test]
fn nothing_at_all() {
    assert_snapshot!(check("<html><script>x</script>"), @"error: no text, table or picture found");
    assert_snapshot!(check("<h1>Only a title</h1>"), @r#"
    "Only a title"
    Title Only a title
    "#);
}
