//! The content of a store as text, the same for two stores with the same documents.

use crate::blocks::Row;
use crate::error::Result;
use crate::filter::Filter;
use crate::snapshot::Snapshot;
use catena_document::{ContentHash, View};
use std::fmt::Write;

impl Snapshot {
    /// All that the truth has of the visible documents, and their anchors, by name, without what
    /// depends on the order of adding. Meant for tests; as long as the store.
    pub fn dump(&self) -> Result<String> {
        let mut documents: Vec<(ContentHash, u64)> = self
            .catalogue
            .iter()
            .map(|(seq, entry)| (entry.id, seq))
            .collect();
        documents.sort_unstable();
        let mut out = String::new();
        for (id, seq) in documents {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "document {id}");
            self.dump_document(seq, &mut out)?;
        }
        let mut spaces = self.spaces()?;
        spaces.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for space in spaces {
            let _ = writeln!(out, "space {} {}", space.name, space.dimension);
        }
        self.anchor_index(&Filter::default())?.dump(&mut out)?;
        Ok(out)
    }

    fn dump_document(&self, seq: u64, out: &mut String) -> Result<()> {
        let row = self.row(seq)?;
        let mut sources = self.visible_sources(seq)?;
        sources.sort_unstable_by(|a, b| a.uri.cmp(&b.uri));
        for source in sources {
            let link = source.row.link.map(|link| link.path);
            let _ = writeln!(out, "source {} {link:?}", source.uri);
        }
        let _ = writeln!(
            out,
            "row {:?} {:?} {:?} {:?} {:?}",
            row.title, row.media_type, row.head.language, row.parser, row.warnings
        );
        for file in self.truth.files_of(seq)? {
            let _ = writeln!(out, "file {file}");
        }
        let _ = writeln!(out, "pages {:?}", self.truth.pages(seq)?);
        for node in self.truth.nodes(seq)? {
            let _ = writeln!(out, "node {node:?}");
        }
        for edge in self.truth.edges(seq)? {
            let _ = writeln!(out, "edge {edge:?}");
        }
        for view in self.truth.views(seq)? {
            if view.added_at <= self.generation {
                let _ = writeln!(out, "view {:?} {}", view.view, view.units);
                for unit in self.truth.units(seq, view.view)? {
                    let _ = writeln!(out, "unit {unit:?}");
                }
            }
        }
        let mut spaces = self.truth.spaces()?;
        spaces.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for space in &spaces {
            for view in View::ALL {
                let set = self.truth.vector_set(space.number, view, seq)?;
                let Some(set) = set.filter(|set| set.added_at <= self.generation) else {
                    continue;
                };
                let name = &space.name;
                let _ = writeln!(out, "vectors {name} {view:?} omitted {}", set.omitted);
                self.truth.each_vector(space, seq, view, |row| {
                    dump_vector(&row, out);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

fn dump_vector(row: &Row<'_>, out: &mut String) {
    let (ordinal, part, input) = (row.ordinal, row.part, row.input.key());
    let _ = write!(out, "vector {ordinal} {part} {input:032x} ");
    for value in row.values() {
        let _ = write!(out, "{:08x}", value.to_bits());
    }
    out.push('\n');
}
