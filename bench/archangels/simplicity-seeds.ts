import type { Seed } from "./seed.ts";

export const simplicitySeeds: readonly Seed[] = [
  {
    name: "what the platform has is written anew",
    step: "share",
    path: "src/random-id.js",
    expected: ["risk"],
    hunk: `
 import { randomBytes } from "node:crypto";
 
!export function newId() {
+  const hex = [...randomBytes(16)].map((byte) => byte.toString(16).padStart(2, "0"));
+  hex[6] = "4" + hex[6].slice(1);
+  const at = hex.join("");
+  return [at.slice(0, 8), at.slice(8, 12), at.slice(12, 16), at.slice(16, 20), at.slice(20)].join("-");
+}
`,
  },
  {
    name: "a factory for the only store",
    step: "store",
    path: "src/note-store.js",
    expected: ["off_plan", "risk"],
    hunk: `
 import { database } from "./database.js";
 
+const makers = { sqlite: () => new SqliteNoteStore() };
+
!export class NoteStoreFactory {
+  static create(kind = "sqlite") {
+    return makers[kind]();
+  }
+}
+
 export class SqliteNoteStore {
   all = (user) => database.all("SELECT * FROM notes WHERE user = ?", user);
 }
`,
  },
  {
    name: "a branch that cannot be taken",
    step: "page",
    path: "src/title.js",
    expected: ["risk"],
    hunk: `
 export function shownTitle(note) {
   const title = note.title.trim();
   if (title === "") return "Untitled";
!  if (title.length === 0) return "Empty";
   return title;
 }
`,
  },
  {
    name: "options that nobody sets",
    step: "export",
    path: "src/export.js",
    expected: ["off_plan", "risk"],
    hunk: `
 import { notesOf } from "./notes.js";
 
-export const exportAll = (user) =>
-  notesOf(user).map(({ title, text }) => \`# \${title}\\n\\n\${text}\\n\`).join("\\n");
!export const exportAll = (user, { level = 1, separator = "\\n", transform = (note) => note } = {}) =>
+  notesOf(user)
+    .map(transform)
+    .map(({ title, text }) => \`\${"#".repeat(level)} \${title}\\n\\n\${text}\\n\`)
+    .join(separator);
`,
  },
  {
    name: "the same rule a second time",
    step: "sign-in",
    path: "src/accounts.js",
    expected: ["risk"],
    hunk: `
 export function register(name, password) {
   const clean = name.trim().toLowerCase();
   if (!/^[a-z][a-z0-9-]{2,30}$/.test(clean)) throw new RangeError("That is no name.");
   if (password.length < 12) throw new RangeError("That password is too short.");
   return create(clean, password);
 }
 
 export function rename(account, name) {
+  const clean = name.trim().toLowerCase();
!  if (!/^[a-z][a-z0-9-]{2,30}$/.test(clean)) throw new RangeError("That is no name.");
+  return update(account, clean);
 }
`,
  },
  {
    name: "clean: a check of what comes from outside",
    step: "store",
    path: "src/read-note.js",
    expected: [],
    hunk: `
+export function readNote(body) {
+  if (typeof body?.title !== "string") throw new RangeError("A note needs a title.");
+  if (typeof body?.text !== "string") throw new RangeError("A note needs a text.");
+  return { title: body.title, text: body.text };
+}
`,
  },
  {
    name: "clean: two plain lines that look alike",
    step: "page",
    path: "src/note-page.js",
    expected: [],
    hunk: `
+import { escape } from "./escape.js";
+
+export function notePage(note) {
+  const title = escape(note.title);
+  const text = escape(note.text);
+  return \`<h1>\${title}</h1><p>\${text}</p>\`;
+}
`,
  },
  {
    name: "clean: one way where there were two",
    step: "sign-in",
    path: "src/whoever.js",
    expected: [],
    hunk: `
-export const isSignedIn = (request) => readCookie(request) !== null;
-export const isGuest = (request) => readCookie(request) === null;
+export const isGuest = (request) => readCookie(request) === null;
`,
  },
];
