import { type Feature, insertBefore, type TeamProject } from "../feature.ts";

const lib = "src/lib.rs";
const test = (name: string, body: string): Feature["test"] => ({
  path: `tests/${name}.rs`,
  content: `#[test]\nfn ${name}() {\n${body}}\n`,
});
/** Another case: a module of its own, and three lists in lib.rs in which all of them meet. */
const newCase = (
  name: string,
  words: "capitalize" | "lowercase" | "uppercase",
  sign: string,
  example: string,
): Feature => {
  const camel = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    id: `${name}-case`,
    title: `Add ${name} case`,
    asks: `\`To${camel}Case::to_${name}_case\` and the wrapper \`As${camel}Case\`: words by \`${words}\`, "${sign}" between them, as in \`${example}\``,
    edits: [
      {
        path: `src/${name}.rs`,
        content: `use core::fmt;\n\nuse alloc::{borrow::ToOwned, string::ToString};\n\nuse crate::{transform, ${words}};\n\n/// This trait defines a ${name} case conversion: \`${example}\`.\npub trait To${camel}Case: ToOwned {\n    /// Convert this type to ${name} case.\n    fn to_${name}_case(&self) -> Self::Owned;\n}\n\nimpl To${camel}Case for str {\n    fn to_${name}_case(&self) -> Self::Owned {\n        As${camel}Case(self).to_string()\n    }\n}\n\n/// This wrapper performs a ${name} case conversion in [\`fmt::Display\`].\npub struct As${camel}Case<T: AsRef<str>>(pub T);\n\nimpl<T: AsRef<str>> fmt::Display for As${camel}Case<T> {\n    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        transform(self.0.as_ref(), ${words}, |f| write!(f, "${sign}"), f)\n    }\n}\n`,
      },
      insertBefore(lib, "mod kebab;\n", `mod ${name};\n`),
      insertBefore(lib, "pub use kebab::{", `pub use ${name}::{As${camel}Case, To${camel}Case};\n`),
    ],
    test: test(
      `${name}_case`,
      `    use heck::To${camel}Case;\n    assert_eq!("one TWO_three".to_${name}_case(), "${example}");\n`,
    ),
  };
};
const dot = newCase("dot", "lowercase", ".", "one.two.three");
const path = newCase("path", "lowercase", "/", "one/two/three");
const flat = newCase("flat", "lowercase", "", "onetwothree");
const ada = newCase("ada", "capitalize", "_", "One_Two_Three");

/** A test of a text's case, as a method of the trait that converts to it. */
const isCase = (name: string, example: string): Feature => {
  const camel = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    id: `is-${name}`,
    title: `Say whether a text is in ${name} case`,
    asks: `\`To${camel}Case::is_${name}_case()\`: whether the text is already what \`to_${name}_case\` makes of it`,
    edits: [
      {
        path: `src/${name}.rs`,
        from: `    fn to_${name}_case(&self) -> Self::Owned;\n`,
        to: `    fn to_${name}_case(&self) -> Self::Owned;\n\n    /// Whether this is in ${name} case already.\n    fn is_${name}_case(&self) -> bool\n    where\n        Self: AsRef<str>,\n    {\n        As${camel}Case(self.as_ref()).to_string() == self.as_ref()\n    }\n`,
      },
    ],
    test: test(
      `is_${name}`,
      `    use heck::To${camel}Case;\n    assert!("${example}".is_${name}_case());\n    assert!(!"one TWO_three".is_${name}_case());\n`,
    ),
  };
};
const isKebab = isCase("kebab", "one-two-three");
const isSnake = isCase("snake", "one_two_three");
const isTitle = isCase("title", "One Two Three");
const isTrain = isCase("train", "One-Two-Three");

/** A function of the library that looks at words, in front of one that is there. */
const wordFunction = (
  id: string,
  place: string,
  title: string,
  asks: string,
  code: string,
  body: string,
): Feature => ({
  id: id.replaceAll("_", "-"),
  title,
  asks: `\`heck::${id}\`: ${asks}`,
  edits: [insertBefore(lib, place, code)],
  test: test(id, body),
});
const display = (name: string, words: string, boundary: string): string =>
  `    struct ${name}<'a>(&'a str);\n\n    impl fmt::Display for ${name}<'_> {\n        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n            transform(self.0, ${words}, ${boundary}, f)\n        }\n    }\n\n`;
const wordCount = wordFunction(
  "word_count",
  "fn lowercase(",
  "Count the words of a text",
  "how many words a text has by the library's boundaries",
  `/// How many words a text has.\npub fn word_count(s: &str) -> usize {\n${display("Marks", '|_: &str, f: &mut fmt::Formatter| f.write_str("w")', "|_| Ok(())")}    alloc::string::ToString::to_string(&Marks(s)).len()\n}\n\n`,
  '    assert_eq!(heck::word_count("oneTwo three"), 3);\n    assert_eq!(heck::word_count(""), 0);\n',
);
const initials = wordFunction(
  "initials",
  "fn uppercase(",
  "Take the first letters of all words",
  "a String of the first letters of all words, as they are",
  `/// The first letters of all words.\npub fn initials(s: &str) -> alloc::string::String {\n${display("Initials", "|word: &str, f: &mut fmt::Formatter| f.write_str(word.get(..word.chars().next().map_or(0, char::len_utf8)).unwrap_or(word))", "|_| Ok(())")}    alloc::string::ToString::to_string(&Initials(s))\n}\n\n`,
  '    assert_eq!(heck::initials("oneTwo three"), "oTt");\n',
);
const longestWord = wordFunction(
  "longest_word",
  "fn capitalize(",
  "Find the longest word",
  "how many bytes the longest word has, 0 without words",
  `/// How many bytes the longest word has.\npub fn longest_word(s: &str) -> usize {\n${display("Lines", "|word: &str, f: &mut fmt::Formatter| f.write_str(word)", '|f| f.write_str("\\n")')}    let words = alloc::string::ToString::to_string(&Lines(s));\n    words.lines().map(str::len).max().unwrap_or(0)\n}\n\n`,
  '    assert_eq!(heck::longest_word("oneTwo three"), 5);\n    assert_eq!(heck::longest_word(""), 0);\n',
);
const caseNames = wordFunction(
  "CASE_NAMES",
  "fn transform<F, G>(",
  "List the names of all cases",
  "an array of the eight names as the documentation lists them",
  '/// Names of all cases.\npub const CASE_NAMES: [&str; 8] = [\n    "UpperCamelCase",\n    "lowerCamelCase",\n    "snake_case",\n    "kebab-case",\n    "SHOUTY_SNAKE_CASE",\n    "Title Case",\n    "SHOUTY-KEBAB-CASE",\n    "Train-Case",\n];\n\n',
  '    assert_eq!(heck::CASE_NAMES[2], "snake_case");\n',
);

/** A letter that `uppercase` writes in its own way: both meet at the same line. */
const letter = (id: string, title: string, asks: string, code: string, body: string): Feature => ({
  id,
  title,
  asks,
  edits: [
    {
      path: lib,
      from: "    for c in s.chars() {\n",
      to: `    for c in s.chars() {\n${code}`,
    },
  ],
  test: test(id.replaceAll("-", "_"), body),
});
const sharpS = letter(
  "sharp-s",
  "Write the capital sharp s",
  "in upper case ß becomes ẞ and not SS",
  "        if c == 'ß' {\n            f.write_str(\"ẞ\")?;\n            continue;\n        }\n",
  '    use heck::ToShoutySnakeCase;\n    assert_eq!("große straße".to_shouty_snake_case(), "GROẞE_STRAẞE");\n',
);
const georgian = letter(
  "georgian",
  "Keep Georgian letters as they are",
  "in upper case the letters ა to ჿ stay",
  "        if ('ა'..='ჿ').contains(&c) {\n            write!(f, \"{}\", c)?;\n            continue;\n        }\n",
  '    use heck::ToShoutySnakeCase;\n    assert_eq!("აბგ x".to_shouty_snake_case(), "აბგ_X");\n',
);
const upperFile: Feature = {
  id: "upper-file",
  title: "Move uppercase to a module of its own",
  asks: "the function `uppercase` is in `src/upper.rs`; `lib.rs` uses it from there",
  edits: [
    insertBefore(lib, "mod upper_camel;\n", "mod upper;\n"),
    { path: lib, from: "use core::fmt;\n", to: "use core::fmt;\nuse upper::uppercase;\n" },
  ],
  move: {
    path: lib,
    from: "fn uppercase(",
    until: "fn capitalize(",
    into: "src/upper.rs",
    head: "use core::fmt;\n\npub(crate) ",
    tail: "\n",
  },
  test: test(
    "upper_file",
    '    assert!(include_str!("../src/upper.rs").contains("fn uppercase("));\n    assert!(!include_str!("../src/lib.rs").contains("fn uppercase("));\n',
  ),
};

export const heck: TeamProject = {
  name: "heck",
  language: "Rust",
  archive: {
    registry: "crates",
    name: "heck",
    version: "0.5.0",
    sha256: "2304e00983f87ffb38b55b444b5e3b60a884b5d30c0fca7d82fe33449bbe55ea",
  },
  programs: [{ name: "cargo", remedy: "Install Rust (rustup)." }],
  files: {
    ".gitignore": "/target\nCargo.lock\n",
    ".hox/config.toml":
      '[backpressure]\nfast_checks = ["cargo test --quiet --offline --lib --tests"]\nslow_checks = []\n',
  },
  testOne: (file) => `cargo test --quiet --offline --test ${file.slice("tests/".length, -".rs".length)}`,
  testAll: "cargo test --offline --lib --tests",
  prepare: "true",
  sets: [
    { name: "apart", meets: "other files", features: [isKebab, isSnake, isTitle, isTrain] },
    {
      name: "places",
      meets: "one file, other places",
      features: [wordCount, initials, longestWord, caseNames],
    },
    { name: "lines", meets: "the same lines", features: [dot, path, flat, ada] },
    {
      name: "moved",
      meets: "a moved block that others edit",
      features: [upperFile, sharpS, georgian, wordCount],
    },
  ],
};
