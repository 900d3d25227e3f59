//! What `ask` and `search` share: the question, the filters, the strategy.

use crate::Context;
use crate::failure::Failure;
use crate::interrupt::Careful;
use crate::model;
use crate::store::find_document;
use catena_document::{DocumentId, Modality, View};
use catena_engine::{
    Planner, Prompts, Query, Retrieval, Strategy, by_name, embed_query, ensure_view,
};
use catena_index::{Filter, Snapshot, Store, Writer};
use catena_models::{Embedder, Ledger};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How and where to find evidence.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// How evidence is found: `topology`, `hierarchy`, `graph` or `flat`
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<String>,
    /// Pieces of text found at most
    #[arg(long, value_name = "N")]
    pub(crate) text_budget: Option<usize>,
    /// Figures and tables found at most
    #[arg(long, value_name = "N")]
    pub(crate) visual_budget: Option<usize>,
    /// Let the language model split the question into sub-questions, with at most N calls: one
    /// splits it, one more checks each answer that another sub-question needs; 5 are always
    /// enough, 0 searches without it [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) plan_calls: Option<usize>,
    /// Only in this document: a path, or the first digits of its id; may be repeated
    #[arg(long, value_name = "DOCUMENT")]
    document: Vec<String>,
    /// Only below headings with all these words
    #[arg(long, value_name = "WORDS")]
    section: Option<String>,
    /// Only evidence of this kind; may be repeated
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Vec<Kind>,
    /// Only in documents of this language, such as `en`; may be repeated
    #[arg(long, value_name = "CODE")]
    language: Vec<String>,
}

/// Kinds of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Text,
    Table,
    Figure,
    Formula,
}

impl Kind {
    fn modality(self) -> Modality {
        match self {
            Self::Text => Modality::Text,
            Self::Table => Modality::Table,
            Self::Figure => Modality::Figure,
            Self::Formula => Modality::Formula,
        }
    }
}

/// A question ready to be asked.
pub(crate) struct Ready {
    /// The state of the store that it is asked of.
    pub(crate) snapshot: Snapshot,
    /// The question.
    pub(crate) query: Query,
    /// How evidence is found.
    pub(crate) strategy: &'static dyn Strategy,
    /// The model that embedded it.
    pub(crate) embedder: Arc<dyn Embedder>,
}

/// Makes a question ready: finds the documents that are named, loads the model, and gives the
/// documents the view that the strategy needs. `within` are the only documents to look in, where
/// they are given.
pub(crate) fn prepare(
    text: &str,
    args: &Args,
    within: Option<Vec<DocumentId>>,
    store: &Store,
    context: &Context,
) -> Result<Ready, Failure> {
    let settings = &context.settings;
    let strategy = by_name(&settings.strategy.value)?;
    if text.trim().is_empty() {
        return Err(Failure::Usage {
            message: "the question is empty".to_owned(),
            hint: None,
        });
    }
    let mut snapshot = store.snapshot()?;
    let filter = args.filter(&snapshot, within)?;
    let embedder = model::embedder(settings, &context.ui)?;
    if strategy.view() != View::Evidence {
        give_view(
            store,
            &snapshot,
            strategy.view(),
            embedder.as_ref(),
            context,
        )?;
        snapshot = store.snapshot()?;
    }
    let retrieval = Retrieval {
        text_budget: settings.text_budget.value,
        visual_budget: settings.visual_budget.value,
        filter,
    };
    Ok(Ready {
        query: embed_query(text, embedder.as_ref(), retrieval)?,
        snapshot,
        strategy,
        embedder,
    })
}

/// Who plans the search, with its budget of calls, where that is wanted.
pub(crate) fn planner<'a>(
    model: Option<&'a Ledger>,
    prompts: &'a Prompts,
    context: &Context,
    cancel: &'a AtomicBool,
) -> Option<Planner<'a>> {
    let calls = context.settings.plan_calls.value;
    let generator = model.filter(|_| calls > 0)?;
    Some(Planner {
        generator,
        prompts,
        calls,
        cancel,
    })
}

impl Args {
    fn filter(
        &self,
        snapshot: &Snapshot,
        within: Option<Vec<DocumentId>>,
    ) -> Result<Filter, Failure> {
        let named: Vec<DocumentId> = self
            .document
            .iter()
            .map(|text| find_document(snapshot, text))
            .collect::<Result<_, _>>()?;
        let documents = match within {
            Some(mut within) => {
                within.retain(|id| named.is_empty() || named.contains(id));
                Some(within)
            }
            None => Some(named).filter(|named| !named.is_empty()),
        };
        let modalities: Vec<Modality> = self.kind.iter().map(|kind| kind.modality()).collect();
        let languages: Vec<String> = self
            .language
            .iter()
            .map(|code| code.to_lowercase())
            .collect();
        Ok(Filter {
            documents,
            modalities: Some(modalities).filter(|some| !some.is_empty()),
            languages: Some(languages).filter(|some| !some.is_empty()),
            section: self.section.clone(),
        })
    }
}

/// Gives the documents a view that the store was not made with.
fn give_view(
    store: &Store,
    snapshot: &Snapshot,
    view: View,
    embedder: &dyn Embedder,
    context: &Context,
) -> Result<(), Failure> {
    let has = |units: &[(View, u32)]| units.iter().any(|&(have, _)| have == view);
    let documents = snapshot.documents()?;
    let missing = documents
        .iter()
        .filter(|document| !has(&document.units))
        .count();
    if missing == 0 {
        return Ok(());
    }
    let strategy = &context.settings.strategy.value;
    context
        .ui
        .note(format!("Indexing {missing} documents for `{strategy}`"));
    let careful = Careful::begin();
    let mut writer = Writer::open(store.path())?;
    ensure_view(store, &mut writer, view, embedder, careful.stop())?;
    writer.close()?;
    Ok(())
}
