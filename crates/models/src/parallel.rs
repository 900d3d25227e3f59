//! Work on all cores.

use crate::error::Cause;
use rten::ThreadPool;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The cores that this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Pools of one thread that are idle. A network that runs on one leaves the other cores alone.
#[derive(Default)]
pub(crate) struct Pools(Mutex<Vec<Arc<ThreadPool>>>);

impl Pools {
    /// Runs something on a pool of one thread, which nobody else has meanwhile.
    pub(crate) fn with_one<R>(&self, run: impl FnOnce(Arc<ThreadPool>) -> R) -> R {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = lock().pop();
        let pool = idle.unwrap_or_else(|| Arc::new(ThreadPool::with_num_threads(1)));
        let result = run(Arc::clone(&pool));
        lock().push(pool);
        result
    }
}

/// Does all jobs, on as many threads as there are cores; the results in the order of the jobs.
/// After an error no new job is begun.
pub(crate) fn on_all_cores<J: Sync, R: Send>(
    jobs: &[J],
    run: impl Fn(&J) -> Result<R, Cause> + Sync,
) -> Result<Vec<R>, Cause> {
    let workers = cores().min(jobs.len());
    if workers <= 1 {
        return jobs.iter().map(run).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else {
                return Ok(done);
            };
            match run(job) {
                Ok(result) => done.push((at, result)),
                Err(error) => {
                    next.store(jobs.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    let done = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect::<Result<Vec<_>, Cause>>()
    })?;
    let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_keep_their_order_and_an_error_ends_them() {
        let jobs: Vec<usize> = (0..100).collect();
        let double = |&job: &usize| Ok(job * 2);
        let expected: Vec<usize> = (0..100).map(|job| job * 2).collect();
        assert_eq!(on_all_cores(&jobs, double).expect("no error"), expected);
        let fail = |&job: &usize| {
            if job == 7 {
                Err("seven".into())
            } else {
                Ok(job)
            }
        };
        let error = on_all_cores(&jobs, fail).expect_err("the seventh fails");
        assert_eq!(error.to_string(), "seven");
    }
}
