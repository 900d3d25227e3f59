//! How the evidence hangs together, drawn as SVG: a box for each hit, and an arrow to each target.
//! The ties of others are said below their boxes.
//!
//! The page's own style colours it; a role is also said in words.

use super::layout::{Shape, TURN, layout};
use crate::chain::{leaders, tie};
use catena_document::{BBox, html_text};
use catena_engine::{Hit, Role, Topology};
use console::measure_text_width;

/// Sizes of letters, in pixels: in boxes, and of what stands beside them.
const LARGE: f32 = 13.0;
const SMALL: f32 = 11.0;
/// Width of a box: no less and no more.
const NARROW: f32 = 150.0;
const BROAD: f32 = 200.0;
/// Space around words.
const PAD: f32 = 10.0;
/// From line to line in a box, and below it.
const LEADING: f32 = 18.0;
const CLOSE: f32 = 14.0;
/// Lines in a box.
const LINES: usize = 3;
/// Lines of facets below a box, at most.
const FACET_LINES: usize = 2;
/// The longest name on an arrow.
const NAME: f32 = 160.0;
/// The length and half the height of an arrow's head.
const HEAD: (f32, f32) = (8.0, 4.0);

/// The section of a page.
pub(super) fn section(hits: &[Hit]) -> String {
    if hits.is_empty() {
        return String::new();
    }
    let topology = Topology::of(hits);
    let name = topology.name();
    let means = match topology {
        Topology::Single => "one piece of evidence answers by itself",
        Topology::Bridge => "one piece of evidence leads to another",
        Topology::Synthesis => "several pieces of evidence cover a part each",
    };
    format!(
        "<section aria-labelledby=\"graph\">\n\
         <h2 id=\"graph\">How the evidence hangs together</h2>\n\
         <p>Topology: <strong>{name}</strong>, {means}. The numbers are ranks of what was found, \
         not those of the sources.</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"graph\">\
         {}</div>\n</section>\n",
        svg(hits)
    )
}

/// The drawing.
fn svg(hits: &[Hit]) -> String {
    let cards: Vec<Card> = hits.iter().zip(1..).map(Card::new).collect();
    let width = cards.iter().fold(NARROW, |most, card| most.max(card.width));
    let (mut arrows, mut told) = (leaders(hits), leaders(hits));
    for (at, hit) in hits.iter().enumerate() {
        let other = if hit.role == Role::Target {
            &mut told
        } else {
            &mut arrows
        };
        other[at] = None;
    }
    let notes: Vec<Vec<String>> = (hits.iter().zip(&told))
        .map(|(hit, leader)| notes(hit, *leader, width))
        .collect();
    let below: Vec<f32> = notes
        .iter()
        .map(|lines| lines.len() as f32 * CLOSE)
        .collect();
    let names: Vec<String> = (hits.iter().zip(&arrows))
        .map(|(hit, leader)| leader.map_or_else(String::new, |_| tie_name(hit, NAME)))
        .collect();
    let longest = names
        .iter()
        .fold(0.0_f32, |most, name| most.max(length(name, SMALL)));
    let layout = layout(&Shape {
        leaders: &arrows,
        order: &order(hits),
        size: (width, LINES as f32 * LEADING + PAD),
        below: &below,
        arrow: TURN + PAD + longest + HEAD.0 + TURN,
    });
    let mut drawn = String::new();
    for (way, name) in layout.arrows.iter().zip(&names) {
        drawn.push_str(&way.map_or_else(String::new, |way| arrow(&way, name)));
    }
    for (at, card) in cards.iter().enumerate() {
        drawn.push_str(&card.draw(&layout.boxes[at], hits[at].role));
        drawn.push_str(&lines_below(&layout.boxes[at], &notes[at]));
    }
    // Lines at the edge are drawn whole.
    let (width, height) = (layout.size.0 + 2.0, layout.size.1 + 2.0);
    format!(
        "<svg class=\"graph\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"-1 -1 {width:.0} {height:.0}\">\n{drawn}</svg>"
    )
}

/// The hits in the order in which they are placed: bridges, targets, then the others.
fn order(hits: &[Hit]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..hits.len()).collect();
    order.sort_by_key(|&at| match hits[at].role {
        Role::Bridge => 0,
        Role::Target => 1,
        Role::Direct | Role::Support => 2,
    });
    order
}

/// What a box says.
struct Card {
    number: String,
    kind: String,
    name: String,
    /// The width that it needs.
    width: f32,
}

impl Card {
    fn new((hit, number): (&Hit, usize)) -> Self {
        let unit = &hit.unit;
        let page = unit.page().map(|page| format!(", page {page}"));
        let kind = format!("{}{}", unit.modality.name(), page.unwrap_or_default());
        let headings = unit.heading_path();
        let name = headings
            .last()
            .copied()
            .filter(|heading| !heading.trim().is_empty());
        let name = cut(
            name.unwrap_or(&unit.document_title),
            LARGE,
            BROAD - 2.0 * PAD,
        );
        let number = number.to_string();
        let first = length(&number, LARGE) + PAD + length(&kind, LARGE);
        let width = first.max(length(&name, LARGE)) + 2.0 * PAD;
        Self {
            number,
            kind,
            name,
            width,
        }
    }

    fn draw(&self, place: &BBox, role: Role) -> String {
        let (left, top) = (place.left, place.top);
        let (width, height) = (place.width(), place.height());
        let x = left + PAD;
        let line = |number: usize| top + number as f32 * LEADING;
        let role = role.name();
        let mut out = format!(
            "<rect class=\"{role}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\" rx=\"4\"/>\n"
        );
        out.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\"><tspan class=\"number\">{}</tspan>\
             <tspan dx=\"{PAD:.0}\">{}</tspan></text>\n",
            line(1),
            self.number,
            html_text(&self.kind)
        ));
        out.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text>\n",
            line(2),
            html_text(&self.name)
        ));
        out.push_str(&format!(
            "<text class=\"{role}\" x=\"{x:.1}\" y=\"{:.1}\">{role}</text>\n",
            line(3)
        ));
        out
    }
}

/// What stands below a box: the facets of a hit, and its tie where no arrow shows it.
fn notes(hit: &Hit, leader: Option<usize>, width: f32) -> Vec<String> {
    let room = width - 2.0 * PAD;
    let mut lines = Vec::new();
    if !hit.facets.is_empty() {
        lines = broken(&format!("covers {}", hit.facets.join(", ")), room);
    }
    if let Some(leader) = leader {
        let number = leader + 1;
        let name = tie_name(hit, room - length(&format!("tied to {number}: "), SMALL));
        lines.push(format!("tied to {number}: {name}"));
    }
    lines
}

/// A text in lines, what is too much cut.
fn broken(text: &str, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let full = lines.len() == FACET_LINES;
        let Some(line) = lines.last_mut() else { break };
        let longer = if line.is_empty() {
            word.to_owned()
        } else {
            format!("{line} {word}")
        };
        if full || line.is_empty() || length(&longer, SMALL) <= room {
            *line = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.iter().map(|line| cut(line, SMALL, room)).collect()
}

/// What ties a hit to the one before it, in at most `room` pixels.
fn tie_name(hit: &Hit, room: f32) -> String {
    let tie = tie(hit);
    let name = cut(&tie, SMALL, room - length("\"", SMALL));
    let is_cut = name.ends_with('…') && tie.ends_with('"');
    if is_cut { format!("{name}\"") } else { name }
}

fn lines_below(place: &BBox, lines: &[String]) -> String {
    let line = |(line, number): (&String, u8)| {
        format!(
            "<text class=\"beside\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            place.left + PAD,
            place.bottom + f32::from(number) * CLOSE,
            html_text(line)
        )
    };
    lines.iter().zip(1..).map(line).collect()
}

/// The arrow along a way, with what ties the two hits above it.
fn arrow(way: &[(f32, f32); 4], name: &str) -> String {
    let (x, y) = way[3];
    let (length, half) = HEAD;
    let points: Vec<String> = way.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    format!(
        "<polyline class=\"tie\" points=\"{}\"/>\n\
         <path class=\"tie\" d=\"M{:.1} {:.1} L{x:.1} {y:.1} L{:.1} {:.1} Z\"/>\n\
         <text class=\"beside\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
        points.join(" "),
        x - length,
        y - half,
        x - length,
        y + half,
        way[1].0 + PAD / 2.0,
        y - half - 1.0,
        html_text(name)
    )
}

/// A text in one line of at most `room` pixels, what is cut marked.
fn cut(text: &str, size: f32, room: f32) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if length(&line, size) <= room {
        return line;
    }
    let room = room - length("…", size);
    let mut used = 0.0;
    let fits = line.chars().take_while(|&c| {
        used += advance(c) * size;
        used <= room
    });
    let kept: String = fits.collect();
    format!("{}…", kept.trim_end())
}

/// About how long a text is, in pixels: rather too long, as the reader's letters are not known.
fn length(text: &str, size: f32) -> f32 {
    text.chars().map(|c| advance(c) * size).sum()
}

/// About how wide a letter is, as a part of its size.
fn advance(c: char) -> f32 {
    match c {
        'i' | 'j' | 'l' | 'I' | 't' | 'f' | 'r' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 1.0,
        c if c.is_ascii_lowercase() || c.is_ascii_digit() => 0.63,
        c => match measure_text_width(c.encode_utf8(&mut [0; 4])) {
            0 => 0.0,
            1 => 0.78,
            _ => 1.05,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::tests::{hit, led};
    use resvg::usvg;

    /// Draws hits; the drawing must be whole SVG, with all that it says inside.
    #[track_caller]
    fn check(hits: &[Hit]) -> String {
        let drawn = svg(hits);
        let root = "<svg xmlns=\"http://www.w3.org/2000/svg\" ";
        let file = drawn.replacen("<svg ", root, 1);
        usvg::Tree::from_str(&file, &usvg::Options::default()).expect("SVG");
        assert_eq!(drawn.matches("<rect ").count(), hits.len());
        drawn
    }

    fn with_facets(hit: Hit, facets: &[&str]) -> Hit {
        Hit {
            facets: facets.iter().map(|&facet| facet.to_owned()).collect(),
            ..hit
        }
    }

    #[test]
    fn a_bridge_its_target_and_the_rest() {
        let drawn = check(&[
            hit(1, Role::Bridge),
            led(2, Role::Direct, 1, "film"),
            with_facets(led(3, Role::Target, 1, "tim burton"), &["born", "city"]),
        ]);
        insta::assert_snapshot!(drawn, @r#"
        <svg class="graph" width="423" height="176" viewBox="-1 -1 423 176">
        <polyline class="tie" points="150.0,32.0 162.0,32.0 162.0,32.0 271.0,32.0"/>
        <path class="tie" d="M263.0 28.0 L271.0 32.0 L263.0 36.0 Z"/>
        <text class="beside" x="167.0" y="27.0">&quot;tim burton&quot;</text>
        <rect class="bridge" x="0.0" y="0.0" width="150.0" height="64.0" rx="4"/>
        <text x="10.0" y="18.0"><tspan class="number">1</tspan><tspan dx="10">text, page 1</tspan></text>
        <text x="10.0" y="36.0">Part 1</text>
        <text class="bridge" x="10.0" y="54.0">bridge</text>
        <rect class="direct" x="0.0" y="96.0" width="150.0" height="64.0" rx="4"/>
        <text x="10.0" y="114.0"><tspan class="number">2</tspan><tspan dx="10">text, page 2</tspan></text>
        <text x="10.0" y="132.0">Part 2</text>
        <text class="direct" x="10.0" y="150.0">direct</text>
        <text class="beside" x="10.0" y="174.0">tied to 1: &quot;film&quot;</text>
        <rect class="target" x="271.0" y="0.0" width="150.0" height="64.0" rx="4"/>
        <text x="281.0" y="18.0"><tspan class="number">3</tspan><tspan dx="10">text, page 3</tspan></text>
        <text x="281.0" y="36.0">Part 3</text>
        <text class="target" x="281.0" y="54.0">target</text>
        <text class="beside" x="281.0" y="78.0">covers born, city</text>
        </svg>
        "#);
    }

    #[test]
    fn nothing_of_a_document_is_markup() {
        let bad = "</text></svg><script>alert('1')</script>\u{1b}\u{0}&\"";
        let mut one = with_facets(hit(1, Role::Bridge), &[bad]);
        one.unit.ancestors.clear();
        bad.clone_into(&mut one.unit.document_title);
        let mut two = led(2, Role::Target, 1, bad);
        bad.clone_into(&mut two.unit.ancestors[0].heading);
        let drawn = check(&[one, two]);
        assert!(
            !drawn.contains("<script") && drawn.contains("&lt;/text&gt;"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("</svg>").count(), 1);
        assert!(!drawn.contains(['\u{1b}', '\u{0}']));
    }

    #[test]
    fn long_words_stay_in_their_boxes() {
        for word in ["W", "i", "漢", "Überprüfung "] {
            let long = word.repeat(60);
            let mut one = with_facets(hit(1, Role::Bridge), &[&long, &long]);
            long.clone_into(&mut one.unit.ancestors[0].heading);
            let cards = Card::new((&one, 1));
            assert!(
                cards.name.ends_with('…') && cards.width <= BROAD + 1e-3,
                "{}",
                cards.name
            );
            let lines = broken(&one.facets.join(" "), 130.0);
            assert!(lines.len() <= FACET_LINES, "{lines:?}");
            for line in lines {
                assert!(length(&line, SMALL) <= 130.0, "{line}");
            }
            check(&[one, led(2, Role::Target, 1, &long)]);
        }
    }

    #[test]
    fn nothing_found_draws_nothing() {
        assert_eq!(section(&[]), "");
        assert!(section(&[hit(1, Role::Direct)]).contains("<strong>single</strong>"));
    }
}
