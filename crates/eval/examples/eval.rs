//! Runs an evaluation: `eval WORK RUN mmdocir DIR STRATEGY…` or `eval WORK RUN musique DIR …`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use catena_eval::{EvalOptions, Step, Tools, mmdocir, multihop};
use catena_models::{MINILM, MiniLm, ModelCache};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [work, run, kind, dir, strategies @ ..] = args.as_slice() else {
        return Err("eval WORK RUN mmdocir|musique|hotpotqa DIR STRATEGY…".into());
    };
    let files = ModelCache::of_user()?.locate(&MINILM)?;
    let options = EvalOptions {
        strategies: strategies.to_vec(),
        work: work.into(),
        run: Some(run.into()),
        compare: None,
    };
    let mut tools = Tools {
        embedder: Arc::new(MiniLm::load(&files)?),
        progress: &mut |p| {
            if !matches!(p.step, Step::Reading) || p.document % 100 == 1 || p.documents < 100 {
                eprintln!("{}/{} {} {:?}", p.document, p.documents, p.name, p.step);
            }
        },
        cancel: &AtomicBool::new(false),
    };
    let report = match kind.as_str() {
        "mmdocir" => mmdocir(Path::new(dir), &options, &mut tools)?,
        name => multihop(Path::new(dir), name.parse()?, &options, &mut tools)?,
    };
    println!("{}", report.table());
    println!("{:#}", report.to_json());
    Ok(())
}
