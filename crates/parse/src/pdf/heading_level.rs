//! The levels of headings.

use super::heading::{Candidate, Look, MAX_LEVEL};
use std::collections::HashMap;

/// The levels of headings, which come in reading order. `outlined` tells whether the outline is
/// to be trusted.
pub(super) fn levels(found: &[Candidate], slides: bool, outlined: bool) -> Vec<u8> {
    let of_looks = style_levels(found, slides);
    let mut before: Option<&Candidate> = None;
    let mut below = false;
    let mut out = Vec::new();
    for candidate in found {
        below = candidate.number_depth.is_none()
            && before.is_some_and(|before| goes_below(before, candidate, below));
        before = Some(candidate);
        let outline = candidate.outline_depth.filter(|_| outlined);
        let told = outline.or(candidate.tag_depth).or(candidate.number_depth);
        let level = told.unwrap_or_else(|| {
            let level = of_looks.get(&candidate.look).copied();
            level.unwrap_or(MAX_LEVEL) + u8::from(below)
        });
        out.push((level.clamp(1, MAX_LEVEL), told.is_some()));
    }
    nested(&out)
}

/// Levels as depths: those that no heading has are left out, and a heading whose looks alone tell
/// its level stands one below the heading that it belongs to.
fn nested(levels: &[(u8, bool)]) -> Vec<u8> {
    let mut used = [false; MAX_LEVEL as usize + 1];
    for &(level, _) in levels {
        used[usize::from(level)] = true;
    }
    let closed = |level: u8| (1..=level).filter(|&at| used[usize::from(at)]).count() as u8;
    let mut open: Vec<(u8, u8)> = Vec::new();
    let mut out = Vec::new();
    for &(level, told) in levels {
        while open.last().is_some_and(|&(above, _)| above >= level) {
            open.pop();
        }
        let deepest = open.last().map_or(1, |&(_, depth)| depth + 1);
        let depth = if told {
            closed(level)
        } else {
            closed(level).min(deepest)
        };
        open.push((level, depth));
        out.push(depth);
    }
    out
}

/// Whether a heading without a number that looks like the one before it is a level below: where
/// numbers end at some depth, what is deeper looks the same, and follows its numbered parent at
/// once. `below` is that of the one before.
fn goes_below(before: &Candidate, candidate: &Candidate, below: bool) -> bool {
    let at_once = candidate.page == before.page && candidate.item == before.item + 1;
    before.look == candidate.look
        && match before.number_depth {
            Some(depth) => depth >= 3 && at_once,
            None => below,
        }
}

/// The level of each look: that of its numbered or outlined members, else one below the next
/// larger look.
fn style_levels(found: &[Candidate], slides: bool) -> HashMap<Look, u8> {
    let mut known: HashMap<Look, HashMap<u8, usize>> = HashMap::new();
    let mut count: HashMap<Look, usize> = HashMap::new();
    for candidate in found {
        *count.entry(candidate.look).or_default() += 1;
        if let Some(depth) = candidate.depth() {
            *known
                .entry(candidate.look)
                .or_default()
                .entry(depth)
                .or_default() += 1;
        }
    }
    let rare = found.len() / 100;
    let mut looks: Vec<Look> = count.keys().copied().collect();
    // Larger first; of one size bold, then capitals.
    looks.sort_by(|a, b| {
        (b.size, b.bold, b.caps, !b.italic).cmp(&(a.size, a.bold, a.caps, !a.italic))
    });
    let by_members: Vec<Option<u8>> = looks
        .iter()
        .map(|look| {
            let depths = known.get(look)?;
            let members: usize = depths.values().sum();
            let (&depth, _) = depths
                .iter()
                .max_by_key(|&(&depth, &n)| (n, MAX_LEVEL - depth.min(MAX_LEVEL)))?;
            (members * 4 >= count[look]).then_some(depth)
        })
        .collect();
    let mut out: HashMap<Look, u8> = HashMap::new();
    let mut above: Option<(Look, u8)> = None;
    for (at, &look) in looks.iter().enumerate() {
        // Only a look that many headings have: a numbered list is none.
        let below = (at + 1..looks.len())
            .filter(|&at| count[&looks[at]] * 5 >= found.len())
            .find_map(|at| by_members[at]);
        let level = by_members[at].unwrap_or_else(|| {
            let level = match above {
                None => 1,
                Some((_, level)) if slides => (level + 1).min(2),
                Some((larger, level))
                    if larger.size <= look.size + 1
                        && larger.bold == look.bold
                        && larger.caps == look.caps =>
                {
                    level
                }
                Some((_, level)) => (level + 1).min(MAX_LEVEL),
            };
            // A look above a numbered one is a level above it.
            below.map_or(level, |below| level.min((below - 1).max(1)))
        });
        out.insert(look, level);
        // What is hardly ever seen pushes nothing down, but for numbered parts.
        if count[&look] > rare || by_members[at].is_some() {
            above = Some((look, level));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_depths() {
        let looks = |levels: &[u8]| -> Vec<u8> {
            nested(
                &levels
                    .iter()
                    .map(|&level| (level, false))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(looks(&[1, 2, 5, 6, 5, 2]), [1, 2, 3, 4, 3, 2]);
        assert_eq!(looks(&[1, 6, 6, 2, 6]), [1, 2, 2, 2, 3]);
        // A number tells its own depth, though a section between was not seen.
        assert_eq!(
            nested(&[(1, true), (2, true), (1, true), (3, true)]),
            [1, 2, 1, 3]
        );
    }
}
