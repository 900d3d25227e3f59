//! Ctrl-C: the first stops the work where nothing is lost, the second at once.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether the work shall stop.
static STOP: AtomicBool = AtomicBool::new(false);
/// How many pieces of work that stop by themselves are under way.
static CAREFUL: AtomicUsize = AtomicUsize::new(0);

/// Listens to Ctrl-C, and to requests to end.
pub(crate) fn install() {
    let installed = ctrlc::set_handler(|| {
        let careful = CAREFUL.load(Ordering::SeqCst) > 0;
        if !careful || STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        let note = "\nStopping; once more to stop at once";
        let _ = writeln!(anstream::stderr(), "{note}");
    });
    if let Err(error) = installed {
        tracing::debug!(%error, "no handler of Ctrl-C");
    }
}

/// A piece of work that looks at [`stop`](Self::stop) and then ends by itself. Where there is
/// none, Ctrl-C ends the program at once.
pub(crate) struct Careful(());

impl Careful {
    /// Begins such work.
    pub(crate) fn begin() -> Self {
        CAREFUL.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// True once the user wants it to stop.
    // The flag is of the whole program, but only careful work may wait for it.
    #[allow(clippy::unused_self)]
    pub(crate) fn stop(&self) -> &'static AtomicBool {
        &STOP
    }
}

impl Drop for Careful {
    fn drop(&mut self) {
        CAREFUL.fetch_sub(1, Ordering::SeqCst);
    }
}
