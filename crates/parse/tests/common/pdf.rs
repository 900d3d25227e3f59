//! Making PDFs out of the objects that a test is about, nothing in them compressed.

/// A PDF of these objects, which are numbered from 1 in this order. The first is the catalogue.
pub(crate) fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.extend(format!("{} 0 obj\n", at + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let start = out.len();
    let count = objects.len() + 1;
    out.extend(format!("xref\n0 {count}\n0000000000 65535 f \n").bytes());
    for offset in offsets {
        out.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let trailer = format!("trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
    out.extend(trailer.bytes());
    out
}

/// A stream with these entries besides its length.
pub(crate) fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut out = format!("<<{entries}/Length {}>>\nstream\n", content.len()).into_bytes();
    out.extend(content);
    out.extend(b"\nendstream");
    out
}

/// A PDF of one page of 595 × 842 points that draws `content`, in Helvetica as `/F`; `more`
/// objects follow from number 6, and the page's resources are `resources` besides the font.
pub(crate) fn page(content: &str, resources: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let page = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R\
         /Resources<</Font<</F 5 0 R>>{resources}>>>>"
    );
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        page.into_bytes(),
        stream("", content.as_bytes()),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_vec(),
    ];
    objects.extend_from_slice(more);
    file(&objects)
}
