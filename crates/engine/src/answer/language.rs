//! Which language a text is in, where that is sure.

use whatlang::{Info, Lang, detect};

/// How sure two languages must be told apart.
const SURE: f64 = 0.9;
/// From where on a guess at the language of a question is more often right than wrong.
const LIKELY: f64 = 0.3;

/// The language of a text; none where it is too short to tell.
pub(super) fn language(text: &str) -> Option<Lang> {
    let found = detect(text)?;
    is_sure(&found).then(|| found.lang())
}

/// Whether two texts are surely in different languages: another script, or both told with certainty.
pub(super) fn differ(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (detect(one), detect(other)) else {
        return false;
    };
    one.script() != other.script()
        || (one.lang() != other.lang() && is_sure(&one) && is_sure(&other))
}

/// Whether two texts may be in different languages; a question is often too short to be sure.
pub(super) fn may_differ(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (detect(one), detect(other)) else {
        return false;
    };
    one.script() != other.script()
        || (one.lang() != other.lang() && one.confidence() >= LIKELY && is_sure(&other))
}

fn is_sure(found: &Info) -> bool {
    found.confidence() >= SURE
}
