//! Reading PDF: what is drawn on each page becomes words, lines, paragraphs, tables and figures
//! in reading order, and these a tree.
//!
//! Two passes. The first gathers each page's words and drawing ([`content`], [`words`],
//! [`letters`], [`bidi`], [`page`]), from its picture where it has no text ([`pictures`],
//! [`scan`]), and learns what the whole document tells: the body's font size, running headers and
//! footers ([`furniture`], [`margin`]), the outline ([`outline`]), the structure tree ([`tags`],
//! [`tagged`]). The second puts each page in order: [`formula`]s, [`table`]s and [`figure`]s are
//! taken out, the rest is cut into columns ([`layout`]) and grouped into paragraphs ([`block`]);
//! captions are tied ([`caption`], [`subfigure`]), headings told with their levels ([`heading`],
//! [`heading_number`], [`heading_level`]), and all is put into one tree ([`assemble`]), to which
//! links lead ([`link`], [`destination`]).

mod assemble;
mod bidi;
mod block;
mod bounds;
mod caption;
mod content;
mod destination;
mod drawable;
mod figure;
mod flow;
mod font;
mod formula;
mod furniture;
mod heading;
mod heading_level;
mod heading_number;
mod hyphen;
mod layout;
mod letters;
mod link;
mod margin;
mod outline;
mod page;
mod page_label;
mod pictures;
mod render;
mod scan;
mod subfigure;
mod table;
mod tagged;
mod tags;
mod words;

pub use render::{PageImage, Pages};

use crate::language;
use crate::source::{ParseError, ParseOptions, Parsed, Source, Warning};
use assemble::{Page, assemble};
use catena_document::{ContentHash, Document, MediaType, PictureLabel, TreeBuilder};
use catena_models::{ModelError, VisionModels};
use destination::Destinations;
use flow::{Flow, Item, Setting, Template};
use font::FontTable;
use hayro::hayro_interpret::{InterpreterCache, InterpreterSettings};
use hayro::hayro_syntax::page::Rotation;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use image::RgbImage;
use outline::Entry;
use page::PageText;
use pictures::PictureReader;
use tags::Tags;

/// A picture with more bytes of running text than this shows a page.
const PAGE_PROSE: usize = 200;
/// Pages read of one file.
const MAX_PAGES: usize = 20_000;

/// Reads a PDF.
pub(crate) fn parse(source: &Source<'_>, options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let pdf = open(source.bytes, options.password.as_deref())?;
    let settings = InterpreterSettings::default();
    let mut fonts = FontTable::new(
        settings.font_resolver.clone(),
        settings.cmap_resolver.clone(),
    );
    let mut reader = PictureReader::new(options, pdf.pages().len());
    let (pages, mut warnings) = gather(&pdf, &settings, &mut fonts, &mut reader)?;
    let (mut flows, body) = order(&pages, &fonts);
    for ((page, flow), own) in pages.iter().zip(&mut flows).zip(pdf.pages().iter()) {
        reader.figures(page, flow, own)?;
    }
    let destinations = Destinations::of(&pdf);
    let tags = Tags::of(&pdf, &destinations);
    let outline = if options.outline {
        outline::read(&pdf, &destinations)
    } else {
        Vec::new()
    };
    let (tree, page_title) = tree(&pages, &mut flows, body, &outline, &tags);
    let mut nodes = tree.finish();
    link::set(&pdf, &destinations, &mut nodes);
    let language = language::detect(&nodes);
    let document = Document {
        id: ContentHash::of(source.bytes),
        sources: vec![source.uri.to_owned()],
        media_type: MediaType::Pdf,
        title: title(&pdf, page_title, source.uri),
        language,
        pages: page_list(&pdf, page_label::labels(&pdf, &pages)),
        nodes,
    };
    let unread_pictures = reader.finish(&mut warnings);
    Ok(Parsed {
        document,
        assets: Vec::new(),
        warnings,
        unread_pictures,
    })
}

/// What is written in a picture.
pub(crate) enum PictureText {
    /// It shows a written page.
    Page(TreeBuilder),
    /// It is a figure with these words, a line each, and their places.
    Labels(String, Vec<PictureLabel>),
}

impl Default for PictureText {
    fn default() -> Self {
        Self::Labels(String::new(), Vec::new())
    }
}

/// Reads a picture of that size in points.
///
/// # Errors
/// Where a model cannot be loaded or fails.
pub(crate) fn read_picture(
    image: &RgbImage,
    size: (f32, f32),
    vision: &VisionModels,
) -> Result<PictureText, ModelError> {
    let scale = image.width() as f32 / size.0.max(1.0);
    let scan = scan::read(image, scale, vision)?;
    let settings = InterpreterSettings::default();
    let fonts = FontTable::new(settings.font_resolver, settings.cmap_resolver);
    let pages = [PageText::scanned(1, size, scan)];
    let (mut flows, body) = order(&pages, &fonts);
    let (tree, _) = tree(&pages, &mut flows, body, &[], &Tags::default());
    let tables = flows[0]
        .items
        .iter()
        .any(|item| matches!(item, Item::Table(_)));
    let prose: usize = flows[0]
        .items
        .iter()
        .map(|item| match item {
            Item::Text(block) if block.lines.len() > 1 => block.text().0.len(),
            _ => 0,
        })
        .sum();
    if tables || prose > PAGE_PROSE {
        return Ok(PictureText::Page(tree));
    }
    let (text, labels) = assemble::all_labels(&pages[0]);
    Ok(PictureText::Labels(text, labels))
}

/// The first pass: what each page shows.
fn gather<'a>(
    pdf: &'a Pdf,
    settings: &InterpreterSettings,
    fonts: &mut FontTable<'a>,
    reader: &mut PictureReader<'_>,
) -> Result<(Vec<PageText>, Vec<Warning>), ParseError> {
    let _span = tracing::debug_span!("pdf_gather", pages = pdf.pages().len()).entered();
    let mut warnings = Vec::new();
    let cache = InterpreterCache::new();
    let mut pages = Vec::new();
    for (page, number) in pdf.pages().iter().zip(1_u32..).take(MAX_PAGES) {
        let content = content::read(page, &cache, settings, fonts);
        if content.cut {
            warnings.push(Warning::on_page(
                number,
                "more is drawn than is read; the rest was left out",
            ));
        }
        pages.push(reader.page(number, page, content)?);
    }
    if pdf.pages().len() > MAX_PAGES {
        warnings.push(Warning::new(format!(
            "only the first {MAX_PAGES} pages were read"
        )));
    }
    Ok((pages, warnings))
}

/// The second pass: each page's items in reading order; returns the body's font size as well.
fn order(pages: &[PageText], fonts: &FontTable<'_>) -> (Vec<Flow>, f32) {
    let _span = tracing::debug_span!("pdf_order").entered();
    let body = page::body_size(pages);
    let setting = Setting {
        fonts,
        body,
        template: Template::of(pages),
        body_font: flow::body_font(pages),
    };
    let mut flows: Vec<Flow> = pages
        .iter()
        .zip(furniture::find(pages))
        .map(|(page, furniture)| flow::flow(page, &furniture, &setting))
        .collect();
    hyphen::mark(&mut flows);
    (flows, body)
}

/// Ties captions, tells headings, and puts all pages into one tree; returns the title as well.
fn tree(
    pages: &[PageText],
    flows: &mut [Flow],
    body: f32,
    outline: &[Entry],
    tags: &Tags,
) -> (TreeBuilder, Option<String>) {
    let captions = caption::tie(flows, pages, body);
    let is_caption: Vec<Vec<bool>> = flows
        .iter()
        .zip(&captions)
        .map(|(flow, captions)| {
            (0..flow.items.len())
                .map(|at| captions.contains(&Some(at)))
                .collect()
        })
        .collect();
    let slides = pages.iter().filter(|page| page.is_slide()).count() * 2 > pages.len();
    let is_contents = contents_pages(flows);
    let evidence = heading::Evidence {
        flows,
        is_caption: &is_caption,
        is_contents: &is_contents,
        body,
        slides,
        tags,
    };
    let roles = heading::roles(&evidence, outline);
    let joined: Vec<Page<'_>> = pages
        .iter()
        .zip(flows.iter())
        .zip(captions.iter().zip(&roles))
        .zip(&is_contents)
        .map(|(((text, flow), (captions, roles)), &contents)| Page {
            text,
            flow,
            captions,
            roles,
            contents,
        })
        .collect();
    assemble(&joined, body, tags)
}

/// Opens a PDF.
pub(super) fn open(bytes: &[u8], password: Option<&str>) -> Result<Pdf, ParseError> {
    let opened = match password {
        Some(password) => Pdf::new_with_password(bytes.to_vec(), password),
        None => Pdf::new(bytes.to_vec()),
    };
    let pdf = opened.map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => ParseError::Password,
        LoadPdfError::Decryption(_) => {
            ParseError::Damaged("its encryption is not supported".into())
        }
        LoadPdfError::Invalid => ParseError::Damaged("no pages can be found in it".into()),
    })?;
    if pdf.pages().is_empty() {
        return Err(ParseError::Damaged("no pages can be found in it".into()));
    }
    Ok(pdf)
}

/// Which pages are part of a table of contents.
fn contents_pages(flows: &[Flow]) -> Vec<bool> {
    let mut out: Vec<bool> = flows.iter().map(is_contents_page).collect();
    for at in 1..flows.len() {
        out[at] |= out[at - 1] && ends_contents(&flows[at]);
    }
    out
}

/// Whether a page is part of a table of contents: its lines lead to pages by dots, or most end in
/// numbers that rise.
fn is_contents_page(flow: &Flow) -> bool {
    let lines = flow.items.iter().filter_map(|item| match item {
        Item::Text(block) => Some(&block.lines),
        _ => None,
    });
    let (mut all, mut leading) = (0, 0);
    let mut numbers: Vec<u32> = Vec::new();
    for line in lines.flatten() {
        all += 1;
        leading += usize::from(heading::is_contents_line(&line.text));
        let last = line.text.split_whitespace().next_back();
        let several = line.text.contains(' ');
        numbers.extend(
            last.and_then(|last| last.parse::<u32>().ok())
                .filter(|_| several),
        );
    }
    let rising = numbers.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    let rises = numbers.len() >= 6 && (rising + 1) * 10 >= numbers.len() * 9;
    (leading >= 4 && leading * 3 >= all) || (rises && numbers.len() * 3 >= all * 2)
}

/// Whether a page is the short last one of a table of contents: all its lines end in numbers that
/// rise.
fn ends_contents(flow: &Flow) -> bool {
    let mut numbers: Vec<u32> = Vec::new();
    for item in &flow.items {
        let Item::Text(block) = item else {
            return false;
        };
        for line in &block.lines {
            let last = line.text.split_whitespace().next_back();
            let Some(number) = last.and_then(|last| last.parse().ok()) else {
                return false;
            };
            numbers.push(number);
        }
    }
    !numbers.is_empty() && numbers.windows(2).all(|pair| pair[0] <= pair[1])
}

/// The title on the page, else the file's metadata, else its name.
fn title(pdf: &Pdf, on_page: Option<String>, uri: &str) -> String {
    let metadata = pdf.metadata().title.as_deref().map(outline::text_string);
    let metadata = metadata
        .map(|title| title.trim().to_owned())
        .filter(|title| {
            let junk = [
                "untitled",
                "microsoft word",
                "microsoft powerpoint",
                "powerpoint presentation",
                ".doc",
                ".indd",
                ".qxd",
                ".ppt",
            ];
            let lower = title.to_lowercase();
            title.chars().count() > 3 && !junk.iter().any(|junk| lower.contains(junk))
        });
    on_page
        .filter(|title| title.chars().count() > 3)
        .or(metadata)
        .unwrap_or_else(|| crate::source::file_stem(uri))
}

fn page_list(pdf: &Pdf, labels: Vec<Option<String>>) -> Vec<catena_document::Page> {
    pdf.pages()
        .iter()
        .zip(labels)
        .zip(1..)
        .map(|((page, label), number)| {
            let (width, height) = page.render_dimensions();
            let rotation = match page.rotation() {
                Rotation::None => 0,
                Rotation::Horizontal => 90,
                Rotation::Flipped => 180,
                Rotation::FlippedHorizontal => 270,
            };
            catena_document::Page {
                number,
                width,
                height,
                rotation,
                label,
            }
        })
        .collect()
}
