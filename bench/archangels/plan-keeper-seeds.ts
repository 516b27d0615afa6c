import type { Seed } from "./seed.ts";

export const planKeeperSeeds: readonly Seed[] = [
  {
    name: "a rate limit that nobody asked for",
    step: "sign-in",
    path: "src/session.js",
    expected: ["off_plan"],
    hunk: `
 import { sign } from "./cookie.js";
 
 export const open = (user) => sign({ user, at: Date.now() });
+
!export class SlidingWindowLimiter {
+  constructor(most, perMs) {
+    this.most = most;
+    this.perMs = perMs;
+    this.hits = new Map();
+  }
+  allows(address) {
+    const now = Date.now();
+    const kept = (this.hits.get(address) ?? []).filter((at) => now - at < this.perMs);
+    this.hits.set(address, [...kept, now]);
+    return kept.length < this.most;
+  }
+}
`,
  },
  {
    name: "the page is moved to another framework",
    step: "page",
    path: "src/page.js",
    expected: ["off_plan"],
    hunk: `
-import { escape } from "./escape.js";
-
-export const page = (note) => \`<h1>\${escape(note.title)}</h1><p>\${escape(note.text)}</p>\`;
!import { html, render } from "lit";
+
+export const page = (note, root) => render(html\`<h1>\${note.title}</h1><p>\${note.text}</p>\`, root);
`,
  },
  {
    name: "somebody else's step is done in passing",
    step: "store",
    path: "src/notes.js",
    expected: ["completes_step"],
    hunk: `
 import { database } from "./database.js";
 
 export const notesOf = (user) => database.all("SELECT * FROM notes WHERE user = ?", user);
+
!export function exportMarkdown(user) {
+  return notesOf(user)
+    .map(({ title, text }) => \`# \${title}\\n\\n\${text}\\n\`)
+    .join("\\n");
+}
`,
  },
  {
    name: "a column that old databases do not have",
    step: "share",
    path: "src/share.js",
    expected: ["missing_step"],
    hunk: `
+import { randomBytes } from "node:crypto";
 import { database } from "./database.js";
 
+export function share(note) {
+  const token = randomBytes(24).toString("base64url");
!  database.run("UPDATE notes SET share_token = ? WHERE id = ?", token, note);
+  return token;
+}
`,
  },
  {
    name: "a link that cannot be taken back",
    step: "share",
    path: "src/link.js",
    expected: ["risk", "missing_step"],
    hunk: `
+import { createHmac } from "node:crypto";
+
+/** Links are made of the note's id and the key of the server alone; nothing is stored. */
!export const tokenOf = (note, key) => createHmac("sha256", key).update(note).digest("base64url");
`,
  },
  {
    name: "clean: a helper that the step needs",
    step: "page",
    path: "src/escape.js",
    expected: [],
    hunk: `
+const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
+
+export const escape = (text) => text.replace(/[&<>"]/g, (sign) => signs[sign]);
`,
  },
  {
    name: "clean: the export as it was planned",
    step: "export",
    path: "src/export.js",
    expected: [],
    hunk: `
+import { notesOf } from "./notes.js";
+
+export const exportAll = (user) =>
+  notesOf(user)
+    .map(({ title, text }) => \`# \${title}\\n\\n\${text}\\n\`)
+    .join("\\n");
`,
  },
  {
    name: "clean: half of a step, still at work",
    step: "store",
    path: "src/write-note.js",
    expected: [],
    hunk: `
+import { database } from "./database.js";
+
+// Reading comes next.
+export const writeNote = (user, title, text) =>
+  database.run("INSERT INTO notes (user, title, text) VALUES (?, ?, ?)", user, title, text);
`,
  },
];
