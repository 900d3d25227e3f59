// Turns manual.md into the standalone page manual.html.
//
//   node render.mjs [DESTINATIONS]
//
// DESTINATIONS is the output of `pdfinfo -dests` for an earlier print: with it, the contents get
// their page numbers.
import { readFileSync, writeFileSync } from "node:fs";
import { Marked } from "marked";

const here = (name) => new URL(name, import.meta.url);
const source = readFileSync(here("manual.md"), "utf8");
const css = readFileSync(here("manual.css"), "utf8");
const pages = process.argv[2] ? pageNumbers(readFileSync(process.argv[2], "utf8")) : new Map();

/** The page of each named place in a listing of `pdfinfo -dests`. */
function pageNumbers(listing) {
  const found = listing.matchAll(/^\s*(\d+) \[.*\] "(.+)"$/gm);
  return new Map([...found].map(([, page, name]) => [name, Number(page)]));
}

/** The id that GitHub gives to a heading. */
const slug = (text) => text.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
const idOf = (label) => label.toLowerCase().replace(/[ .]/g, "-");

const places = new Map(
  [...source.matchAll(/^#{2,4} (?:(\d[\d.]*)|(Appendix [A-Z])) .+$/gm)].map(([line, number, appendix]) => [
    appendix ?? `Section ${number}`,
    slug(line.replace(/^#+ /, "")),
  ]),
);
for (const [, label] of source.matchAll(/^\s*\*((?:Figure|Table) \d+)\. /gm)) places.set(label, idOf(label));

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Links "Section 7.2", "Figure 12", "Table 4" and "Appendix A" to what they name. */
const linkReferences = (html) =>
  html.replace(/\b(?:(?:Section|Figure|Table) \d+(?:\.\d+)*|Appendix [A-Z])\b/g, (label) =>
    places.has(label) ? `<a class="ref" href="#${places.get(label)}">${label}</a>` : label,
  );

/** The width at which a figure is printed: all figures have the same scale, 760 units a line. */
function imageTag({ href, text }) {
  const [, width, height] = readFileSync(here(href), "utf8").match(/<svg [^>]*width="(\d+)" height="(\d+)"/);
  return `<img src="${href}" width="${width}" height="${height}" alt="${text}">`;
}

/** The text of a caption paragraph, `*Figure 3. …*`, as [label, rest]. */
function captionOf(token) {
  const inner = token?.type === "paragraph" && token.tokens.length === 1 ? token.tokens[0] : null;
  const match = inner?.type === "em" ? inner.text.match(/^((?:Figure|Table) \d+)\. (.+)$/s) : null;
  return match && [match[1], match[2]];
}

/** Joins a picture with the caption after it, and a table with the caption before it. */
function joinCaptions(tokens) {
  const out = [];
  const rest = tokens.filter((token) => token.type !== "space");
  for (let at = 0; at < rest.length; at += 1) {
    const [token, next] = [rest[at], rest[at + 1]];
    const image = token.type === "paragraph" && token.tokens[0].type === "image" ? token.tokens[0] : null;
    const caption = captionOf(image ? next : token);
    if (image) {
      out.push({ type: "figure", image, caption });
    } else if (caption && (next?.type === "table" || next?.type === "html")) {
      out.push({ type: "captionedTable", table: next, caption });
    } else {
      for (const item of token.items ?? []) item.tokens = joinCaptions(item.tokens);
      out.push(token);
      continue;
    }
    at += caption ? 1 : 0;
  }
  return out;
}

const captionHtml = ([label, rest]) => `<span class="label">${label}.</span> ${linkReferences(rest)}`;

const marked = new Marked({
  gfm: true,
  extensions: [
    {
      name: "figure",
      renderer({ image, caption }) {
        if (!caption) return `<p class="cover">${imageTag(image)}</p>\n`;
        return `<figure id="${idOf(caption[0])}">${imageTag(image)}<figcaption>${captionHtml(caption)}</figcaption></figure>\n`;
      },
    },
    {
      name: "captionedTable",
      renderer({ table, caption }) {
        const html = this.parser.parse([table]);
        return html.replace("<table>", `<table id="${idOf(caption[0])}">\n<caption>${captionHtml(caption)}</caption>`);
      },
    },
  ],
  renderer: {
    heading({ depth, text }) {
      return `<h${depth} id="${slug(text)}">${escape(text)}</h${depth}>\n`;
    },
    blockquote({ tokens, text }) {
      const word = text.match(/^\*\*(WARNING|CAUTION|NOTE)/)[1].toLowerCase();
      return `<div class="callout ${word}">\n${this.parser.parse(tokens)}</div>\n`;
    },
    link({ href, text }) {
      const page = pages.get(href.slice(1));
      const number = page ? `<span class="page">${page}</span>` : "";
      return `<a href="${href}"><span>${escape(text)}</span>${number}</a>`;
    },
    text(token) {
      if (token.tokens) return this.parser.parseInline(token.tokens);
      return linkReferences(token.escaped ? token.text : escape(token.text));
    },
  },
});

const title = source.match(/^# (.+)$/m)[1];
const body = marked.parser(joinCaptions(marked.lexer(source)));
writeFileSync(
  here("manual.html"),
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
${css}</style>
</head>
<body>
${body}</body>
</html>
`,
);
