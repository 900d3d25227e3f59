//! The parts of an office file and how they refer to each other.

use crate::archive::{Archive, EntryError, resolve};
use crate::text::folded;
use crate::xml::Xml;
use crate::{ParseError, Warning};
use catena_document::MediaType;
use std::cell::RefCell;
use std::collections::HashMap;

/// Warnings about parts that are kept.
const MAX_WARNINGS: usize = 50;
/// Titles that programs write where a person has given none.
const NO_TITLES: [&str; 4] = [
    "powerpoint presentation",
    "word document",
    "untitled",
    "document",
];
/// Characters of the longest title.
const MAX_TITLE: usize = 300;

/// An office file open for reading.
pub(super) struct Package<'a> {
    archive: Archive<'a>,
    warnings: RefCell<Vec<Warning>>,
}

/// Where a part refers to.
pub(super) struct Relation {
    /// The last word of its type: `image`, `slide`.
    pub(super) kind: String,
    /// The part, or, where `external`, the address.
    pub(super) target: String,
    pub(super) external: bool,
}

/// What a part refers to, by the names that it gives.
pub(super) type Relations = HashMap<String, Relation>;

/// What a file says of itself.
#[derive(Default)]
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ParseError> {
        Ok(Self {
            archive: Archive::open(bytes)?,
            warnings: RefCell::default(),
        })
    }

    /// The part that all begins with, and what it refers to.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(super) fn main(&self, usual: &str) -> Result<(String, Xml, Relations), ParseError> {
        let relations = self.relations("");
        let named = relations
            .into_values()
            .find(|relation| relation.kind == "officeDocument" && !relation.external)
            .map(|relation| relation.target)
            .filter(|name| self.archive.contains(name));
        let name = named.unwrap_or_else(|| usual.to_owned());
        let bytes = self.archive.read(&name).map_err(|error| match error {
            EntryError::TooLarge => ParseError::TooLarge(format!("`{name}` {error}")),
            EntryError::Encrypted => ParseError::Encrypted,
            _ => ParseError::Damaged(format!("`{name}` {error}")),
        })?;
        let xml = self.checked(&name, &bytes);
        let relations = self.relations(&name);
        Ok((name, xml, relations))
    }

    /// A part's content, where it can be had.
    pub(super) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        match self.archive.read(name) {
            Ok(bytes) => Some(bytes),
            Err(EntryError::Missing) => None,
            Err(error) => {
                self.warn(format!("`{name}` {error}"));
                None
            }
        }
    }

    /// A part that another refers to; where it cannot be read, there is a warning.
    pub(super) fn xml(&self, name: &str) -> Option<Xml> {
        match self.archive.read(name) {
            Ok(bytes) => Some(self.checked(name, &bytes)),
            Err(error) => {
                self.warn(format!("`{name}` {error}"));
                None
            }
        }
    }

    fn checked(&self, name: &str, bytes: &[u8]) -> Xml {
        let xml = Xml::read(bytes);
        if xml.cut {
            self.warn(format!(
                "`{name}` is broken or too large: its end was left out"
            ));
        }
        xml
    }

    /// The first part of this kind that `relations` lead to.
    pub(super) fn related(&self, relations: &Relations, kind: &str) -> Option<(String, Xml)> {
        let relation = relations
            .values()
            .find(|relation| relation.kind == kind && !relation.external)?;
        Some((relation.target.clone(), self.xml(&relation.target)?))
    }

    /// What a part refers to; `""` stands for the file itself.
    pub(super) fn relations(&self, part: &str) -> Relations {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let slash = if folder.is_empty() { "" } else { "/" };
        let Some(bytes) = self.bytes(&format!("{folder}{slash}_rels/{name}.rels")) else {
            return Relations::new();
        };
        let xml = Xml::read(&bytes);
        let Some(root) = xml.root() else {
            return Relations::new();
        };
        let relation = |element: crate::xml::Element<'_>| {
            let kind = element.attr("Type")?.rsplit('/').next()?.to_owned();
            let external = element.attr("TargetMode") == Some("External");
            let target = element.attr("Target")?;
            let target = if external {
                target.to_owned()
            } else {
                resolve(part, target)?
            };
            let relation = Relation {
                kind,
                target,
                external,
            };
            Some((element.attr("Id")?.to_owned(), relation))
        };
        root.named("Relationship").filter_map(relation).collect()
    }

    /// Notes what could not be read.
    pub(super) fn warn(&self, message: String) {
        let mut warnings = self.warnings.borrow_mut();
        let warning = Warning::new(message);
        if warnings.len() < MAX_WARNINGS && !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// What could not be read so far.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        self.warnings.borrow().clone()
    }

    /// Title and language as the file gives them.
    pub(super) fn properties(&self) -> Properties {
        let relations = self.relations("");
        let core = relations
            .values()
            .find(|relation| relation.kind == "core-properties" && !relation.external);
        let Some(xml) = core
            .and_then(|relation| self.bytes(&relation.target))
            .map(|bytes| Xml::read(&bytes))
        else {
            return Properties::default();
        };
        let text = |name| {
            let text = folded(&xml.root()?.child(name)?.text());
            Some(text).filter(|text| !text.is_empty())
        };
        let meant = |title: &String| {
            let lower = title.to_lowercase();
            !NO_TITLES.contains(&&*lower) && !lower.starts_with("microsoft ")
        };
        let language = text("language").and_then(|tag| {
            let language = tag.split(['-', '_']).next()?.to_ascii_lowercase();
            (language.len() == 2 && language.is_ascii()).then_some(language)
        });
        Properties {
            title: text("title")
                .filter(meant)
                .map(|title| title.chars().take(MAX_TITLE).collect()),
            language,
        }
    }
}

/// The kind of an archive that is an office file or a book.
pub(crate) fn media_type(bytes: &[u8]) -> Option<MediaType> {
    let Ok(archive) = Archive::open(bytes) else {
        return media_type_of_cut(bytes);
    };
    if let Ok(kind) = archive.read("mimetype")
        && kind.trim_ascii() == b"application/epub+zip"
    {
        return Some(MediaType::Epub);
    }
    let types = archive.read("[Content_Types].xml").ok()?;
    let types = crate::xml::decoded(&types);
    let holds = |kind: &str| types.contains(kind);
    if holds("wordprocessingml.document.main")
        || holds("wordprocessingml.template.main")
        || holds("ms-word.document.macroEnabled.main")
    {
        Some(MediaType::Docx)
    } else if holds("presentationml.presentation.main")
        || holds("presentationml.slideshow.main")
        || holds("ms-powerpoint.presentation.macroEnabled.main")
    {
        Some(MediaType::Pptx)
    } else if holds("spreadsheetml.sheet.main")
        || holds("spreadsheetml.template.main")
        || holds("ms-excel.sheet.macroEnabled.main")
    {
        Some(MediaType::Xlsx)
    } else {
        archive
            .contains("META-INF/container.xml")
            .then_some(MediaType::Epub)
    }
}

/// The kind of an archive that cannot be opened, by the names of files in it.
fn media_type_of_cut(bytes: &[u8]) -> Option<MediaType> {
    let holds = |name: &str| {
        bytes
            .windows(name.len())
            .any(|part| part == name.as_bytes())
    };
    if holds("mimetypeapplication/epub+zip") {
        Some(MediaType::Epub)
    } else if !holds("[Content_Types].xml") {
        None
    } else if holds("word/document") {
        Some(MediaType::Docx)
    } else if holds("ppt/presentation") {
        Some(MediaType::Pptx)
    } else {
        holds("xl/workbook").then_some(MediaType::Xlsx)
    }
}
