use crate::make::{archive, docx_parts, epub_parts, p, part, png, pptx_parts, xlsx_parts};
use crate::{check, common};
use catena_document::MediaType;
use catena_parse::detect;
use image::{DynamicImage, ImageFormat, RgbImage};
use std::io::Cursor;

#[test]
fn kinds_are_told_by_content_not_by_name() {
    let zip = |name: &str| archive(&vec![part(name, "x")]);
    for (bytes, expected) in [
        (archive(&docx_parts("")), Some(MediaType::Docx)),
        (archive(&pptx_parts(&[])), Some(MediaType::Pptx)),
        (archive(&xlsx_parts(&[], &[])), Some(MediaType::Xlsx)),
        (archive(&epub_parts(&[], "")), Some(MediaType::Epub)),
        (png(9, 9), Some(MediaType::Png)),
        (zip("a.txt"), None),
        (zip("[Content_Types].xml"), None),
        (b"PK\x03\x04".to_vec(), None),
        (
            b"BM is how this text begins.".to_vec(),
            Some(MediaType::Text),
        ),
    ] {
        for name in ["a.docx", "a.pdf", "a.txt", "a"] {
            assert_eq!(detect(&bytes, name), expected, "{expected:?}");
        }
    }
}

#[test]
fn a_picture_is_a_page() {
    let picture = DynamicImage::ImageRgb8(RgbImage::new(400, 200));
    for (format, kind) in [
        (ImageFormat::Png, MediaType::Png),
        (ImageFormat::Jpeg, MediaType::Jpeg),
        (ImageFormat::Gif, MediaType::Gif),
        (ImageFormat::WebP, MediaType::WebP),
        (ImageFormat::Bmp, MediaType::Bmp),
        (ImageFormat::Tiff, MediaType::Tiff),
    ] {
        let mut out = Cursor::new(Vec::new());
        picture.write_to(&mut out, format).unwrap();
        let bytes = out.into_inner();
        let parsed = common::read("photos/pump.png", &bytes).unwrap();
        assert_eq!(parsed.document.media_type, kind);
        assert_eq!(
            common::shown(&parsed),
            "\"pump\"\nPicture image\n! the words in it were not read: the models that read pictures are not there\n"
        );
        let page = &parsed.document.pages[0];
        assert!((page.width - 300.0).abs() < 0.01 && (page.height - 150.0).abs() < 0.01);
        assert_eq!(parsed.document.nodes[0].page(), Some(1));
        assert_eq!(parsed.assets[0].bytes, bytes);
        assert_eq!(parsed.assets[0].media_type, kind.name());
    }
    insta::assert_snapshot!(check("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01"), @"error: the file is damaged: the picture cannot be read");
}

#[test]
fn old_and_encrypted_office_files() {
    let old = |name: &str| {
        let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
        bytes.extend([0; 1000]);
        bytes.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        check("a.docx", &bytes)
    };
    insta::assert_snapshot!(old("WordDocument"), @"error: the old Word format (.doc) is not read");
    insta::assert_snapshot!(old("PowerPoint Document"), @"error: the old PowerPoint format (.ppt) is not read");
    insta::assert_snapshot!(old("Workbook"), @"error: the old Excel format (.xls) is not read");
    insta::assert_snapshot!(old("EncryptedPackage"), @"error: password required");
    insta::assert_snapshot!(old("Something"), @"error: an old Office format is not read");
}

#[test]
fn nothing_to_read() {
    insta::assert_snapshot!(check("a.docx", &archive(&docx_parts(&p("", " ")))), @"error: no text, table or picture found");
    insta::assert_snapshot!(check("a.xlsx", &archive(&xlsx_parts(&[], &[]))), @"error: no text, table or picture found");
}
