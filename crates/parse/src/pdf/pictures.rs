//! Which pictures of a PDF are read, and what is told of those that are not.

use super::content::Content;
use super::flow::Flow;
use super::page::PageText;
use super::render;
use super::scan::{self, Known, Need, need};
use crate::source::{OcrMode, ParseError, ParseOptions, PictureStep, Warning};
use catena_models::{ModelError, VisionModels};
use hayro::hayro_syntax::page::Page;

/// Reads the pictures of a document's pages, and remembers what was left out.
pub(super) struct PictureReader<'a> {
    options: &'a ParseOptions<'a>,
    pages: u32,
    known: Known,
    /// Pages without text of their own that were not read.
    unread: Vec<u32>,
    /// Those whose fonts do not tell their characters.
    broken: Vec<u32>,
    /// Whether pictures in pages with text were left out.
    unread_figures: bool,
    /// Pages where a model failed.
    failed: Vec<Warning>,
}

impl<'a> PictureReader<'a> {
    pub(super) fn new(options: &'a ParseOptions<'a>, pages: usize) -> Self {
        Self {
            options,
            pages: pages as u32,
            known: Known::new(),
            unread: Vec::new(),
            broken: Vec::new(),
            unread_figures: false,
            failed: Vec::new(),
        }
    }

    /// The models, where pictures are read.
    fn vision(&self) -> Option<&'a VisionModels> {
        let wanted = self.options.ocr != OcrMode::Never;
        self.options.vision.as_deref().filter(|_| wanted)
    }

    /// A page's words and drawing, from its picture where it has to be.
    pub(super) fn page(
        &mut self,
        number: u32,
        page: &Page<'_>,
        mut content: Content,
    ) -> Result<PageText, ParseError> {
        let size = page.render_dimensions();
        let need = need(&content, size, self.options.ocr);
        let scale = scan::scale_of(size);
        match (need, self.vision()) {
            (Need::All, Some(vision)) => {
                self.step(number)?;
                let read = render::draw(page, scale)
                    .map(|(image, scale)| scan::read(&image, scale, vision));
                match read {
                    Some(Ok(scan)) if !scan.is_picture() => {
                        return Ok(PageText::scanned(number, size, scan));
                    }
                    Some(Err(error)) => self.fail(number, &error),
                    _ => {}
                }
            }
            (Need::All, None) => self.leave_out(number, &content),
            (Need::Regions, Some(vision)) => {
                self.step(number)?;
                let tables = render::draw(page, scale)
                    .map(|(image, scale)| scan::add_regions(&mut content, &image, scale, vision));
                let mut text = PageText::new(number, size, content);
                match tables {
                    // They were seen on the page as it lies.
                    Some(Ok(tables)) if !text.is_turned() => text.tables = tables,
                    Some(Err(error)) => self.fail(number, &error),
                    _ => {}
                }
                return Ok(text);
            }
            (Need::Regions, None) | (Need::Nothing, _) => {}
        }
        Ok(PageText::new(number, size, content))
    }

    /// Reads the words inside the pictures of a page that has text.
    pub(super) fn figures(
        &mut self,
        text: &PageText,
        flow: &mut Flow,
        page: &Page<'_>,
    ) -> Result<(), ParseError> {
        if text.scanned || !scan::has_unread(text, flow) {
            return Ok(());
        }
        let Some(vision) = self.vision() else {
            self.unread_figures = true;
            return Ok(());
        };
        self.step(text.number)?;
        let draw = |scale| render::draw(page, scale).map(|(image, _)| image);
        let read = scan::read_figures(flow, text, draw, vision, &mut self.known);
        if let Err(error) = read {
            self.fail(text.number, &error);
        }
        Ok(())
    }

    fn step(&self, at: u32) -> Result<(), ParseError> {
        let of = self.pages;
        if (self.options.on_picture)(PictureStep { at, of }) {
            Ok(())
        } else {
            Err(ParseError::Stopped)
        }
    }

    fn fail(&mut self, page: u32, error: &ModelError) {
        let message = format!("its picture was not read: {error}");
        self.failed.push(Warning::on_page(page, message));
    }

    fn leave_out(&mut self, page: u32, content: &Content) {
        if scan::is_broken(content) {
            self.broken.push(page);
        } else {
            self.unread.push(page);
        }
    }

    /// Tells what was left out; true where something was.
    pub(super) fn finish(self, warnings: &mut Vec<Warning>) -> bool {
        let left_out = self.unread_figures
            || !(self.unread.is_empty() && self.broken.is_empty() && self.failed.is_empty());
        let cause = self.options.ocr.unread_cause();
        let mut tell = |pages: &[u32], what: &str| {
            if let [first, ..] = pages {
                let message = format!("{what}, and its picture was not read: {cause}");
                warnings.push(match pages.len() {
                    1 => Warning::on_page(*first, message),
                    _ => Warning::new(format!("pages {}: {message}", ranges(pages))),
                });
            }
        };
        tell(&self.unread, "hardly any text of its own");
        tell(&self.broken, "its fonts do not tell their characters");
        warnings.extend(self.failed);
        left_out
    }
}

/// Rising numbers with runs as ranges: `1-3, 7`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let words = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        [one] => one.to_string(),
        [] => String::new(),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_pages_are_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3, 7, 9-10");
        assert_eq!(ranges(&[4]), "4");
    }
}
