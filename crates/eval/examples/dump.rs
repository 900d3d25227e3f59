#![allow(
    missing_docs,
    unused_crate_dependencies,
    clippy::all,
    clippy::pedantic,
    clippy::print_stdout
)]
use catena_document::*;
use catena_models::*;
use catena_parse::*;
use image::RgbImage;
use std::sync::Arc;
struct C(VisionModels);
fn key(n: &str, i: &RgbImage) -> std::path::PathBuf {
    let mut b = format!("{n} {} {} ", i.width(), i.height()).into_bytes();
    b.extend_from_slice(i.as_raw());
    std::path::PathBuf::from(format!("/tmp/dumpcache/{}.json", ContentHash::of(&b)))
}
fn get<T: serde::Serialize + serde::de::DeserializeOwned>(
    n: &str,
    i: &RgbImage,
    f: impl FnOnce() -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    let p = key(n, i);
    if let Ok(b) = std::fs::read(&p) {
        return Ok(serde_json::from_slice(&b).unwrap());
    }
    let v = f()?;
    std::fs::create_dir_all("/tmp/dumpcache").ok();
    std::fs::write(p, serde_json::to_vec(&v).unwrap()).unwrap();
    Ok(v)
}
impl Ocr for C {
    fn read(&self, i: &RgbImage) -> Result<Vec<OcrLine>, ModelError> {
        get("ocr", i, || self.0.ocr()?.read(i))
    }
}
impl Layout for C {
    fn find(&self, i: &RgbImage) -> Result<Vec<LayoutRegion>, ModelError> {
        get("lay", i, || self.0.layout()?.find(i))
    }
}
impl TableStructure for C {
    fn cells(&self, i: &RgbImage) -> Result<TableCells, ModelError> {
        get("tab", i, || self.0.table()?.cells(i))
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&args[1]).unwrap();
    let c = Arc::new(C(VisionModels::new(ModelCache::of_user().unwrap())));
    let vision = Some(Arc::new(VisionModels::of(c.clone(), c.clone(), c)));
    let mode = match args.get(2).map(String::as_str) {
        Some("always") => OcrMode::Always,
        Some("never") => OcrMode::Never,
        _ => OcrMode::Auto,
    };
    let width: usize = args.get(3).map_or(90, |w| w.parse().unwrap());
    let options = ParseOptions {
        ocr: mode,
        vision,
        ..ParseOptions::default()
    };
    let parsed = parse(
        &Source {
            uri: &args[1],
            bytes: &bytes,
            resolve: &|_| None,
        },
        &options,
    )
    .unwrap();
    for w in &parsed.warnings {
        println!("! {w}");
    }
    println!("title {}", parsed.document.title);
    for n in &parsed.document.nodes {
        let mut d = 0;
        let mut p = n.parent;
        while let Some(q) = p {
            d += 1;
            p = parsed.document.nodes[q.0 as usize].parent;
        }
        let k = match &n.kind {
            NodeKind::SectionHeader { level } => format!("H{level}"),
            NodeKind::Table(t) => format!("table {}x{}", t.rows, t.columns),
            NodeKind::Picture(_) => {
                let b = n.provenance[0].bbox;
                format!(
                    "picture [{:.0} {:.0} {:.0} {:.0}]",
                    b.left, b.top, b.right, b.bottom
                )
            }
            k => format!("{k:?}")
                .split([' ', '(', '{'])
                .next()
                .unwrap()
                .to_string(),
        };
        let t: String = n.text.replace('\n', " / ").chars().take(width).collect();
        println!("{:>3} {}{k} {t}", n.page().unwrap_or(0), "  ".repeat(d));
    }
}
