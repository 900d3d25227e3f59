//! The program: the command line.
//!
//! Each file of `command` is a subcommand. What several of them need stands beside: the
//! [`settings`], the [`store`] that they name, the [`model`] that they load, how files are
//! [added](adding), and how answers look on a [`terminal`], as [`json`] and as a page of
//! [`html`].

// What is put together here is read by people: an allocation a line does not matter.
#![allow(clippy::format_push_string)]

mod adding;
mod chain;
mod command;
mod conversation;
mod failure;
mod html;
mod interrupt;
mod json;
mod language_model;
mod mode;
mod model;
mod output;
mod overlay;
mod picture;
mod progress;
mod retrieval;
mod rich;
mod settings;
mod store;
mod terminal;
mod usage;

use clap::{Parser, Subcommand};
use command::enrich::Wanted;
use failure::{Exit, Failure};
use output::Ui;
use settings::{Flags, Settings};
use std::process::ExitCode;

/// Ask your documents: answers of text, figures and tables, each with its source
#[derive(Debug, Parser)]
#[command(name = "catena", version, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: output::Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Ask(command::ask::Args),
    Search(command::search::Args),
    Add(command::add::Args),
    Show(command::show::Args),
    List(command::list::Args),
    Remove(command::remove::Args),
    Compact(command::compact::Args),
    Reindex(command::reindex::Args),
    /// Let a language model state how things are related in the documents: search follows it
    Extract(command::enrich::Args),
    /// Let a language model that sees describe the figures: search finds them by it
    Describe(command::enrich::Args),
    Eval(command::eval::Args),
    Models(command::models::Args),
    Health(command::health::Args),
}

/// What every command gets.
struct Context {
    settings: Settings,
    ui: Ui,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ui = Ui::new(&cli.global);
    interrupt::install();
    match run(cli, &ui) {
        Ok(exit) => exit.code(),
        Err(failure) => {
            ui.report(&failure);
            failure.exit().code()
        }
    }
}

fn run(cli: Cli, ui: &Ui) -> Result<Exit, Failure> {
    let flags = Flags::new(&cli.global, cli.command.retrieval());
    let context = Context {
        settings: Settings::resolve(&flags)?,
        ui: ui.clone(),
    };
    let context = &context;
    match cli.command {
        Command::Ask(args) => command::ask::run(&args, context),
        Command::Search(args) => command::search::run(&args, context),
        Command::Add(args) => command::add::run(&args, context),
        Command::Show(args) => command::show::run(&args, context),
        Command::List(args) => command::list::run(&args, context),
        Command::Remove(args) => command::remove::run(&args, context),
        Command::Compact(args) => command::compact::run(&args, context),
        Command::Reindex(args) => command::reindex::run(&args, context),
        Command::Extract(args) => command::enrich::run(Wanted::Relations, &args, context),
        Command::Describe(args) => command::enrich::run(Wanted::Descriptions, &args, context),
        Command::Eval(args) => command::eval::run(&args, context),
        Command::Models(args) => command::models::run(&args, context),
        Command::Health(args) => command::health::run(&args, context),
    }
}

impl Command {
    /// How to retrieve, for the commands that do.
    fn retrieval(&self) -> Option<&retrieval::Args> {
        match self {
            Self::Ask(args) => Some(&args.retrieval),
            Self::Search(args) => Some(&args.retrieval),
            _ => None,
        }
    }
}
