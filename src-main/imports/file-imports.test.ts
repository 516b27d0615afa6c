import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { PythonImport, RustImport } from "#shared/domain/imports/import-graph.ts";
import { createReader } from "./read-imports.ts";

const readers = {
  tsx: await createReader("tsx"),
  typescript: await createReader("typescript"),
  python: await createReader("python"),
  rust: await createReader("rust"),
};
const read = (grammar: keyof typeof readers, text: string) => {
  const steps = readers[grammar].read(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
const specifiers = (grammar: "tsx" | "typescript", text: string): readonly string[] => {
  const found = read(grammar, text);
  return found.language === "JavaScript" ? found.specifiers : [];
};
const javaScriptImports = (text: string) => specifiers("tsx", text);
const pythonImports = (text: string): readonly PythonImport[] => {
  const found = read("python", text);
  return found.language === "Python" ? found.imports : [];
};
const rustImports = (text: string): readonly RustImport[] => {
  const found = read("rust", text);
  return found.language === "Rust" ? found.items : [];
};

const pythonNames = (text: string) =>
  pythonImports(text).map(({ level, module, names }) => `${".".repeat(level)}${module}:${names.join(",")}`);
const rustNames = (text: string) =>
  rustImports(text).map((item) =>
    [...item.within, item.kind === "use" ? item.path.join("::") : `mod ${item.file ?? item.name}`].join(">"),
  );

describe("JavaScript and TypeScript (HOX-9.2)", () => {
  it("finds every kind of import statement", () => {
    const text = `#!/usr/bin/env node
"use strict"
import "./effect"; import plain from "./plain.js"
import type { Type } from './type.ts';
import { type A, default as b, "odd name" as c } from "./names"
import * as all from "@/all";
import data from "./data.json" with { type: "json" };
import
  {
    many, // with "./not-this"
    lines,
  } from "./lines";
import old = require("./old");
export { one } from "./one";
export * from "./star";
export * as named from "./named";
export type { T } from "./exported-type";
const lazy = () => import("./lazy");
const typed: import("./inline-type").Thing<string> = require("./required");
const path = require.resolve("./resolved");
new Worker(new URL("./worker.ts", import.meta.url));
const nested = \`a \${await import(\`./template\`)} b \${{ a: "}" }} c\`;
`;
    expect(javaScriptImports(text)).toEqual([
      ...["./effect", "./plain.js", "./type.ts", "./names", "@/all", "./data.json", "./lines", "./old"],
      ...["./one", "./star", "./named", "./exported-type", "./lazy", "./inline-type", "./required"],
      ...["./resolved", "./worker.ts", "./template"],
    ]);
  });

  it("finds nothing else", () => {
    const text = `
const text = 'import a from "./string"';
/** @param {import("./jsdoc").Type} x */
// import b from "./comment"
const r = /import c from "\\/[/"]x"/; const half = total / 2; const s = "/"; import("./" + name);
object.import("./method"); object.require("./method"); import.meta.url; const t = { import: "./key" };
export const from = "./export"; export { from };
"./not-from"; export default function require(x) {}
const template = \`
import d from "./template"
\${"import e from './inside'"}\`;
`;
    expect(javaScriptImports(text)).toEqual([]);
  });

  it("is not misled by JSX, generics, divisions and regular expressions", () => {
    const text = `import a from "./a";
const One = <T,>(x: T) => <p title="it's">don't <b>can't</b> / src: https://example.org</p>;
const two = /["'\`]/.test(x) ? a / b / c : </>;
return /'/;
import b from "./b";
const three = <Four five={\`\${"\`"}\`} />;
export { c } from "./c";
`;
    expect(javaScriptImports(text)).toEqual(["./a", "./b", "./c"]);
  });
});

describe("JavaScript and TypeScript beyond a word scanner", () => {
  it("recognises text between tags, patterns after brackets and comments in calls", () => {
    const text = `const text = <pre>
import shown from "./shown"
</pre>;
if (x) /import("./pattern")/.test(x);
const late = import(/* webpackChunkName: "late" */ "./late");
const same = require(/* why */ "./same" /* so */);
`;
    expect(javaScriptImports(text)).toEqual(["./late", "./same"]);
  });

  it("reads import types with arguments, which the grammar lacks", () => {
    const text = `let one: Map<string, import("./one").A<import("./two").B.C<string>>> = require("./three");
// import("./comment").A<B>
const t = 'import("./string").A<B>'; object.import("./method").a<B>();
export type { D } from "./four";
`;
    for (const grammar of ["typescript", "tsx"] as const)
      expect(specifiers(grammar, text)).toEqual(["./one", "./two", "./three", "./four"]);
  });

  it("reads casts without JSX, and Flow types with it", () => {
    expect(specifiers("typescript", 'const a = <A>b; import c from "./c";')).toEqual(["./c"]);
    expect(javaScriptImports('import typeof A from "./a"; import type { B } from "./b";')).toEqual([
      "./a",
      "./b",
    ]);
  });

  it("continues after broken code", () => {
    const text = `import a from "./a";
<<<<<<< one
import { b } from "./b";
=======
import { c } from "./c";
>>>>>>> two
export const d = ;
function e( {
}
import f from "./f";
`;
    expect(javaScriptImports(text)).toEqual(["./a", "./b", "./c", "./f"]);
  });
});

it("reads a large file in steps, with the same result", () => {
  const lines = Array.from(
    { length: 4_000 },
    (_, at) => `import a${at} from "./${at}"; const b${at} = [a${at}, {}];`,
  );
  const steps = readers.tsx.read(lines.join("\n"));
  let taken = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) taken += 1;
  expect(taken).toBeGreaterThan(1);
  expect(step.value).toEqual({ language: "JavaScript", specifiers: lines.map((_, at) => `./${at}`) });
});

describe("Python (HOX-9.2)", () => {
  it("finds every kind of import statement", () => {
    const text = `import os, a.b as ab
from . import x
from .import y
from ..pkg.mod import (
    one,  # with two
    three as four,
)
from a import *
if TYPE_CHECKING: import lazy
try:
    import fast; import faster
except ImportError: pass
from b \\
    import c
m = importlib.import_module("late.bound")
n = import_module(".sibling", package=__package__)
text = f"{data["import"]!r:{width}}" ; import after
`;
    expect(pythonNames(text)).toEqual([
      ...["os:", "a.b:", ".:x", ".:y", "..pkg.mod:one,three", "a:*".replace("*", ""), "lazy:"],
      ...["fast:", "faster:", "b:c", "late.bound:", ".sibling:", "after:"],
    ]);
  });

  it("finds nothing else", () => {
    const text = `"""
import a
"""
x = 'import b' # import c
r = rb'\\' ; import_ = d.import_module
y = [
import_module(name),
]
raise Error from cause
yield from imports
f'''
import e
{"import f"}
import g'''
`;
    expect(pythonNames(text)).toEqual([]);
  });
});

describe("Rust (HOX-9.2)", () => {
  it("finds macros' arguments, and every file that an attribute names", () => {
    const text = `cfg_rt! { pub(crate) mod task; use task::Id; }
cfg_if::cfg_if! {
    if #[cfg(unix)] { mod unix; use unix::os as sys; } else { #[path = "other/windows.rs"] mod sys; }
}
mod inline { cfg_io! { use super::io; } }
println!("use a::b;");
#[cfg_attr(unix, path = "on_unix.rs")]
// with a word between
mod system;
extern crate self as me;
use {one::two, ::three::*};
`;
    expect(rustNames(text)).toEqual([
      ...["mod task", "task::Id", "mod unix", "unix::os", "mod other/windows.rs", "inline>super::io"],
      ...["mod system", "mod on_unix.rs", "one::two", "::three"],
    ]);
  });

  it("finds uses, groups and modules with their location", () => {
    const text = `#![allow(x)]
use std::{fmt, io::{self, Read as _}, collections::*};
pub(crate) use crate::a::B as C;
use ::serde::Serialize;
pub mod api;
#[cfg(test)]
#[path = "odd/place.rs"]
mod tests;
extern crate alloc;
fn f<'a>(x: &'a str) -> impl Fn() + use<'a> { use self::inner::Thing; let c = '"'; let q = '\\''; }
mod inline { mod deep { use super::x; } use r#type::y; }
use last::one;
`;
    expect(rustNames(text)).toEqual([
      ...[
        "std::fmt",
        "std::io::self",
        "std::io::Read",
        "std::collections",
        "crate::a::B",
        "::serde::Serialize",
      ],
      ...["mod api", "mod odd/place.rs", "::alloc", "self::inner::Thing", "inline>deep>super::x"],
      ...["inline>type::y", "last::one"],
    ]);
  });

  it("finds nothing else", () => {
    const text = `/* /* use a::b; */ mod c; */
// use d::e;
const S: &str = "use f::g;
mod h;";
const R: &[u8] = br##"
"# use i::j;
"##;
macro_rules! m { ($x:ident) => { use $x::y; }; }
`;
    expect(rustNames(text)).toEqual([]);
  });
});

/** Text that may hold anything but what would end the literal around it. */
const hidden = (statement: string, forbidden: RegExp) =>
  fc
    .array(fc.oneof(fc.constant(statement), fc.constant("\n"), fc.string({ unit: "grapheme" })), {
      maxLength: 6,
    })
    .map((parts) => parts.join("\n").replaceAll(forbidden, ""));

test.each([
  ["JavaScript comment", javaScriptImports, 'import x from "y"', /\*\//gu, "/*", "*/"],
  ["JavaScript template", javaScriptImports, 'import x from "y"', /[`\\$]/gu, "t = `", "`"],
  ["JavaScript string", javaScriptImports, "import x from 'y'", /["\\\n\r]/gu, 't = "', '"'],
  ["JavaScript line comment", javaScriptImports, "import('y')", /[\n\r\u2028\u2029]/gu, "//", "\n"],
  ["Python long string", pythonImports, "import x", /["\\]/gu, 't = """', '"""'],
  ["Python f-string", pythonImports, "import x", /['\\{}]/gu, "t = f'''", "'''"],
  ["Python comment", pythonImports, "import x", /[\n\r]/gu, "#", "\n"],
  ["Rust comment", rustImports, "use x::y;", /[*/]/gu, "/*", "*/"],
  ["Rust string", rustImports, "mod x;", /["\\]/gu, 'let t = "', '";'],
  ["Rust raw string", rustImports, 'use x::y; "', /#/gu, 'let t = r#"', '"#;'],
])(
  "nothing in a %s is an import, and what follows still is",
  (kind, scan, statement, forbidden, open, close) => {
    const after = kind.startsWith("JavaScript")
      ? '\nimport z from "after";\n'
      : kind.startsWith("Python")
        ? "\nimport after\n"
        : "\nmod after;\n";
    fc.assert(
      fc.property(hidden(statement, forbidden), (text) => {
        expect(scan(`${open}${text}${close}`)).toEqual([]);
        expect(scan(`${open}${text}${close}${after}`)).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  },
);

test.each([
  ["JavaScript", javaScriptImports],
  ["Python", pythonImports],
  ["Rust", rustImports],
])("%s: any text is read to its end", (_, scan) => {
  const pieces = fc.constantFrom(
    ...'import from use mod { } ( ) ` ${ \' " """ r#" /* */ // / \\ # [ ] \n ; :: . , f\' export x \'a b{'.split(
      " ",
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 }), (parts) => {
      expect(scan(parts.join(" "))).toBeInstanceOf(Array);
      expect(scan(parts.join(""))).toBeInstanceOf(Array);
    }),
    { numRuns: 500 },
  );
});
