import type { Seed } from "./seed.ts";

export const securitySeeds: readonly Seed[] = [
  {
    name: "a title of somebody's in a query",
    step: "store",
    path: "src/search-notes.js",
    expected: ["risk"],
    hunk: `
 import { database } from "./database.js";
 
+export const search = (user, word) =>
!  database.all(\`SELECT * FROM notes WHERE user = ? AND title LIKE '%\${word}%'\`, user);
`,
  },
  {
    name: "a note is shown as markup",
    step: "page",
    path: "src/page.js",
    expected: ["risk"],
    hunk: `
 import { escape } from "./escape.js";
 
-export const page = (note) => \`<h1>\${escape(note.title)}</h1><p>\${escape(note.text)}</p>\`;
!export const page = (note) => \`<h1>\${escape(note.title)}</h1><p>\${note.text}</p>\`;
`,
  },
  {
    name: "a token that can be guessed",
    step: "share",
    path: "src/token.js",
    expected: ["risk", "off_plan"],
    hunk: `
+/** Opens one note for whoever has it. */
!export const newToken = () => Math.random().toString(36).slice(2);
`,
  },
  {
    name: "a file name from outside",
    step: "export",
    path: "src/download.js",
    expected: ["risk"],
    hunk: `
 import { readFile } from "node:fs/promises";
 import { join } from "node:path";
 
+export async function download(request, response) {
+  const name = new URL(request.url, "http://localhost").searchParams.get("file");
!  response.end(await readFile(join("exports", name)));
+}
`,
  },
  {
    name: "a note of anybody's can be deleted",
    step: "store",
    path: "src/delete-note.js",
    expected: ["risk"],
    hunk: `
 import { database } from "./database.js";
 
-export const deleteNote = (user, id) =>
-  database.run("DELETE FROM notes WHERE id = ? AND user = ?", id, user);
+export const deleteNote = (id) =>
!  database.run("DELETE FROM notes WHERE id = ?", id);
`,
  },
  {
    name: "a cookie that is never checked",
    step: "sign-in",
    path: "src/cookie.js",
    expected: ["risk", "missing_step"],
    hunk: `
 import { createHmac } from "node:crypto";
 
 const mac = (text, key) => createHmac("sha256", key).update(text).digest("base64url");
 
 export const sign = (text, key) => \`\${text}.\${mac(text, key)}\`;
+
+export function read(cookie) {
!  return cookie.slice(0, cookie.lastIndexOf("."));
+}
`,
  },
  {
    name: "clean: values are bound",
    step: "store",
    path: "src/rename-note.js",
    expected: [],
    hunk: `
+import { database } from "./database.js";
+
+export const renameNote = (user, id, title) =>
+  database.run("UPDATE notes SET title = ? WHERE id = ? AND user = ?", title, id, user);
`,
  },
  {
    name: "clean: a password in a test",
    step: "sign-in",
    path: "test/password.test.js",
    expected: [],
    hunk: `
+import assert from "node:assert/strict";
+import { test } from "node:test";
+import { hash, isRight } from "../src/password.js";
+
+test("a password opens what it closed", async () => {
+  const stored = await hash("correct horse");
+  assert.equal(await isRight("correct horse", stored), true);
+  assert.equal(await isRight("wrong horse", stored), false);
+});
`,
  },
  {
    name: "clean: a comparison in constant time",
    step: "sign-in",
    path: "src/is-signed.js",
    expected: [],
    hunk: `
+import { createHmac, timingSafeEqual } from "node:crypto";
+
+export function isSigned(text, mac, key) {
+  const right = createHmac("sha256", key).update(text).digest();
+  const given = Buffer.from(mac, "base64url");
+  return given.length === right.length && timingSafeEqual(given, right);
+}
`,
  },
];
