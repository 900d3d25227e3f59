//! `catena ask`

use crate::adding::add_paths;
use crate::conversation;
use crate::failure::{Exit, Failure};
use crate::html::{self, Page};
use crate::json::JsonAnswer;
use crate::language_model::{check_planning, language_model};
use crate::mode::AnswerMode;
use crate::output::{print, print_json, width};
use crate::picture::Pictures;
use crate::retrieval::{self, planner, prepare};
use crate::store::open_filled;
use crate::terminal::{self, Figure, inline};
use crate::usage::Usage;
use crate::{Context, model};
use catena_engine::{AddOptions, Answer, AnswerOutcome, Asking, Found, Turn, understand};
use catena_index::Snapshot;
use catena_models::Generator;
use catena_parse::OcrMode;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Answer a question with text, figures and tables, each with its source
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question
    question: String,
    /// Add this file or folder first, and answer from it only; may be repeated
    #[arg(long = "in", value_name = "PATH")]
    within: Vec<PathBuf>,
    /// How the answer is made [default: `llm` where a language model is set, else `evidence`]
    #[arg(long, value_enum)]
    mode: Option<AnswerMode>,
    #[command(flatten)]
    pub(crate) retrieval: retrieval::Args,
    /// A follow-up: understood from the questions before it
    #[arg(long = "continue")]
    follow_up: bool,
    #[command(flatten)]
    shown: Shown,
}

/// How an answer is shown, and what with it.
#[derive(Debug, clap::Args)]
struct Shown {
    /// Show the evidence that was found, how it hangs together, and the score of every stage
    #[arg(long)]
    explain: bool,
    /// Tell what language models were used for: calls, tokens, time, and the cost where prices are set
    #[arg(long)]
    usage: bool,
    /// Write the answer as a web page with the sources' pages
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let generator = language_model(&context.settings, &context.ui)?;
    let mode = args.mode.unwrap_or(match generator {
        Some(_) => AnswerMode::Llm,
        None => AnswerMode::Evidence,
    });
    let model = generator.as_ref().map(|model| model as &dyn Generator);
    let mode = mode.resolve(model)?;
    check_planning(&context.settings)?;
    let mut exit = Exit::Done;
    let mut within = None;
    if !args.within.is_empty() {
        let options = AddOptions {
            vision: model::vision(OcrMode::Auto, context)?,
            ..AddOptions::default()
        };
        let report = add_paths(&args.within, options, context)?;
        if report.left > 0 {
            return Err(Failure::Stopped);
        }
        if report.documents.is_empty() {
            return Ok(Exit::Partly);
        }
        if report.failed > 0 {
            exit = Exit::Partly;
        }
        within = Some(report.documents);
    }
    let store = open_filled(&context.settings)?;
    let prompts = context.settings.prompts()?;
    let mut turns = if args.follow_up {
        conversation::turns(store.path())?
    } else {
        Vec::new()
    };
    // Ctrl-C ends the program at once: nothing is lost.
    let cancel = AtomicBool::new(false);
    let helper = mode.generator().map(|generator| (generator, &prompts));
    let question = understand(&args.question, &turns, helper, &cancel);
    if question != args.question {
        context.ui.note(format!("Understood as: {question}"));
    }
    let ready = prepare(&question, &args.retrieval, within, &store, context)?;
    let asking = Asking {
        strategy: ready.strategy,
        embedder: ready.embedder.as_ref(),
        planner: planner(generator.as_ref(), &prompts, context, &cancel),
        mode,
        prompts: &prompts,
        cache: &store.render_cache(),
        cancel: &cancel,
    };
    let (found, answer) = catena_engine::ask(&ready.snapshot, &ready.query, asking, &mut |_| {})?;
    turns.push(Turn::new(&question, &answer));
    conversation::keep(store.path(), &turns);
    let told = Told {
        asked: &args.question,
        question: &question,
        found: &found,
        answer: &answer,
        usage: Usage::of(generator.as_ref(), &context.settings),
    };
    let pictures = Pictures::new(&store, &ready.snapshot, &context.ui);
    told.show(&args.shown, &ready.snapshot, &pictures, context)?;
    Ok(match answer.outcome {
        AnswerOutcome::Answered => exit,
        AnswerOutcome::InsufficientEvidence => Exit::Partly,
    })
}

/// An answer with all that is told with it.
struct Told<'a> {
    /// The question as it was asked, and as it was understood.
    asked: &'a str,
    question: &'a str,
    found: &'a Found,
    answer: &'a Answer,
    usage: Vec<Usage>,
}

impl Told<'_> {
    fn show(
        self,
        shown: &Shown,
        snapshot: &Snapshot,
        pictures: &Pictures<'_>,
        context: &Context,
    ) -> Result<(), Failure> {
        for warning in &self.answer.warnings {
            context.ui.warn(warning);
        }
        if let Some(path) = &shown.html {
            let page = Page {
                question: self.question,
                answer: self.answer,
                hits: shown.explain.then_some(self.found.hits.as_slice()),
                snapshot,
                pictures,
            };
            let page = html::render(&page)?;
            fs::write(path, page).map_err(|cause| Failure::file("write", path, cause))?;
            context.ui.note(format!("Wrote `{}`", path.display()));
        }
        for usage in self.usage.iter().filter(|_| shown.usage) {
            context.ui.note(usage.line());
        }
        if shown.json {
            let image = |unit: &_| pictures.file(unit);
            print_json(&JsonAnswer::new(
                self.asked,
                self.question,
                self.answer,
                self.found,
                self.usage,
                &image,
            ))?;
        } else {
            let columns = width();
            let figure = |unit: &_| match inline() {
                Some(inline) => {
                    let png = pictures.png(unit)?;
                    Some(Figure::Inline(inline.show(&png, columns)?))
                }
                None => pictures.file(unit).map(Figure::File),
            };
            let mut text = terminal::answer(self.answer, columns, &figure);
            if shown.explain && !self.found.hits.is_empty() {
                text.push_str(&format!("\n{}", terminal::explain(self.found, columns)));
            }
            print(&text)?;
        }
        Ok(())
    }
}
