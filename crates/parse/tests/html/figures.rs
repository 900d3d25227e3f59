use crate::{check, common};
use insta::assert_snapshot;
use std::cell::RefCell;

/// A PNG of this size, one bit a pixel, without any data: enough to tell its size.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::GrayImage::new(width, height)
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

/// The tree of a page beside which lie `big.png`, `img/pump.png`, `icon.png` and `plan.svg`.
fn check_beside(html: &str) -> String {
    let resolve = |path: &str| match path {
        "big.png" => Some(png(400, 300)),
        "img/pump.png" | "img/pump 2.png" => Some(png(200, 100)),
        "icon.png" => Some(png(16, 16)),
        "plan.svg" => Some(
            br#"<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">
            <svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><text>Inlet
            <tspan>valve</tspan></text><text>Outlet</text></svg>"#
                .to_vec(),
        ),
        "bad.png" => Some(b"not a picture".to_vec()),
        _ => None,
    };
    common::shown(&common::read_with("docs/page.html", html.as_bytes(), &resolve).unwrap())
}

#[test]
fn figures_with_captions() {
    assert_snapshot!(check_beside("<figure id=f1><img src=big.png alt=Pump><figcaption>Figure 1. <i>The pump</i></figcaption></figure>"), @r#"
    "page"
    Picture image "Pump" #f1
      Caption Figure 1. The pump
    "#);
    assert_snapshot!(check_beside("<figure><figcaption>Table 1. Faults</figcaption><table><tr><td>E1<td>Heat</table></figure>"), @r#"
    "page"
    Table 1x2
      | 0:E1 | 1:Heat
      Caption Table 1. Faults
    "#);
    assert_snapshot!(check_beside("<figure><pre>pump --on</pre><figcaption>Listing 1. On</figcaption></figure>"), @r#"
    "page"
    Code "pump --on"
    Text Listing 1. On
    "#);
    assert_snapshot!(check_beside("<figure><video src=a.mp4></video><figcaption>A film.</figcaption></figure>"), @r#"
    "page"
    Text A film.
    "#);
}

#[test]
fn figures_of_several_pictures() {
    assert_snapshot!(check_beside("<figure><img src=big.png alt=left><img src=img/pump.png alt=right><figcaption>Figure 2. Both</figcaption></figure>"), @r#"
    "page"
    Picture image "left"
      Caption Figure 2. Both
      Picture image "right"
    "#);
    assert_snapshot!(check_beside(
        "<figure><figure><img src=big.png><figcaption>(a) Left</figcaption></figure>\
         <figure><img src=img/pump.png><figcaption>(b) Right</figcaption></figure>\
         <figcaption>Figure 3. Both</figcaption></figure>"
    ), @r#"
    "page"
    Picture image
      Caption Figure 3. Both
      Text (a) Left
      Picture image
        Caption (b) Right
    "#);
}

#[test]
fn captions_by_place_and_label() {
    assert_snapshot!(check_beside("<p><img src=big.png><p>Figure 1: The pump<p>Text."), @r#"
    "page"
    Picture image
      Caption Figure 1: The pump
    Text Text.
    "#);
    assert_snapshot!(check_beside("<p><img src=big.png><p>Figure 1 shows the pump."), @r#"
    "page"
    Picture image
    Text Figure 1 shows the pump.
    "#);
    assert_snapshot!(check_beside("<p><img src=big.png><br>Fig. 2 – The pump</p><p>Text."), @r#"
    "page"
    Picture image
      Caption Fig. 2 – The pump
    Text Text.
    "#);
    assert_snapshot!(check_beside("<div class=thumb><img src=big.png><div class=thumbcaption>The pump, <b>open</b></div></div>"), @r#"
    "page"
    Picture image
      Caption The pump, open
    "#);
    assert_snapshot!(check_beside("<p><img src=big.png></p><p><em>The pump from the left</em></p><p>Text."), @r#"
    "page"
    Picture image
      Caption The pump from the left
    Text Text.
    "#);
    assert_snapshot!(check_beside("<table><tr><td><img src=big.png><tr><td>Figure 7. The pump</table>"), @r#"
    "page"
    Picture image
      Caption Figure 7. The pump
    "#);
}

#[test]
fn a_figure_of_parts_with_captions_of_their_own() {
    assert_snapshot!(check_beside(
        "<div class=figure><p class=title><b>Figure 1. Steps</b></p><div><div><img src=big.png alt=a><div class=caption>First.</div></div>\
         <div><img src=img/pump.png alt=b><div class=caption><p>Press <img src=icon.png alt=Origin> and wait for it.</p></div></div></div></div>"
    ), @r#"
    "page"
    Picture image "a"
      Caption Figure 1. Steps
      Text First.
      Picture image "b"
        Caption Press Origin and wait for it.
    "#);
    assert_snapshot!(check_beside("<div class=wp-caption><img src=big.png><p class=wp-caption-text>The pump seen from above, open</p></div>"), @r#"
    "page"
    Picture image
      Caption The pump seen from above, open
    "#);
}

#[test]
fn rows_of_figures_keep_their_captions() {
    assert_snapshot!(check_beside("<p>Figure 1. A<p><img src=big.png alt=a><p>Figure 2. B<p><img src=big.png alt=b>"), @r#"
    "page"
    Picture image "a"
      Caption Figure 1. A
    Picture image "b"
      Caption Figure 2. B
    "#);
    assert_snapshot!(check_beside("<p><img src=big.png alt=a><p>Figure 1. A<p><img src=big.png alt=b><p>Figure 2. B"), @r#"
    "page"
    Picture image "a"
      Caption Figure 1. A
    Picture image "b"
      Caption Figure 2. B
    "#);
    assert_snapshot!(check_beside(
        "<p>Table 1. T<table><tr><td>x<td>y</table><p>Figure 2. B<p>Text<p><img src=big.png><p>Figure 3. C<table><tr><td>x<td>y</table>"
    ), @r#"
    "page"
    Table 1x2
      | 0:x | 1:y
      Caption Table 1. T
    Text Figure 2. B
    Text Text
    Picture image
      Caption Figure 3. C
    Table 1x2
      | 0:x | 1:y
    "#);
    assert_snapshot!(check_beside(
        "<div class=figure><p class=title><b>Figure 1.1. A</b></p><div><img src=big.png alt=a></div></div><br>\
         <div class=figure><p class=title><b>Figure 1.2. B</b></p><div><img src=big.png alt=b></div></div>"
    ), @r#"
    "page"
    Picture image "a"
      Caption Figure 1.1. A
    Picture image "b"
      Caption Figure 1.2. B
    "#);
}

#[test]
fn a_labelled_alternative_text_is_a_caption() {
    assert_snapshot!(check_beside("<p><img src=big.png alt='Figure 3: Overview'></p>"), @r#"
    "page"
    Picture image "Figure 3: Overview"
      Caption Figure 3: Overview
    "#);
}

#[test]
fn pictures_between_text() {
    assert_snapshot!(check_beside("<p>Press <img src=icon.png alt=Save> to save. <img src=big.png alt=Window> Then close.</p>"), @r#"
    "page"
    Text Press Save to save. Then close.
    Picture image "Window"
    "#);
}

#[test]
fn decoration_is_left_out() {
    assert_snapshot!(check_beside(
        "<p>Text.</p><img src=x.gif width=1 height=1 alt=''><img src=line.png role=presentation><p><img src=icon.png alt=Dot></p>\
         <p><img src=logo.png width=20 height=20></p><img src=https://img.shields.io/build.svg alt=build><img src=none.png>"
    ), @r#"
    "page"
    Text Text.
    ! 1 picture not found, first `none.png`
    "#);
}

#[test]
fn small_pictures_shown_again_and_again_are_icons() {
    let icon = "<p>Text.</p><img src=img/pump.png width=100 alt=warning>";
    assert_snapshot!(check_beside(&icon.repeat(4)), @r#"
    "page"
    Text Text.
    Text Text.
    Text Text.
    Text Text.
    "#);
    let large = "<p>Text.</p><img src=big.png alt=Pump>";
    assert_snapshot!(check_beside(&large.repeat(4)), @r#"
    "page"
    Text Text.
    Picture image "Pump"
    Text Text.
    Picture image "Pump"
    Text Text.
    Picture image "Pump"
    Text Text.
    Picture image "Pump"
    "#);
}

#[test]
fn bytes_come_from_beside_the_page() {
    let asked = RefCell::new(Vec::new());
    let resolve = |path: &str| {
        asked.borrow_mut().push(path.to_owned());
        None
    };
    let html = "<img alt=a src='./img/a%20b.png?x=1'><img alt=b src=../up.png><img alt=c src=/etc/passwd>\
        <img alt=d src=file:///etc/passwd><img alt=e src=https://host/e.png><img alt=f src=//host/f.png>\
        <img alt=g src='x.png' srcset='https://host/2x.png 2x, img/g2.png 3x'>";
    let parsed = common::read_with("page.html", html.as_bytes(), &resolve).unwrap();
    assert_snapshot!(common::shown(&parsed), @r#"
    "page"
    Picture - "a"
    Picture - "b"
    Picture - "c"
    Picture - "d"
    Picture - "e"
    Picture - "f"
    Picture - "g"
    ! 3 pictures on the network, not fetched
    ! 4 pictures not found, first `img/a b.png`
    "#);
    assert_eq!(
        *asked.borrow(),
        ["img/a b.png", "../up.png", "x.png", "img/g2.png"]
    );
}

#[test]
fn the_best_address_that_can_be_read() {
    assert_snapshot!(check_beside("<picture><source srcset='https://host/a.webp'><source srcset='img/pump.png 2x'><img src=https://host/a.png alt=a></picture>"), @r#"
    "page"
    Picture image "a"
    "#);
    assert_snapshot!(check_beside("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' data-src=big.png alt=lazy>"), @r#"
    "page"
    Picture image "lazy"
    "#);
    assert_snapshot!(check_beside("<a href=big.png><img src=icon.png alt=thumb></a>"), @r#"
    "page"
    Picture image "thumb"
    "#);
    assert_snapshot!(check_beside("<base href='img/x.html'><img src='pump%202.png' alt=based>"), @r#"
    "page"
    Picture image "based"
    "#);
}

#[test]
fn drawings() {
    assert_snapshot!(check_beside("<img src=plan.svg alt=Plan><object data=plan.svg type=image/svg+xml>fallback</object><object data=a.swf><p>Not shown</p></object>"), @r#"
    "page"
    Picture image "Plan" words: Inlet valve Outlet
    Picture image "fallback" words: Inlet valve Outlet
    Text Not shown
    "#);
    assert_snapshot!(check_beside(
        "<p>x</p><svg viewBox='0 0 400 300' onclick=evil() inkscape:x=1><title>Flow</title><defs><text>hidden</text></defs>\
         <script>evil()</script><rect width=1 /><text>Pump</text><text>Tank &lt;1></text></svg>\
         <svg viewBox='0 0 24 24'><path d=''/></svg><svg style='display:none' viewBox='0 0 900 900'><path/></svg>"
    ), @r#"
    "page"
    Text x
    Picture image "Flow" words: Pump Tank <1>
    "#);
}

#[test]
fn an_inline_drawing_becomes_a_file() {
    let html = "<svg viewBox='0 0 40 30' xlink:href=#a><a xlink:href='x'><rect width=40 height=30 fill='#f00'/></a><foreignObject><p>&nbsp;</foreignObject></svg>";
    let parsed = common::read("page.html", html.as_bytes()).unwrap();
    let asset = &parsed.assets[0];
    assert_eq!(asset.media_type, "image/svg+xml");
    assert_snapshot!(String::from_utf8_lossy(&asset.bytes), @r##"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 30" xlink:href="#a"><a xlink:href="x"><rect width="40" height="30" fill="#f00"></rect></a></svg>"##);
    let drawn = catena_parse::picture_png(&asset.bytes, 20).unwrap();
    let drawn = image::load_from_memory(&drawn).unwrap().to_rgb8();
    assert_eq!(
        (drawn.dimensions(), drawn.get_pixel(5, 5).0),
        ((20, 15), [255, 0, 0])
    );
}

#[test]
fn pictures_inside_the_page() {
    let data = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADIAAAAyCAAAAAA7VNdtAAAAG0lEQVR4nO3BMQEAAADCoPVPbQ0PoAAAAAAAvg0J9AABEr9ZQAAAAABJRU5ErkJggg==";
    assert_snapshot!(check(&format!("<img src='{data}' alt=a><img src='{data}' alt=b><img src='data:image/png;base64,AAAA' alt=c>")), @r#"
    "page"
    Picture image "a"
    Picture image "b"
    Picture - "c"
    ! 1 picture of no known kind or damaged, first `data:image/png;base64,AAAA`
    "#);
}

#[test]
fn files_that_are_no_pictures() {
    assert_snapshot!(check_beside("<img src=bad.png alt=bad><img src=gone.png alt=gone>"), @r#"
    "page"
    Picture - "bad"
    Picture - "gone"
    ! 1 picture not found, first `gone.png`
    ! 1 picture of no known kind or damaged, first `bad.png`
    "#);
}
