use crate::check_bytes;
use insta::assert_snapshot;

/// The first paragraph of a page in these bytes.
fn text(bytes: &[u8]) -> String {
    check_bytes(bytes)
        .lines()
        .nth(1)
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn declared_encodings() {
    assert_snapshot!(text(b"<meta charset=iso-8859-1><p>Gr\xfc\xdfe \x80"), @"Text Grüße €");
    assert_snapshot!(text(b"<META http-equiv=Content-Type content='text/html; charset=Shift_JIS'><p>\x83|\x83\x93\x83v"), @"Text ポンプ");
    assert_snapshot!(text(b"<?xml version='1.0' encoding='windows-1251'?><html><p>\xcd\xe0\xf1\xee\xf1"), @"Text Насос");
    assert_snapshot!(text(b"<meta charset=gb2312><p>\xb1\xc3"), @"Text 泵");
    assert_snapshot!(text(b"<meta charset=nonsense><p>Gr\xc3\xbc\xc3\x9fe"), @"Text Grüße");
}

#[test]
fn marked_and_undeclared_encodings() {
    assert_snapshot!(text(b"\xef\xbb\xbf<p>Gr\xc3\xbc\xc3\x9fe"), @"Text Grüße");
    assert_snapshot!(text("<p>Grüße aus Köln".as_bytes()), @"Text Grüße aus Köln");
    let cyrillic = encoding_rs::WINDOWS_1251
        .encode("<html><p>Насос перекачивает воду из бака в систему отопления.")
        .0;
    assert_snapshot!(text(&cyrillic), @"Text Насос перекачивает воду из бака в систему отопления.");
}

#[test]
fn utf8_beats_a_wrong_declaration() {
    assert_snapshot!(text("<meta charset=iso-8859-1><p>Grüße".as_bytes()), @"Text Grüße");
    assert_snapshot!(text(b"<meta charset=utf-8><p>A long enough text with one bad byte, which is here: \xfc, among many good ones that go on and on and on."), @"Text A long enough text with one bad byte, which is here: �, among many good ones that go on and on and on.");
    assert_snapshot!(text("<meta charset=utf-16><p>Grüße".as_bytes()), @"Text Grüße");
}
