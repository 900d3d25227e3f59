//! Reading the example manual's PDF, and files that are no good PDF.

use catena_document::{Document, LabelKind, Node, NodeId, NodeKind, caption_label, units};
use catena_parse::{Pages, ParseError, ParseOptions, Parsed, Source, parse};
use std::fmt::Write as _;
use std::path::PathBuf;

fn example(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name);
    std::fs::read(path).unwrap()
}

fn read(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let source = Source {
        uri: "manual.pdf",
        bytes,
        resolve: &|_| None,
    };
    parse(&source, &ParseOptions::default())
}

fn manual() -> Document {
    read(&example("manual.pdf")).unwrap().document
}

fn of_kind(document: &Document, wanted: impl Fn(&NodeKind) -> bool) -> Vec<&Node> {
    document
        .nodes
        .iter()
        .filter(|node| wanted(&node.kind))
        .collect()
}

#[test]
fn headings_have_their_levels_and_pages() {
    let document = manual();
    assert_eq!(document.title, "Kestrane Tarn Service Manual");
    assert_eq!(document.language.as_deref(), Some("en"));
    assert_eq!(document.pages.len(), 23);
    let mut out = String::new();
    for node in &document.nodes {
        if let NodeKind::SectionHeader { level } = node.kind {
            let indent = "  ".repeat(usize::from(level) - 1);
            let _ = writeln!(out, "{indent}{} p{}", node.text, node.page().unwrap());
        }
    }
    insta::assert_snapshot!(out, @"
    Contents p2
    1 Safety p3
      1.1 Signal words p3
      1.2 Hazards p3
      1.3 Who may do this work p3
      1.4 Isolate the machine p3
    2 Overview p4
      2.1 Models and rating plate p4
      2.2 Main parts p4
      2.3 Inside the machine p4
      2.4 How the machine works p5
    3 Technical data p6
      3.1 Data sheet p6
      3.2 Pump p6
      3.3 Sensors p7
    4 Installation p7
      4.1 Place p7
      4.2 Water p7
        4.2.1 Water quality p7
        4.2.2 Connecting the water and the drain p8
      4.3 Electrical connection p8
      4.4 First filling p8
    5 Operation p9
      5.1 Controls p9
      5.2 Display messages p9
      5.3 Service menu p9
        5.3.1 Opening the service menu p9
        5.3.2 Parameters p10
      5.4 Pressure during an extraction p10
    6 Maintenance p11
      6.1 Schedule p11
      6.2 Replace the filter cartridge p11
      6.3 Descale the steam boiler p12
      6.4 Replace the group gasket and the screen p12
    7 Repair p13
      7.1 Open the housing p13
      7.2 Replace the pump p13
      7.3 Bleed the circuit p14
      7.4 Set the pump pressure p15
      7.5 Calibrate the pressure sensor p15
      7.6 Replace a heating element p16
        7.6.1 Removing the element p16
        7.6.2 Fitting the element p17
      7.7 Clean or replace a group valve p17
    8 Fault finding p18
      8.1 Fault codes p18
      8.2 Faults without a code p19
      8.3 Resistances p19
    9 Spare parts p20
      9.1 Pump unit p20
      9.2 Other parts p21
    10 Wiring p22
    Appendix A Tightening torques p23
    Appendix B Consumables and special tools p23
    ");
}

#[test]
fn every_figure_and_table_has_its_own_caption() {
    let document = manual();
    let mut out = String::new();
    let mut seen = (Vec::new(), Vec::new());
    for node in of_kind(&document, |kind| {
        matches!(kind, NodeKind::Picture(_) | NodeKind::Table(_))
    }) {
        let caption = document
            .children(node.id)
            .find(|child| child.kind == NodeKind::Caption);
        let caption = caption.map_or("", |caption| caption.text.as_str());
        if let Some(label) = caption_label(caption) {
            let is_table = matches!(node.kind, NodeKind::Table(_));
            assert_eq!(label.kind == LabelKind::Table, is_table, "{caption}");
            let list = if is_table { &mut seen.1 } else { &mut seen.0 };
            list.push(label.number.parse::<u32>().unwrap());
        }
        let kind = match &node.kind {
            NodeKind::Table(table) => format!("table {}×{}", table.rows, table.columns),
            _ => "figure".to_owned(),
        };
        let _ = writeln!(out, "p{} {kind}: {caption}", node.page().unwrap());
    }
    insta::assert_snapshot!(out, @"
    p1 figure: 
    p3 table 4×2: Table 1. Signal words
    p3 table 5×4: Table 2. Who may do which work
    p4 figure: Figure 1. Main parts of the Tarn 2
    p4 table 13×3: Table 3. Key to Figure 1
    p5 figure: Figure 2. Inside the Tarn 2, seen from the rear; the left side of the machine is at the right (B3 level probe, VB vacuum breaker, Y2 and Y3 group valves)
    p5 figure: Figure 3. Hydraulic circuit of the Tarn 2
    p6 table 20×5: Table 4. Technical data
    p6 figure: Figure 4. Pump characteristic, bypass closed, water of 20 °C
    p7 table 6×4: Table 5. Sensor values
    p7 figure: Figure 5. Dimensions and clearances of the Tarn 2 in millimetres
    p7 table 6×3: Table 6. Water quality and capacity of the filter cartridge
    p8 figure: Figure 6. Water and drain connection
    p9 figure: Figure 7. Control panel of the Tarn 2
    p9 table 11×3: Table 7. Key to Figure 7
    p9 table 9×3: Table 8. Display messages
    p10 table 10×4: Table 9. Parameters and programs of the service menu
    p10 figure: Figure 8. Pressure during an extraction of 27 seconds
    p11 table 11×7: Table 10. Maintenance schedule
    p11 figure: Figure 9. Changing the filter cartridge
    p12 figure: Figure 10. Group gasket and screen
    p13 figure: Figure 11. Opening the housing
    p14 figure: Figure 12. Removing the pump
    p15 figure: Figure 13. Bleeding the coffee boiler
    p16 figure: Figure 14. Calibrating the pressure sensor: A test gauge, B parameter P7, C signal at connector X4
    p17 figure: Figure 15. Replacing a heating element (steam boiler, R2)
    p17 figure: Figure 16. Group valve, exploded
    p18 table 20×4: Table 11. Fault codes
    p19 table 9×3: Table 12. Faults without a code
    p19 table 7×3: Table 13. Resistances at 20 °C, tolerance ± 10 %
    p20 figure: Figure 17. Pump unit, exploded view
    p20 table 16×4: Table 14. Parts of the pump unit (Figure 17)
    p21 table 21×4: Table 15. Other spare parts
    p22 figure: Figure 18. Wiring diagram of the Tarn 2, 400 V 2N~
    p22 table 14×4: Table 16. Connectors of controller A1
    p23 table 18×3: Table 17. Tightening torques
    p23 table 7×3: Table 18. Consumables and special tools
    ");
    let all: Vec<u32> = (1..=18).collect();
    assert_eq!(seen, (all.clone(), all));
}

/// A subtree as indented text.
fn show(document: &Document, id: NodeId, depth: usize, out: &mut String) {
    let node = document.node(id).unwrap();
    let kind = match &node.kind {
        NodeKind::SectionHeader { level } => format!("h{level}"),
        NodeKind::Step { marker } => format!("step {marker}"),
        NodeKind::ListItem { marker } => format!("item {marker}"),
        NodeKind::Table(_) => "table".to_owned(),
        NodeKind::Picture(_) => "picture".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    };
    let text: String = node.text.chars().take(60).collect();
    let _ = writeln!(
        out,
        "{}{kind} {}",
        "  ".repeat(depth),
        text.replace('\n', " / ")
    );
    for &child in &node.children {
        show(document, child, depth + 1, out);
    }
}

#[test]
fn a_procedure_keeps_its_steps_figures_and_notes() {
    let document = manual();
    let section = of_kind(&document, |kind| {
        matches!(kind, NodeKind::SectionHeader { .. })
    })
    .into_iter()
    .find(|node| node.text == "7.2 Replace the pump")
    .unwrap();
    let mut out = String::new();
    show(&document, section.id, 0, &mut out);
    insta::assert_snapshot!(out, @"
    h2 7.2 Replace the pump
      text Part: pump kit KT-3029, which holds items 2, 4 and 9 of Figu
      text WARNING: Electric shock and scalding. Isolate the machine an
      list 
        step 1. Take off the left side panel, see Section 7.1.
        step 2. Put a cloth under the pump. Unscrew the union of the outlet 
        step 3. Unscrew the union of the inlet hose and pull the hose off (B
        step 4. Mark the position of the pump on the motor with a felt pen.
        step 5. Loosen the clamp-ring screw by four turns with the hex key (
        step 6. Pull the pump straight off the motor (D).
          picture Clamp ring / Outlet pipe / Motor M1 / C / A / Bypass cap / D / B / Pump / Inle
            caption Figure 12. Removing the pump
        step 7. Pull the old coupling insert out of the motor shaft and push
        step 8. Move the inlet fitting (item 10) and the outlet fitting (ite
          text NOTE: Turn the shaft of the new pump by hand before you fit 
        step 9. Push the new pump onto the motor so that its flat shaft goes
        step 10. Tighten the clamp-ring screw to 4 N·m.
        step 11. Connect the inlet hose and the outlet pipe and tighten their
        step 12. Open the mains tap V1 and check for leaks. Then bleed the ci
      pagefooter 13
      pagefooter KM-4210-EN, revision C
      pageheader Kestrane Tarn Service Manual
    ");
}

#[test]
fn a_table_has_its_cells_and_headers() {
    let document = manual();
    let table = |caption: &str| {
        let found = document.nodes.iter().find(|node| {
            let mut children = document.children(node.id);
            children.any(|child| child.kind == NodeKind::Caption && child.text.starts_with(caption))
        });
        match &found.unwrap().kind {
            NodeKind::Table(table) => table.clone(),
            other => panic!("{other:?}"),
        }
    };
    let faults = table("Table 11.");
    let e4 = (0..faults.rows)
        .map(|row| faults.row_text(row))
        .find(|row| row.contains("E4"));
    insta::assert_snapshot!(e4.unwrap(), @"E4 | Pump pressure too low | Pressure swings: air in the circuit | Bleed the circuit, see Section 7.3.");
    insta::assert_snapshot!(table("Table 4.").markdown(), @r"
    | Property |  | Tarn 1 | Tarn 2 |  |
    | --- | --- | --- | --- | --- |
    |  |  |  | 230 V | 400 V |
    | Size | Width × depth × height | 340 × 540 × 497 mm | 720 × 540 × 497 mm |  |
    |  | Mass, empty | 39 kg | 64 kg |  |
    |  | Groups | 1 | 2 |  |
    | Electricity | Supply, 50/60 Hz | 230 V 1N\~ |  | 400 V 2N\~ |
    |  | Power | 2.9 kW | 4.6 kW |  |
    |  | Fuse on site | 16 A | 25 A | 2 × 16 A |
    |  | Supply cable | 3 × 1.5 mm² | 3 × 4 mm² | 4 × 2.5 mm² |
    | Coffee boiler | Volume | 0.8 L | 1.6 L |  |
    |  | Heating element R1 | 1200 W | 1600 W |  |
    |  | Temperature | 88 to 96 °C, set at the factory to 93 °C |  |  |
    | Steam boiler | Volume | 2.5 L | 6.0 L |  |
    |  | Heating element R2 | 1500 W | 2800 W |  |
    |  | Temperature and pressure | 123 °C, 1.2 bar |  |  |
    |  | Safety valve SV opens at | 1.8 bar |  |  |
    | Water | Pump pressure | 9.0 bar ± 0.2 bar |  |  |
    |  | Expansion valve EV opens at | 12 bar |  |  |
    |  | Mains pressure | 1.5 to 6 bar |  |  |
    |  | Tank | 4 L | none |  |
    ");
}

#[test]
fn every_place_lies_on_its_page_and_in_its_text() {
    let document = manual();
    for node in &document.nodes {
        for place in &node.provenance {
            let page = &document.pages[place.page as usize - 1];
            let bbox = place.bbox;
            let inside = bbox.left >= -1.0
                && bbox.top >= -1.0
                && bbox.right <= page.width + 1.0
                && bbox.bottom <= page.height + 1.0;
            assert!(inside, "{bbox:?} {}", node.text);
            let span = place.char_span.start as usize..place.char_span.end as usize;
            assert!(
                node.text.get(span.clone()).is_some(),
                "{span:?} of {:?}",
                node.text
            );
        }
    }
    assert!(!units(&document).is_empty());
}

#[test]
fn pages_and_crops_are_drawn() {
    let pages = Pages::open(&example("manual.pdf"), None).unwrap();
    assert_eq!(pages.count(), 23);
    let page = pages.draw(14, 1.0).unwrap();
    assert_eq!(page.size(), (594, 841));
    let png = page.png();
    assert!(png.starts_with(b"\x89PNG"));
    let whole = catena_document::BBox::new(0.0, 0.0, 595.0, 842.0);
    let crop = page
        .crop_png(&catena_document::BBox::new(95.0, 132.0, 418.0, 320.0))
        .unwrap();
    assert!(crop.len() < page.crop_png(&whole).unwrap().len());
    assert!(
        page.crop_png(&catena_document::BBox::new(700.0, 0.0, 800.0, 10.0))
            .is_none()
    );
    assert!(pages.draw(24, 1.0).is_none() && pages.draw(0, 1.0).is_none());
}

#[test]
fn bad_files_are_errors() {
    let check = |bytes: &[u8], expected: &str| {
        let error = read(bytes).unwrap_err().to_string();
        assert_eq!(error, expected);
    };
    let good = example("manual.pdf");
    check(b"", "not a kind of file that is read");
    check(
        b"%PDF-1.7\n",
        "the file is damaged: no pages can be found in it",
    );
    check(
        &good[..200],
        "the file is damaged: no pages can be found in it",
    );
    check(&[0, 1, 2, 3, 255], "not a kind of file that is read");
}

#[test]
fn a_truncated_file_keeps_what_can_be_read() {
    let good = example("manual.pdf");
    let cut = &good[..good.len() * 2 / 3];
    match read(cut) {
        Ok(parsed) => assert!(!parsed.document.nodes.is_empty()),
        Err(error) => assert!(matches!(
            error,
            ParseError::Damaged(_) | ParseError::NoEvidence
        )),
    }
}

/// Bytes changed at random never make it panic.
#[test]
fn broken_bytes_never_panic() {
    let good = example("manual.pdf");
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for _ in 0..8 {
        let mut bytes = good.clone();
        for _ in 0..200 {
            let at = random() as usize % bytes.len();
            bytes[at] = random() as u8;
        }
        let _ = read(&bytes);
    }
}
