//! The page as a tree of elements and text.

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, QualName, ns};
use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

/// Attributes that a second `<body>` or `<html>` may add to the first.
const MAX_MERGED_ATTRS: usize = 64;

/// A node of the page: its index in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DomId(u32);

impl DomId {
    /// The page itself.
    pub(super) const ROOT: Self = Self(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A page's tree. Nodes refer to each other by index, so that neither a walk nor dropping the tree
/// needs a call stack as deep as the page.
pub(super) struct Dom {
    nodes: Vec<DomNode>,
}

struct DomNode {
    parent: Option<DomId>,
    before: Option<DomId>,
    after: Option<DomId>,
    first: Option<DomId>,
    last: Option<DomId>,
    /// Depth when it was put in its place; nodes moved later may be off by a few.
    depth: u16,
    data: Data,
}

enum Data {
    Element(Box<Element>),
    Text(StrTendril),
    /// The document, a comment or the like.
    Other,
}

/// An element's name and attributes.
pub(super) struct Element {
    name: QualName,
    attrs: Vec<Attribute>,
}

/// A step of a walk over a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// An element begins, or a text stands here.
    Open(DomId),
    /// An element ends.
    Close(DomId),
}

impl Dom {
    fn new() -> Self {
        let mut dom = Self { nodes: Vec::new() };
        dom.add(Data::Other);
        dom
    }

    /// How many nodes there are, detached ones included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn parent(&self, id: DomId) -> Option<DomId> {
        self.nodes[id.index()].parent
    }

    /// The elements around a node, from its parent outwards.
    pub(super) fn ancestors(&self, id: DomId) -> impl Iterator<Item = DomId> {
        std::iter::successors(self.parent(id), |&above| self.parent(above))
    }

    pub(super) fn children(&self, id: DomId) -> impl Iterator<Item = DomId> {
        let first = self.nodes[id.index()].first;
        std::iter::successors(first, |&child| self.nodes[child.index()].after)
    }

    /// The element before a node, below the same parent.
    pub(super) fn element_before(&self, id: DomId) -> Option<DomId> {
        let before = self.nodes[id.index()].before;
        std::iter::successors(before, |&other| self.nodes[other.index()].before)
            .find(|&other| self.is_element(other))
    }

    pub(super) fn is_element(&self, id: DomId) -> bool {
        matches!(self.nodes[id.index()].data, Data::Element(_))
    }

    /// An element's name in lower case (SVG keeps its own case); empty for anything else.
    pub(super) fn name(&self, id: DomId) -> &str {
        match &self.nodes[id.index()].data {
            Data::Element(element) => &element.name.local,
            _ => "",
        }
    }

    /// Whether an element is of HTML, not of SVG or a formula.
    pub(super) fn is_html(&self, id: DomId) -> bool {
        matches!(&self.nodes[id.index()].data, Data::Element(element) if element.name.ns == ns!(html))
    }

    /// A text's characters; `None` for anything else.
    pub(super) fn text(&self, id: DomId) -> Option<&str> {
        match &self.nodes[id.index()].data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An attribute's value.
    pub(super) fn attr(&self, id: DomId, name: &str) -> Option<&str> {
        let attrs = self.raw_attrs(id);
        let attr = attrs.iter().find(|attr| &*attr.name.local == name)?;
        Some(&attr.value)
    }

    /// An attribute's value, unless it is blank.
    pub(super) fn filled_attr(&self, id: DomId, name: &str) -> Option<&str> {
        let value = self.attr(id, name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// An element's attributes with their prefixes: prefix (or nothing), name, value.
    pub(super) fn qualified_attrs(&self, id: DomId) -> impl Iterator<Item = (&str, &str, &str)> {
        self.raw_attrs(id).iter().map(|attr| {
            let prefix = attr.name.prefix.as_deref().unwrap_or_default();
            (prefix, &*attr.name.local, &*attr.value)
        })
    }

    fn raw_attrs(&self, id: DomId) -> &[Attribute] {
        match &self.nodes[id.index()].data {
            Data::Element(element) => &element.attrs,
            _ => &[],
        }
    }

    /// The words of `class`.
    pub(super) fn classes(&self, id: DomId) -> impl Iterator<Item = &str> {
        self.attr(id, "class").unwrap_or("").split_whitespace()
    }

    pub(super) fn has_class(&self, id: DomId, class: &str) -> bool {
        self.classes(id).any(|token| token == class)
    }

    /// Whether `role` is one of these.
    pub(super) fn has_role(&self, id: DomId, roles: &[&str]) -> bool {
        self.attr(id, "role")
            .is_some_and(|role| role.split_whitespace().any(|word| roles.contains(&word)))
    }

    /// The subtree of `id` in reading order. [`Edges::skip_below`] leaves out what is below the element
    /// opened last.
    pub(super) fn edges(&self, id: DomId) -> Edges<'_> {
        Edges {
            dom: self,
            root: id,
            next: Some(Edge::Open(id)),
        }
    }

    /// The elements and texts of a subtree, itself first.
    pub(super) fn subtree(&self, id: DomId) -> impl Iterator<Item = DomId> {
        self.edges(id).filter_map(|edge| match edge {
            Edge::Open(id) => Some(id),
            Edge::Close(_) => None,
        })
    }

    /// All text below, as it stands.
    pub(super) fn raw_text(&self, id: DomId) -> String {
        self.subtree(id).filter_map(|id| self.text(id)).collect()
    }

    fn add(&mut self, data: Data) -> DomId {
        let id = DomId(self.nodes.len() as u32);
        self.nodes.push(DomNode {
            parent: None,
            before: None,
            after: None,
            first: None,
            last: None,
            depth: 0,
            data,
        });
        id
    }

    /// Takes a node out of its place.
    fn detach(&mut self, id: DomId) {
        let node = &mut self.nodes[id.index()];
        let (parent, before, after) = (node.parent.take(), node.before.take(), node.after.take());
        match before {
            Some(before) => self.nodes[before.index()].after = after,
            None => {
                if let Some(parent) = parent {
                    self.nodes[parent.index()].first = after;
                }
            }
        }
        match after {
            Some(after) => self.nodes[after.index()].before = before,
            None => {
                if let Some(parent) = parent {
                    self.nodes[parent.index()].last = before;
                }
            }
        }
    }

    /// Puts a node below `parent`, before `after` or at the end.
    fn insert(&mut self, id: DomId, parent: DomId, after: Option<DomId>) {
        self.detach(id);
        let before = match after {
            Some(after) => self.nodes[after.index()].before,
            None => self.nodes[parent.index()].last,
        };
        let depth = self.nodes[parent.index()].depth.saturating_add(1);
        let node = &mut self.nodes[id.index()];
        (node.parent, node.before, node.after) = (Some(parent), before, after);
        node.depth = depth;
        match before {
            Some(before) => self.nodes[before.index()].after = Some(id),
            None => self.nodes[parent.index()].first = Some(id),
        }
        match after {
            Some(after) => self.nodes[after.index()].before = Some(id),
            None => self.nodes[parent.index()].last = Some(id),
        }
    }

    /// Puts text below `parent`, joined with the text before its place.
    fn insert_text(&mut self, text: StrTendril, parent: DomId, after: Option<DomId>) {
        let before = match after {
            Some(after) => self.nodes[after.index()].before,
            None => self.nodes[parent.index()].last,
        };
        if let Some(before) = before
            && let Data::Text(joined) = &mut self.nodes[before.index()].data
        {
            joined.push_tendril(&text);
            return;
        }
        let id = self.add(Data::Text(text));
        self.insert(id, parent, after);
    }
}

/// A walk over a subtree without recursion.
pub(super) struct Edges<'a> {
    dom: &'a Dom,
    root: DomId,
    next: Option<Edge>,
}

impl Edges<'_> {
    /// Leaves out what is below `id`, which has just been opened, and its end.
    pub(super) fn skip_below(&mut self, id: DomId) {
        self.next = self.after(id);
    }

    /// What follows the end of `id`.
    fn after(&self, id: DomId) -> Option<Edge> {
        if id == self.root {
            return None;
        }
        match self.dom.nodes[id.index()].after {
            Some(after) => Some(Edge::Open(after)),
            None => self.dom.parent(id).map(Edge::Close),
        }
    }
}

impl Iterator for Edges<'_> {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        let edge = self.next?;
        self.next = match edge {
            Edge::Open(id) => match self.dom.nodes[id.index()].first {
                Some(first) => Some(Edge::Open(first)),
                None => Some(Edge::Close(id)),
            },
            Edge::Close(id) => self.after(id),
        };
        Some(edge)
    }
}

/// What the tree builder of html5ever writes to.
pub(super) struct Sink {
    dom: RefCell<Dom>,
    depth: Cell<u16>,
}

impl Sink {
    pub(super) fn new() -> Self {
        Self {
            dom: RefCell::new(Dom::new()),
            depth: Cell::new(0),
        }
    }

    /// The depth of the place where the builder stands.
    pub(super) fn depth(&self) -> u16 {
        self.depth.get()
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.dom.borrow().len()
    }

    fn put(&self, child: NodeOrText<DomId>, parent: DomId, after: Option<DomId>) {
        let mut dom = self.dom.borrow_mut();
        let parent_depth = dom.nodes[parent.index()].depth;
        match child {
            NodeOrText::AppendNode(id) => {
                dom.insert(id, parent, after);
                self.depth.set(parent_depth.saturating_add(1));
            }
            NodeOrText::AppendText(text) => {
                dom.insert_text(text, parent, after);
                self.depth.set(parent_depth);
            }
        }
    }
}

impl TreeSink for Sink {
    type Handle = DomId;
    type Output = Dom;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Dom {
        self.dom.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> DomId {
        DomId::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a DomId) -> Ref<'a, QualName> {
        Ref::map(self.dom.borrow(), |dom| {
            match &dom.nodes[target.index()].data {
                Data::Element(element) => &element.name,
                // The builder asks only for names of elements that it made.
                _ => unreachable!("only elements have names"),
            }
        })
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> DomId {
        let element = Box::new(Element { name, attrs });
        self.dom.borrow_mut().add(Data::Element(element))
    }

    fn create_comment(&self, _: StrTendril) -> DomId {
        self.dom.borrow_mut().add(Data::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> DomId {
        self.dom.borrow_mut().add(Data::Other)
    }

    fn append(&self, parent: &DomId, child: NodeOrText<DomId>) {
        self.put(child, *parent, None);
    }

    fn append_based_on_parent_node(
        &self,
        element: &DomId,
        before: &DomId,
        child: NodeOrText<DomId>,
    ) {
        if self.dom.borrow().parent(*element).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(before, child);
        }
    }

    fn append_before_sibling(&self, sibling: &DomId, child: NodeOrText<DomId>) {
        let parent = self.dom.borrow().parent(*sibling);
        if let Some(parent) = parent {
            self.put(child, parent, Some(*sibling));
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn pop(&self, node: &DomId) {
        let depth = self.dom.borrow().nodes[node.index()].depth;
        self.depth.set(depth.saturating_sub(1));
    }

    /// A template's content stays below it: templates are left out whole.
    fn get_template_contents(&self, target: &DomId) -> DomId {
        *target
    }

    fn same_node(&self, x: &DomId, y: &DomId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &DomId, attrs: Vec<Attribute>) {
        let mut dom = self.dom.borrow_mut();
        let Data::Element(element) = &mut dom.nodes[target.index()].data else {
            return;
        };
        for attr in attrs {
            let known = element.attrs.iter().any(|have| have.name == attr.name);
            if !known && element.attrs.len() < MAX_MERGED_ATTRS {
                element.attrs.push(attr);
            }
        }
    }

    fn remove_from_parent(&self, target: &DomId) {
        self.dom.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &DomId, new_parent: &DomId) {
        let mut dom = self.dom.borrow_mut();
        while let Some(child) = dom.nodes[node.index()].first {
            dom.insert(child, *new_parent, None);
        }
    }
}
