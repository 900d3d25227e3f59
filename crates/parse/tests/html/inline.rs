use crate::check;
use insta::assert_snapshot;

#[test]
fn white_space_folds_and_markup_vanishes() {
    assert_snapshot!(check("<p>  H<sub>2</sub>O at\n 10<sup>3</sup> <b>b</b>a<i>r</i>,&nbsp;soft&shy;ly <q>now</q>.</p>"), @r#"
    "page"
    Text H2O at 103 bar, softly “now”.
    "#);
}

#[test]
fn text_without_paragraphs() {
    assert_snapshot!(check("<div>One <span>two <div>three</div> four</span> five</div>six"), @r#"
    "page"
    Text One two
    Text three
    Text four five
    Text six
    "#);
    assert_snapshot!(check("one<br>same<br><br>two<br/>&nbsp;<br>three"), @r#"
    "page"
    Text one same
    Text two
    Text three
    "#);
    assert_snapshot!(check("<a href=x><div>In a link</div></a><details><summary>More</summary>Hidden text</details>"), @r#"
    "page"
    Text In a link
    Text More
    Text Hidden text
    "#);
}

#[test]
fn code_keeps_its_lines() {
    assert_snapshot!(check("<pre>\n  if x:\n    <b>go</b>()\n</pre><pre><code><div>a</div><div>b</div></code></pre><p>Use <code>x  y</code>."), @r#"
    "page"
    Code "  if x:\n    go()"
    Code "a\nb"
    Text Use x y.
    "#);
    assert_snapshot!(check("<table><tr><td class=linenos><pre>1\n2</pre><td><pre>a\nb</pre></table>"), @r#"
    "page"
    Code "a\nb"
    "#);
}

#[test]
fn formulas() {
    assert_snapshot!(check("<p>So <math><mi>x</mi><mo>=</mo><mn>1</mn></math> holds.</p><math display=block alttext='a^2'><mi>a</mi></math>"), @r#"
    "page"
    Text So x=1 holds.
    Formula a^2
    "#);
    assert_snapshot!(check("<p><span class=katex-display><span class=katex><span class=katex-mathml><math><mi>E</mi><annotation encoding=application/x-tex>E=mc^2</annotation></math></span><span class=katex-html aria-hidden=true>E=mc2</span></span></span></p>"), @r#"
    "page"
    Formula E=mc^2
    "#);
    assert_snapshot!(check("<p>Let <span class=MathJax_Preview></span><span class=MathJax>drawn</span><script type='math/tex'>x_1</script> be.</p><script type='math/tex; mode=display'>y_2</script>"), @r#"
    "page"
    Text Let x_1 be.
    Formula y_2
    "#);
    assert_snapshot!(check("<p>Let <span><span style='display:none'><math alttext='z^2'><mi>z</mi></math></span><img class=mwe-math-fallback-image-inline alt='{\\displaystyle z^{2}}' src=https://x/y.svg></span> be <img src=e.png alt='$w_3$'> or <img class=mwe-math-fallback-image-inline alt='{\\displaystyle y^{2}}' src=https://x/y.svg>.</p>"), @r#"
    "page"
    Text Let z^2 be w_3 or y^{2}.
    "#);
}

#[test]
fn footnotes() {
    assert_snapshot!(check("<p>Water<sup><a href=#n1>1</a></sup> flows<a role=doc-noteref href=#n2>2</a>.<aside id=n1 role=doc-footnote><p>1 Or oil. <a href=#r1 role=doc-backlink>↩</a></p></aside>"), @r#"
    "page"
    Text Water[1] flows[2].
    Footnote 1 Or oil. #n1
    "#);
    assert_snapshot!(check("<p>x<a id=D1 href=#F1><sup>1</sup></a><div class=footnote><hr><h4>Footnotes</h4><h5><a id=F1 href=#D1>(1)</a></h5><p>Or oil.</p></div>"), @r#"
    "page"
    Text x[1]
    Footnote [1] Or oil. #F1
    "#);
    assert_snapshot!(check("<p>x<section class=footnotes><ol><li id=fn1><p>Or oil. <a href=#r class=footnote-backref>↩</a></p><p>Or gas.</p></ol></section>"), @r#"
    "page"
    Text x
    Footnote [1] Or oil. #fn1
    Footnote Or gas.
    "#);
}

#[test]
fn what_is_never_text() {
    assert_snapshot!(check("<p>a<script>evil</script><style>p{}</style><template>t</template><noscript>n</noscript><select><option>o</select><textarea>t</textarea><button>Copy</button><ruby>漢<rp>(</rp><rt>kan</rt></ruby></p><iframe>i</iframe><canvas>c</canvas>"), @r#"
    "page"
    Text a漢
    "#);
}

#[test]
fn tags_of_xml_close_themselves() {
    assert_snapshot!(check("<?xml version='1.0'?><html><head><script src='x'/><title>T</title></head><body><a id='a'/><p>one<b/> two<br/>three</p><svg viewBox='0 0 99 99'><rect/><text>in</text></svg><p>four</p></body></html>"), @r#"
    "T"
    Text one two three
    Picture image words: in
    Text four
    "#);
    assert_snapshot!(check("<p>In HTML they <b/>do not.</p>"), @r#"
    "page"
    Text In HTML they do not.
    "#);
}

#[test]
fn links_within_a_page_lead_to_nodes() {
    let html = "<h1>Pumps</h1><p>See <a href='#care'>care</a>, <a href='#none'>none</a> and \
        <a href='https://example.org/#care'>more</a>.</p><ul><li>As in <a href='#x'>this</a></li></ul>\
        <h2 id=care>Care</h2><p id=x>Clean it.</p>";
    assert_eq!(
        crate::common::links("page.html", html.as_bytes()),
        ["See care, none and more. → Care", "As in this → Clean it."]
    );
}
