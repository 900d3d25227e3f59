//! What all evaluations of retrieval share: how they begin and how they end.

use crate::embedding_cache::CachedEmbedder;
use crate::record::{Record, RunFile, read_run};
use crate::report::Failure;
use crate::store::Stores;
use crate::vision_cache::cached;
use crate::{EvalError, EvalOptions, Report, Tools};
use catena_engine::{Hit, Query, Strategy, embed_query};
use catena_index::{Filter, Snapshot};
use catena_models::Embedder;
use std::path::PathBuf;
use std::sync::Arc;

/// Questions embedded between two looks at the cancel flag.
const SLICE: usize = 64;

/// An evaluation in progress.
pub(crate) struct Evaluation<'a> {
    pub(crate) strategies: Vec<&'static dyn Strategy>,
    pub(crate) stores: Stores<'a>,
    embedder: Arc<CachedEmbedder>,
    /// The earlier run to compare with, and its file.
    earlier: Option<(PathBuf, Vec<Record>)>,
    run: Option<RunFile>,
    records: Vec<Record>,
    failures: Vec<Failure>,
}

impl<'a> Evaluation<'a> {
    /// Opens all that the options name, so that what is wrong with them shows before the work.
    pub(crate) fn begin(options: &EvalOptions, tools: &Tools<'a>) -> Result<Self, EvalError> {
        let strategies = options.resolve()?;
        let earlier = options.compare.as_deref().map(|path| {
            let records = read_run(path)?;
            Ok::<_, EvalError>((path.to_owned(), records))
        });
        let earlier = earlier.transpose()?;
        let run = options.run.as_deref().map(RunFile::create).transpose()?;
        let embedder = CachedEmbedder::open(&options.work, Arc::clone(&tools.embedder))?;
        let embedder = Arc::new(embedder);
        let vision = tools.vision.clone();
        let vision = vision.map(|models| cached(&options.work, models));
        let stores = Stores::new(
            &options.work,
            Arc::clone(&embedder),
            vision.transpose()?,
            &strategies,
            tools.cancel,
        );
        Ok(Self {
            strategies,
            stores,
            embedder,
            earlier,
            run,
            records: Vec::new(),
            failures: Vec::new(),
        })
    }

    /// The embedder that computes no vector twice.
    pub(crate) fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// The names of the strategies.
    pub(crate) fn strategy_names(&self) -> Vec<&'static str> {
        self.strategies.iter().map(|s| s.name()).collect()
    }

    /// Embeds all questions at once, so that asking finds them in the cache.
    pub(crate) fn embed_questions<'q>(
        &self,
        questions: impl Iterator<Item = &'q str>,
        tools: &Tools<'_>,
    ) -> Result<(), EvalError> {
        let questions: Vec<&str> = questions.collect();
        for slice in questions.chunks(SLICE) {
            tools.check_cancelled()?;
            self.embedder.embed(slice)?;
        }
        Ok(())
    }

    /// Asks every strategy one question; what each found, by its name.
    pub(crate) fn ask(
        &self,
        snapshot: &Snapshot,
        question: &str,
        budgets: Budgets,
    ) -> Result<Vec<(&'static str, Vec<Hit>)>, EvalError> {
        let retrieval = catena_engine::Retrieval {
            text_budget: budgets.text,
            visual_budget: budgets.visual,
            filter: Filter::default(),
        };
        let query: Query = embed_query(question, self.embedder.as_ref(), retrieval)?;
        let strategies = self.strategies.iter();
        strategies
            .map(|strategy| Ok((strategy.name(), strategy.retrieve(snapshot, &query)?)))
            .collect()
    }

    /// Keeps a record, and writes it to the run file.
    pub(crate) fn keep(&mut self, record: Record) -> Result<(), EvalError> {
        if let Some(run) = &mut self.run {
            run.write(&record)?;
        }
        self.records.push(record);
        Ok(())
    }

    /// Keeps what a document could not be read for.
    pub(crate) fn fail(&mut self, failure: Failure) {
        tracing::warn!(document = failure.document, failure.message, "failed");
        self.failures.push(failure);
    }

    /// The report of all records of these systems; the run file takes its place.
    pub(crate) fn finish(self, systems: &[&str]) -> Result<Report, EvalError> {
        let mut report = Report::of(systems, &self.records, self.failures);
        if let Some((path, earlier)) = &self.earlier {
            report.compare_with(&self.records, earlier, path)?;
        }
        if let Some(run) = self.run {
            run.finish()?;
        }
        Ok(report)
    }
}

/// How many units each question may find.
#[derive(Clone, Copy)]
pub(crate) struct Budgets {
    /// Units of text.
    pub(crate) text: usize,
    /// Figures and tables.
    pub(crate) visual: usize,
}
