//! How likely the evidence answers a question.

/// What the evidence shows of whether it answers, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Signals {
    /// The cosine of the question with the nearest passage.
    pub(super) nearest: f32,
    /// The cosine of the question with the nearest unit that retrieval found.
    pub(super) found: f32,
    /// The share of the question's words, weighed by how rare they are, in the passage that has
    /// most of them; what stands only over it counts half.
    pub(super) shared: f32,
    /// The same share in all hits together.
    pub(super) gathered: f32,
    /// The share of the question's names, codes and numbers that no hit has.
    pub(super) unknown: f32,
}

/// The weights of the signals, and what is added: fitted by logistic regression.
const WEIGHTS: [f32; 5] = [4.0, 3.0, 2.0, 3.0, -2.0];
const BIAS: f32 = -5.0;

impl Signals {
    /// How likely the evidence answers, 0 to 1.
    pub(super) fn confidence(self) -> f32 {
        let Self {
            nearest,
            found,
            shared,
            gathered,
            unknown,
        } = self;
        let signals = [nearest, found, shared, gathered, unknown];
        tracing::debug!(nearest, found, shared, gathered, unknown, "signals");
        let weighed = signals
            .iter()
            .zip(WEIGHTS)
            .map(|(signal, weight)| signal * weight);
        1.0 / (1.0 + (-(weighed.sum::<f32>() + BIAS)).exp())
    }
}
