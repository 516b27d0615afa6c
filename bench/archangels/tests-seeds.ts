import type { Seed } from "./seed.ts";

export const testsSeeds: readonly Seed[] = [
  {
    name: "a test that expects nothing",
    step: "store",
    path: "test/write-note.test.js",
    expected: ["risk"],
    hunk: `
 import { test } from "node:test";
 import { writeNote } from "../src/write-note.js";
 
!test("a note is written", async () => {
+  await writeNote("ada", "Title", "Text");
+});
`,
  },
  {
    name: "nobody waits for the promise",
    step: "sign-in",
    path: "test/refuse.test.js",
    expected: ["risk"],
    hunk: `
 import assert from "node:assert/strict";
 import { test } from "node:test";
 import { signIn } from "../src/sign-in.js";
 
+test("a wrong password is refused", () => {
!  assert.rejects(signIn("ada", "wrong"), /password/);
+});
`,
  },
  {
    name: "a failing test is left out",
    step: "share",
    path: "test/share.test.js",
    expected: ["risk"],
    hunk: `
 import assert from "node:assert/strict";
 import { test } from "node:test";
 import { openLink, share, takeBack } from "../src/share.js";
 
-test("a link that was taken back opens nothing", () => {
!test.skip("a link that was taken back opens nothing", () => {
   const link = share(1);
   takeBack(link);
   assert.equal(openLink(link), null);
 });
`,
  },
  {
    name: "a value is held against itself",
    step: "export",
    path: "test/export.test.js",
    expected: ["risk"],
    hunk: `
 import assert from "node:assert/strict";
 import { test } from "node:test";
 import { exportAll } from "../src/export.js";
 
+test("every note is in the export", () => {
!  assert.equal(exportAll("ada"), exportAll("ada"));
+});
`,
  },
  {
    name: "an edge that no test reaches",
    step: "share",
    path: "src/open-link.js",
    expected: ["risk", "missing_step"],
    hunk: `
 import { database } from "./database.js";
 
 export function openLink(token) {
   const link = database.get("SELECT * FROM links WHERE token = ?", token);
+  if (link === undefined) return null;
!  if (link.until !== null && link.until > Date.now()) return null;
   return database.get("SELECT * FROM notes WHERE id = ?", link.note);
 }
`,
  },
  {
    name: "clean: a test that fails when it should",
    step: "page",
    path: "test/escape.test.js",
    expected: [],
    hunk: `
+import assert from "node:assert/strict";
+import { test } from "node:test";
+import { escape } from "../src/escape.js";
+
+test("signs of markup are escaped, and nothing else", () => {
+  assert.equal(escape(\`<a href="x">&</a>\`), "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
+  assert.equal(escape("plain"), "plain");
+});
`,
  },
  {
    name: "clean: a constant is renamed",
    step: "sign-in",
    path: "src/limits.js",
    expected: [],
    hunk: `
-export const maxAge = 86_400;
+export const sessionSeconds = 86_400;
 export const shortestPassword = 12;
`,
  },
  {
    name: "clean: wiring that every test goes through",
    step: "store",
    path: "src/server.js",
    expected: [],
    hunk: `
 import { createServer } from "node:http";
+import { notes } from "./notes-routes.js";
 import { route } from "./route.js";
 
-export const server = createServer(route([]));
+export const server = createServer(route([notes]));
`,
  },
];
