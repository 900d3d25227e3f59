//! `catena eval`

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::interrupt::Careful;
use crate::language_model::language_model;
use crate::mode::AnswerMode;
use crate::model::{self, ocr_mode};
use crate::output::{print, print_json};
use crate::progress::documents_bar;
use catena_engine::Prompts;
use catena_eval::{
    Answering, CachedGenerator, Check, CheckOptions, EvalError, EvalOptions, Report, Step, Tools,
    default_work_folder, mmdocir, mmdocir_answers, multihop, parse, placement,
};
use catena_models::{Generator, Ledger};
use catena_parse::OcrMode;
use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use std::path::{Path, PathBuf};

/// Measure how well documents are read and evidence is found, on a data set
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    set: Set,
}

#[derive(Debug, Subcommand)]
enum Set {
    /// Pages and regions of long documents
    Mmdocir {
        /// The folder of the data set
        folder: PathBuf,
        /// Measure answers in this way instead, and what is refused; may be repeated
        #[arg(long, value_enum, value_name = "MODE")]
        mode: Vec<AnswerMode>,
        /// Ask at most so many questions, spread evenly
        #[arg(long, value_name = "N", requires = "mode")]
        questions: Option<usize>,
        #[command(flatten)]
        options: Options,
    },
    /// Passages that a question needs together
    Multihop {
        /// The folder of the data set
        folder: PathBuf,
        /// Which of them: `musique` or `hotpotqa`
        #[arg(long, value_name = "NAME")]
        dataset: String,
        /// Relations that a model has stated of the passages: a JSON file with `docs`, each with `title`, `text` and `extracted_triples`
        #[arg(long, value_name = "FILE")]
        relations: Option<PathBuf>,
        #[command(flatten)]
        options: Options,
    },
    /// Answers with figures and steps: questions made of the headings of HTML pages
    Placement {
        /// HTML files, and folders of them
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// A way to answer that is measured; may be repeated: the others are compared with the first [default: evidence]
        #[arg(long, value_enum, value_name = "MODE")]
        mode: Vec<AnswerMode>,
        /// Ask at most so many questions, spread evenly
        #[arg(long, value_name = "N")]
        questions: Option<usize>,
        #[command(flatten)]
        options: Options,
    },
    /// Instructions in documents: which of them a language model follows, and which alter an answer
    Attacks {
        /// A way to answer that is measured; may be repeated: the others are compared with the first
        #[arg(long, value_enum, value_name = "MODE", default_value = "llm")]
        mode: Vec<AnswerMode>,
        /// Make at most so many attacks, spread evenly
        #[arg(long, value_name = "N")]
        attacks: Option<usize>,
        #[command(flatten)]
        options: Options,
    },
    /// How documents are read: against twins in HTML, cells, boxes or single statements
    Parse {
        /// What to check
        #[arg(value_name = "CHECK", value_parser = checks())]
        check: String,
        /// The data set: a folder with documents and their gold beside them
        path: PathBuf,
        #[command(flatten)]
        options: ReadingOptions,
    },
}

/// The names of the checks.
fn checks() -> PossibleValuesParser {
    PossibleValuesParser::new(Check::ALL.map(Check::name))
}

#[derive(Clone, Debug, clap::Args)]
struct ReadingOptions {
    /// What is read from pictures: `auto`, `never` or `always`
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ocr_mode)]
    ocr: OcrMode,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
    /// Write what was found of every document or check to this file, a line each
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Compare with an earlier run
    #[arg(long, value_name = "RUN")]
    compare: Option<PathBuf>,
    /// Write a page that shows expected and found side by side, the worst first
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Where to keep what is made on the way [default: `eval` in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
}

#[derive(Clone, Debug, clap::Args)]
struct Options {
    /// A strategy to measure; may be repeated: the others are compared with the first
    #[arg(long, value_name = "NAME")]
    strategy: Vec<String>,
    /// Write the result as JSON
    #[arg(long)]
    json: bool,
    /// Write what was found for every question to this file, a line each
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Compare with an earlier run
    #[arg(long, value_name = "RUN")]
    compare: Option<PathBuf>,
    /// Where to keep what is made on the way [default: `eval` in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (report, json) = match &args.set {
        Set::Mmdocir {
            folder,
            mode,
            questions,
            options,
        } => {
            let model = Answerer::new(mode, options, context)?;
            let answering = model.answering(mode, *questions)?;
            let ask = |asked: &EvalOptions, tools: &mut Tools<'_>| {
                if mode.is_empty() {
                    mmdocir(folder, asked, tools)
                } else {
                    mmdocir_answers(folder, &answering, asked, tools)
                }
            };
            (measure(options, OcrMode::Auto, context, ask)?, options.json)
        }
        Set::Multihop {
            folder,
            dataset,
            relations,
            options,
        } => {
            let ask = |asked: &EvalOptions, tools: &mut Tools<'_>| {
                let relations = relations.as_deref();
                multihop(folder, dataset.parse()?, relations, asked, tools)
            };
            (measure(options, OcrMode::Auto, context, ask)?, options.json)
        }
        Set::Placement {
            paths,
            mode,
            questions,
            options,
        } => {
            let model = Answerer::new(mode, options, context)?;
            let answering = model.answering(mode, *questions)?;
            let ask = |asked: &EvalOptions, tools: &mut Tools<'_>| {
                placement(paths, &answering, asked, tools)
            };
            (
                measure(options, OcrMode::Never, context, ask)?,
                options.json,
            )
        }
        Set::Attacks {
            mode,
            attacks,
            options,
        } => {
            let model = Answerer::new(mode, options, context)?;
            let answering = model.answering(mode, *attacks)?;
            let ask = |asked: &EvalOptions, tools: &mut Tools<'_>| {
                catena_eval::attacks(&answering, asked, tools)
            };
            (
                measure(options, OcrMode::Never, context, ask)?,
                options.json,
            )
        }
        Set::Parse {
            check,
            path,
            options,
        } => (read(check, path, options, context)?, options.json),
    };
    if json {
        print_json(&report.to_json())?;
        for failure in &report.failures {
            let (document, what) = (&failure.document, &failure.message);
            context.ui.warn(format!("`{document}` failed: {what}"));
        }
    } else {
        print(&report.table())?;
    }
    Ok(if report.failures.is_empty() {
        Exit::Done
    } else {
        Exit::Partly
    })
}

/// What answers.
struct Answerer {
    generator: Option<CachedGenerator<Ledger>>,
    prompts: Prompts,
}

impl Answerer {
    fn new(named: &[AnswerMode], options: &Options, context: &Context) -> Result<Self, Failure> {
        let generator = if named.iter().any(|mode| mode.needs_generator()) {
            language_model(&context.settings, &context.ui)?
        } else {
            None
        };
        let work = work_folder(options.work.as_ref())?;
        let cached = |model| CachedGenerator::open(&work, model);
        Ok(Self {
            generator: generator.map(cached).transpose()?,
            prompts: context.settings.prompts()?,
        })
    }

    /// The ways to answer that are named; from the evidence alone where none is.
    fn answering(
        &self,
        named: &[AnswerMode],
        questions: Option<usize>,
    ) -> Result<Answering<'_>, Failure> {
        let named = if named.is_empty() {
            &[AnswerMode::Evidence]
        } else {
            named
        };
        let modes = named
            .iter()
            .map(|mode| mode.resolve(self.generator.as_ref().map(|model| model as &dyn Generator)));
        Ok(Answering {
            modes: modes.collect::<Result<_, _>>()?,
            prompts: &self.prompts,
            questions,
        })
    }
}

impl Options {
    fn resolve(&self, context: &Context) -> Result<EvalOptions, Failure> {
        let work = work_folder(self.work.as_ref())?;
        let strategies = if self.strategy.is_empty() {
            vec![context.settings.strategy.value.clone()]
        } else {
            self.strategy.clone()
        };
        Ok(EvalOptions {
            strategies,
            work,
            run: self.run.clone(),
            compare: self.compare.clone(),
        })
    }
}

/// The folder that keeps what is made on the way.
fn work_folder(named: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    let work = named.cloned().or_else(default_work_folder);
    work.ok_or_else(|| {
        Failure::usage(
            "this user has no cache folder",
            "name a folder with `--work`",
        )
    })
}

/// Checks how documents are read.
fn read(
    check: &str,
    path: &Path,
    options: &ReadingOptions,
    context: &Context,
) -> Result<Report, Failure> {
    let vision = model::vision(options.ocr, context)?;
    let work = work_folder(options.work.as_ref())?;
    let careful = Careful::begin();
    let bar = documents_bar(&context.ui, 0);
    let report = parse(
        check.parse()?,
        path,
        &CheckOptions {
            ocr: options.ocr,
            vision,
            work,
            run: options.run.clone(),
            compare: options.compare.clone(),
            html: options.html.clone(),
        },
        &mut |progress| {
            bar.set_length(progress.documents as u64);
            bar.set_position(progress.document as u64);
            bar.set_message(progress.name.to_owned());
        },
        careful.stop(),
    );
    bar.finish_and_clear();
    Ok(report?)
}

/// Asks the questions of a data set; `ocr` says which pictures of its documents are read.
fn measure(
    options: &Options,
    ocr: OcrMode,
    context: &Context,
    ask: impl FnOnce(&EvalOptions, &mut Tools<'_>) -> Result<Report, EvalError>,
) -> Result<Report, Failure> {
    let options = options.resolve(context)?;
    let embedder = model::embedder(&context.settings, &context.ui)?;
    let vision = model::vision(ocr, context)?;
    let careful = Careful::begin();
    let bar = documents_bar(&context.ui, 0);
    let mut tools = Tools {
        embedder,
        vision,
        progress: &mut |progress| {
            bar.set_length(progress.documents as u64);
            bar.set_position(progress.document as u64);
            let step = match progress.step {
                Step::Reading => "reading".to_owned(),
                Step::Embedding(done, of) => format!("embedding {done}/{of}"),
                Step::Asking(done, of) => format!("asking {done}/{of}"),
            };
            bar.set_message(format!("{}: {step}", progress.name));
        },
        cancel: careful.stop(),
    };
    let report = ask(&options, &mut tools);
    bar.finish_and_clear();
    Ok(report?)
}
