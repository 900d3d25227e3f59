// Checks manual.md, its figures and questions.jsonl against each other; exits 1 with what is wrong.
//
//   node check.mjs [--list]     --list prints every cross-reference with what it points to
import { existsSync, readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const lines = read("manual.md").split("\n");
const problems = [];
const places = new Map(); // "Figure 3" → its title
const headings = [];
const svgOf = new Map(); // "Figure 3" → its drawing
const tableOf = new Map(); // "Table 3" → its lines

// Headings: each number follows the one before it.
let counts = [0, 0, 0];
lines.forEach((line, at) => {
  const [, marks, number, appendix, title] = line.match(/^(#{2,4}) (?:(\d[\d.]*)|(Appendix [A-Z])) (.+)$/) ?? [];
  if (!marks) return;
  const depth = marks.length - 2;
  counts = counts.map((count, level) => (level < depth ? count : level === depth ? count + 1 : 0));
  if (number && number !== counts.slice(0, depth + 1).join(".")) problems.push(`line ${at + 1}: heading ${number} is out of order`);
  places.set(appendix ?? `Section ${number}`, title);
  headings.push({ depth, text: line.replace(/^#+ /, "") });
});

// Captions: numbered in order, a picture before each figure's, a table after each table's.
const next = { Figure: 1, Table: 1 };
lines.forEach((line, at) => {
  const [, kind, number, title] = line.match(/^\s*\*(Figure|Table) (\d+)\. (.+)\*$/) ?? [];
  if (!kind) return;
  const label = `${kind} ${number}`;
  if (Number(number) !== next[kind]++) problems.push(`line ${at + 1}: ${label} is out of order`);
  places.set(label, title);
  if (kind === "Figure") {
    const [, path] = lines[at - 2].match(/^\s*!\[.+\]\((figures\/[\w-]+\.svg)\)$/) ?? [];
    if (path && existsSync(new URL(path, import.meta.url))) svgOf.set(label, read(path));
    else problems.push(`line ${at + 1}: no picture above ${label}`);
  } else {
    const from = at + 2;
    const length = lines.slice(from).findIndex((text) => text === "");
    tableOf.set(label, lines.slice(from, length < 0 ? undefined : from + length));
    if (!/^(\||<table>)/.test(lines[from])) problems.push(`line ${at + 1}: no table below ${label}`);
  }
});

// Contents: the two upper levels of headings, in order.
const slug = (text) => text.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
const contents = lines.filter((line) => /^ *- \[/.test(line));
const expected = headings.filter(({ depth }) => depth < 2).map(({ depth, text }) => `${"  ".repeat(depth)}- [${text}](#${slug(text)})`);
expected.forEach((line, at) => {
  if (contents[at] !== line) problems.push(`contents: expected \`${line}\`, found \`${contents[at]}\``);
});
if (contents.length !== expected.length) problems.push("contents: wrong number of lines");

// References: each points to a place; each figure and table is referred to.
const used = new Set();
lines.forEach((line, at) => {
  const own = line.match(/^\s*\*((?:Figure|Table) \d+)\./)?.[1];
  for (const [label] of line.matchAll(/(?:Section|Figure|Table) \d+(?:\.\d+)*|Appendix [A-Z]/g)) {
    if (line.startsWith("#") || /^ *- \[/.test(line) || label === own) continue;
    if (!places.has(label)) problems.push(`line ${at + 1}: ${label} does not exist`);
    used.add(label);
    if (process.argv.includes("--list")) console.log(`${at + 1}: ${label} (${places.get(label)}) in: ${line.trim().slice(0, 150)}`);
  }
});
for (const label of svgOf.keys()) if (!used.has(label)) problems.push(`nothing refers to ${label}`);

// Callouts: the numbers of a key or parts list are those of its drawing.
const callouts = (svg) => new Set([...svg.matchAll(/class="n"[^>]*>(\d+)</g)].map(([, number]) => number));
for (const [table, figure] of [["Table 3", "Figure 1"], ["Table 7", "Figure 7"], ["Table 14", "Figure 17"]]) {
  const drawn = [...callouts(svgOf.get(figure))].sort().join();
  const listed = tableOf.get(table).flatMap((row) => row.match(/^\| (\d+) \|/)?.[1] ?? []).sort().join();
  if (drawn !== listed) problems.push(`${table} lists ${listed}; ${figure} has ${drawn}`);
}
lines.forEach((line, at) => {
  for (const [, number, figure] of line.matchAll(/(?:items?|\() ?(\d+) (?:in|of) (Figure \d+)/g))
    if (!callouts(svgOf.get(figure)).has(number)) problems.push(`line ${at + 1}: ${figure} has no item ${number}`);
});

// Part numbers and torques of the text: each is in its table.
const parts = ["Table 14", "Table 15", "Table 18"].flatMap((table) => tableOf.get(table)).join("\n");
const torques = tableOf.get("Table 17").join("\n");
lines.forEach((line, at) => {
  for (const [part] of line.matchAll(/KT-\d{4}/g)) if (!parts.includes(part)) problems.push(`line ${at + 1}: ${part} is in no parts list`);
  for (const [torque] of line.matchAll(/\d[\d.]* N·m/g))
    if (!torques.includes(` ${torque}`) && !torques.includes(` ${torque.split(" ")[0]}, then`)) problems.push(`line ${at + 1}: ${torque} is not in Table 17`);
});

// Questions: their gold places exist.
const questions = read("questions.jsonl").trim().split("\n").map((line) => JSON.parse(line));
for (const { id, sections, figures, tables } of questions) {
  const labels = [
    ...sections.map((number) => (/^[A-Z]$/.test(number) ? `Appendix ${number}` : `Section ${number}`)),
    ...figures.map((number) => `Figure ${number}`),
    ...tables.map((number) => `Table ${number}`),
  ];
  for (const label of labels) if (!places.has(label)) problems.push(`question ${id}: ${label} does not exist`);
}

console.log(`${headings.length} headings, ${svgOf.size} figures, ${tableOf.size} tables, ${used.size} places referred to, ${questions.length} questions`);
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
