//! `catena eval`

use crate::failure::{Exit, Failure};
use crate::interrupt::Careful;
use crate::output::{print, print_json};
use crate::progress::documents_bar;
use crate::{Context, model};
use catena_eval::{
    Dataset, EvalError, EvalOptions, Report, Step, Tools, default_work_folder, mmdocir, multihop,
};
use clap::Subcommand;
use std::path::PathBuf;

/// Measure how well evidence is found, on a data set
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
        #[command(flatten)]
        options: Options,
    },
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
    let (Set::Mmdocir { options, .. } | Set::Multihop { options, .. }) = &args.set;
    let report = measure(&args.set, &options.resolve(context)?, context)?;
    if options.json {
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

impl Options {
    fn resolve(&self, context: &Context) -> Result<EvalOptions, Failure> {
        let work = self.work.clone().or_else(default_work_folder);
        let work = work.ok_or_else(|| {
            Failure::usage(
                "this user has no cache folder",
                "name a folder with `--work`",
            )
        })?;
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

fn measure(set: &Set, options: &EvalOptions, context: &Context) -> Result<Report, Failure> {
    let embedder = model::embedder(&context.settings, &context.ui)?;
    let careful = Careful::begin();
    let bar = documents_bar(&context.ui, 0);
    let mut tools = Tools {
        embedder,
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
    let report = match set {
        Set::Mmdocir { folder, .. } => mmdocir(folder, options, &mut tools),
        Set::Multihop {
            folder, dataset, ..
        } => {
            let dataset: Result<Dataset, EvalError> = dataset.parse();
            dataset.and_then(|dataset| multihop(folder, dataset, options, &mut tools))
        }
    };
    bar.finish_and_clear();
    Ok(report?)
}
