//! Choosing evidence unit by unit.

use super::super::budget::Budget;
use super::super::fuse::{Fused, hit};
use super::Part;
use super::asked::asked;
use super::links::{Link, links};
use super::relations::paths;
use crate::{EngineError, Hit, Query, Role, Tie, Via};
use catena_document::{Modality, mentions, words};
use catena_index::{AnchorIndex, QuestionTerm, Snapshot, UnitKey};
use std::collections::HashMap;

/// Units of hybrid search that are looked at closely.
const POOL: usize = 60;
/// Units that are chosen one by one; what follows keeps the order of hybrid search.
const CHOSEN: usize = 20;
/// Chosen units whose ties are followed.
const FOLLOWED: usize = 3;
/// Ties of a chosen unit that are followed, the strongest first.
const TIED: usize = 200;
/// How much it counts that a unit is about what the question names.
const NAMED: f32 = 1.0;
/// How much it counts to cover words of the question that nothing chosen covers.
const COVERAGE: f32 = 1.25;
/// How much a tie to a chosen unit counts.
const TIE: f32 = 0.9;
/// How much it counts that a tied unit covers what is not covered yet.
const TIE_COVERAGE: f32 = 2.0;
/// How much it counts that a relation of a unit and one of a chosen unit say together what is
/// asked.
const STATED: f32 = 2.0;
/// How much of the question a hit must cover anew for it to be a facet of a synthesis.
const FACET: f32 = 0.08;
/// How far a unit is meant that the question names by its label, where no other document has it.
const LABELLED: f32 = 1.0;
/// How much it counts to be of the kind that the question asks for.
const ASKED: f32 = 0.3;
/// Units with a label that the question names, at most; all of a page have it.
const MOST_LABELLED: usize = 500;
/// Anchors in the question that are about more units than this name none of them.
const MOST_NAMED: usize = 60;

/// A unit that may be chosen.
struct Candidate {
    fused: Fused,
    modality: Modality,
    /// How well it covers each term of the question, 0 to 1.
    coverage: Vec<f32>,
    /// How far it is about what the question names, 0 to 1.
    named: f32,
    via: Option<Via>,
    /// The tie by relations, where there is one.
    stated: Option<Via>,
}

/// The hits of a query, by what hybrid search has found.
pub(super) fn select(
    snapshot: &Snapshot,
    query: &Query,
    mut fused: Vec<Fused>,
    without: Option<Part>,
) -> Result<Vec<Hit>, EngineError> {
    let index = snapshot.anchor_index(&query.retrieval.filter)?;
    let terms = index.question_terms(&query.text)?;
    let whole: f32 = terms.iter().map(|term| term.idf).sum();
    let share: Vec<f32> = terms
        .iter()
        .map(|term| term.idf / whole.max(1e-6))
        .collect();
    let mut selection = Selection {
        snapshot,
        query,
        index,
        covered: vec![0.0; terms.len()],
        without,
        asked: asked(&query.text),
        terms,
        share,
        candidates: Vec::new(),
        at: HashMap::new(),
        rest: HashMap::new(),
    };
    let rest = fused.split_off(fused.len().min(POOL));
    selection.rest = rest.into_iter().map(|found| (found.key, found)).collect();
    selection.offer(fused)?;
    if without != Some(Part::Subjects) {
        selection.offer_named(&query.text)?;
    }
    if without != Some(Part::Labels) {
        selection.offer_labelled(&query.text)?;
    }
    if without == Some(Part::Kinds) {
        selection.asked.clear();
    }
    let mut hits = selection.choose()?;
    // The order of choosing is the ranking; what was chosen late may have weighed more by then.
    let mut least = f32::INFINITY;
    for hit in &mut hits {
        least = least.min(hit.score);
        hit.score = least;
    }
    tracing::debug!(hits = hits.len(), "selected");
    Ok(hits)
}

/// A selection in progress.
struct Selection<'s> {
    snapshot: &'s Snapshot,
    query: &'s Query,
    index: AnchorIndex<'s>,
    without: Option<Part>,
    terms: Vec<QuestionTerm>,
    /// The kinds of evidence that the question asks for.
    asked: Vec<Modality>,
    /// The weight of each term in the question; together 1.
    share: Vec<f32>,
    /// How well what was chosen covers each term.
    covered: Vec<f32>,
    candidates: Vec<Candidate>,
    /// Where the candidate of a unit is.
    at: HashMap<UnitKey, usize>,
    /// What hybrid search has found beyond the first, while it is no candidate.
    rest: HashMap<UnitKey, Fused>,
}

impl Selection<'_> {
    /// Makes units candidates that are none yet.
    fn offer(&mut self, found: Vec<Fused>) -> Result<(), EngineError> {
        let keys: Vec<UnitKey> = found.iter().map(|found| found.key).collect();
        let coverage = self.index.coverage(&keys, &self.terms)?;
        for (fused, coverage) in found.into_iter().zip(coverage) {
            self.at.insert(fused.key, self.candidates.len());
            self.candidates.push(Candidate {
                modality: self.snapshot.unit(fused.key)?.modality,
                fused,
                coverage,
                named: 0.0,
                via: None,
                stated: None,
            });
        }
        Ok(())
    }

    /// Makes those of the units candidates that are none yet.
    fn offer_others(&mut self, keys: impl Iterator<Item = UnitKey>) -> Result<(), EngineError> {
        let mut others: Vec<UnitKey> = keys.filter(|key| !self.at.contains_key(key)).collect();
        others.sort_unstable();
        others.dedup();
        let first = self.candidates.len();
        let found = others.into_iter().map(|key| {
            self.rest.remove(&key).unwrap_or_else(|| Fused {
                key,
                score: 0.0,
                scores: Vec::new(),
            })
        });
        let found = found.collect();
        self.offer(found)?;
        for at in first..self.candidates.len() {
            if self.candidates[at].fused.scores.is_empty() {
                // Half of what fusion gives is for the words.
                self.candidates[at].fused.score = 0.5 * self.weighed(&self.candidates[at].coverage);
            }
        }
        Ok(())
    }

    fn weighed(&self, coverage: &[f32]) -> f32 {
        let all = coverage.iter().zip(&self.share);
        all.map(|(coverage, share)| coverage * share).sum()
    }

    /// Offers the units that are about what the question names word for word.
    fn offer_named(&mut self, question: &str) -> Result<(), EngineError> {
        let all: Vec<&str> = words(question)
            .into_iter()
            .map(|at| &question[at])
            .collect();
        let named = self.index.subjects_in(question, None)?;
        for found in &named {
            // "Hello Love" means that, not "Love".
            let within = |other: &std::ops::Range<usize>| {
                other.start <= found.words.start
                    && found.words.end <= other.end
                    && *other != found.words
            };
            if named.iter().any(|other| within(&other.words)) {
                continue;
            }
            let Some(tied) = self.index.units_of(&found.anchor, MOST_NAMED)? else {
                continue;
            };
            let phrase = &all[found.words.clone()];
            let in_phrase = |term: &QuestionTerm| phrase.contains(&term.word.as_str());
            let terms = self.terms.iter().zip(&self.share);
            let share: f32 = terms
                .filter(|(term, _)| in_phrase(term))
                .map(|(_, s)| s)
                .sum();
            let subjects = tied.iter().filter(|tied| tied.is_subject).count();
            let tied = || tied.iter().filter(|tied| tied.is_subject);
            self.offer_others(tied().map(|tied| tied.key))?;
            for tied in tied() {
                let at = self.at[&tied.key];
                let named = share / (subjects as f32).sqrt();
                self.candidates[at].named = self.candidates[at].named.max(named);
            }
        }
        Ok(())
    }

    /// Offers the units that the question names by their label: "figure 3", "on page 14".
    fn offer_labelled(&mut self, question: &str) -> Result<(), EngineError> {
        for (_, label) in mentions(question) {
            let Some(tied) = self.index.units_of(&label.anchor(), MOST_LABELLED)? else {
                continue;
            };
            let mut documents: Vec<u64> = tied.iter().map(|tied| tied.key.seq).collect();
            documents.dedup();
            // Every manual has a first figure; then it says little which is meant.
            let named = LABELLED / documents.len().max(1) as f32;
            if documents.len() == 1 {
                self.offer_others(tied.iter().map(|tied| tied.key))?;
            }
            for tied in &tied {
                if let Some(&at) = self.at.get(&tied.key) {
                    self.candidates[at].named = self.candidates[at].named.max(named);
                }
            }
        }
        Ok(())
    }

    /// What a candidate covers that nothing chosen does, as a share of the question.
    fn gain(&self, candidate: &Candidate) -> f32 {
        let all = candidate
            .coverage
            .iter()
            .zip(&self.covered)
            .zip(&self.share);
        all.map(|((own, covered), share)| share * (own - covered).max(0.0))
            .sum()
    }

    /// What a candidate counts by itself, by its tie to a chosen one, and by its relations to one.
    fn worth(&self, candidate: &Candidate) -> [f32; 3] {
        let gain = match self.without {
            Some(Part::Coverage) => 0.0,
            _ => self.gain(candidate),
        };
        let asked = if self.asked.contains(&candidate.modality) {
            ASKED
        } else {
            0.0
        };
        let own = candidate.fused.score + asked + NAMED * candidate.named + COVERAGE * gain;
        let tied = candidate
            .via
            .as_ref()
            .map_or(0.0, |via| via.weight * (TIE + TIE_COVERAGE * gain));
        let stated = candidate.stated.as_ref().map_or(0.0, |via| via.weight);
        [own, tied, STATED * stated]
    }

    /// Chooses the best candidate again and again, within the budgets of text and of figures and
    /// tables; what is left of those goes to the others in the order of search.
    fn choose(mut self) -> Result<Vec<Hit>, EngineError> {
        let mut left = Budget::of(&self.query.retrieval);
        let mut hits: Vec<Hit> = Vec::new();
        let mut taken = vec![false; self.candidates.len()];
        while hits.len() < CHOSEN {
            let mut best: Option<(f32, usize)> = None;
            for (at, candidate) in self.candidates.iter().enumerate() {
                if taken[at] || !left.has(candidate.modality) {
                    continue;
                }
                let all = self.worth(candidate).iter().sum();
                if best.is_none_or(|(worth, _)| all > worth) {
                    best = Some((all, at));
                }
            }
            let Some((worth, at)) = best else { break };
            taken[at] = true;
            let candidate = &self.candidates[at];
            left.take(candidate.modality);
            let [own, tied, stated] = self.worth(candidate);
            let facets = self.facets(candidate);
            let via = if stated > tied {
                candidate.stated.clone()
            } else {
                candidate.via.clone().filter(|_| tied > 0.0)
            };
            let role = match &via {
                Some(via) if tied + stated > own => self.role(candidate, via),
                _ => Role::Direct,
            };
            if let (Role::Target, Some(via)) = (role, &via)
                && let Some(bridge) = hits.iter_mut().find(|hit| hit.key == via.from)
                && bridge.role == Role::Direct
            {
                bridge.role = Role::Bridge;
            }
            for (covered, own) in self.covered.iter_mut().zip(&candidate.coverage) {
                *covered = covered.max(*own);
            }
            hits.push(Hit {
                key: candidate.fused.key,
                unit: self.snapshot.resolve(candidate.fused.key)?,
                score: worth,
                scores: candidate.fused.scores.clone(),
                role,
                via,
                facets,
            });
            if let Some(hit) = hits.last()
                && hits.len() <= FOLLOWED
            {
                self.follow(hit, (worth / hits[0].score).min(1.0))?;
                taken.resize(self.candidates.len(), false);
            }
        }
        let others = self.candidates.into_iter().zip(taken);
        let others = others.filter(|(_, taken)| !taken);
        let mut others: Vec<(Fused, Option<Via>)> = others
            .map(|(candidate, _)| (candidate.fused, candidate.via))
            .collect();
        others.extend(self.rest.into_values().map(|fused| (fused, None)));
        let by_score = |a: &Fused, b: &Fused| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key));
        others.sort_by(|a, b| by_score(&a.0, &b.0));
        for (fused, via) in others {
            if left.is_spent() {
                break;
            }
            if left.take(self.snapshot.unit(fused.key)?.modality) {
                hits.push(Hit {
                    via,
                    ..hit(self.snapshot, fused)?
                });
            }
        }
        Ok(hits)
    }

    /// Follows the ties of a chosen unit, which was worth `worth`, 0 to 1.
    fn follow(&mut self, hit: &Hit, worth: f32) -> Result<(), EngineError> {
        let mut best: HashMap<UnitKey, Link> = HashMap::new();
        for link in links(
            self.snapshot,
            &self.index,
            (hit.key, &hit.unit),
            &self.terms,
        )? {
            let part = match link.tie {
                Tie::Anchor(_) | Tie::Relation { .. } => Part::Anchors,
                Tie::Reference => Part::References,
                Tie::Neighbour => Part::Neighbours,
            };
            if self.without == Some(part) {
                continue;
            }
            let have = best.get(&link.to).map_or(0.0, |have| have.weight);
            if link.weight > have {
                best.insert(link.to, link);
            }
        }
        let mut best: Vec<Link> = best.into_values().collect();
        best.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.to.cmp(&b.to)));
        best.truncate(TIED);
        self.offer_others(best.iter().map(|link| link.to))?;
        for link in best {
            let weight = link.weight * worth;
            let have = &mut self.candidates[self.at[&link.to]].via;
            if have.as_ref().is_none_or(|have| weight > have.weight) {
                *have = Some(Via {
                    from: hit.key,
                    tie: link.tie,
                    weight,
                });
            }
        }
        if self.without != Some(Part::Relations) {
            self.follow_relations(hit.key, worth)?;
        }
        Ok(())
    }

    /// Follows the relations of a chosen unit, which was worth `worth`, 0 to 1.
    fn follow_relations(&mut self, from: UnitKey, worth: f32) -> Result<(), EngineError> {
        let paths = paths(self.snapshot, &self.index, self.query, from, &self.terms)?;
        self.offer_others(paths.iter().map(|path| path.to))?;
        for path in paths {
            let weight = path.weight * worth;
            let have = &mut self.candidates[self.at[&path.to]].stated;
            if have.as_ref().is_none_or(|have| weight > have.weight) {
                *have = Some(Via {
                    from,
                    tie: path.tie,
                    weight,
                });
            }
        }
        Ok(())
    }

    /// What a candidate is for that its tie has brought.
    fn role(&self, candidate: &Candidate, via: &Via) -> Role {
        let from = self.at.get(&via.from).map(|&at| &self.candidates[at]);
        match via.tie {
            Tie::Anchor(_) | Tie::Relation { .. } => Role::Target,
            // The text that speaks of a figure, not the figure that a text leads to.
            Tie::Reference
                if from.is_none_or(|from| {
                    !from.modality.is_visual() || candidate.modality.is_visual()
                }) =>
            {
                Role::Target
            }
            Tie::Reference | Tie::Neighbour => Role::Support,
        }
    }

    /// The words that a candidate covers well and nothing chosen does, where they are a good part
    /// of the question.
    fn facets(&self, candidate: &Candidate) -> Vec<String> {
        if self.gain(candidate) < FACET {
            return Vec::new();
        }
        let all = self
            .terms
            .iter()
            .zip(candidate.coverage.iter().zip(&self.covered));
        all.filter(|(_, (own, covered))| **own > **covered + 0.2)
            .map(|(term, _)| term.word.clone())
            .collect()
    }
}
