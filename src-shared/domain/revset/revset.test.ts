import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quote, tokenize, tokenText } from "./parse.ts";
import { completeRevset, translateRevset } from "./revset.ts";

const translated = (text: string): string => {
  const result = translateRevset(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.revset;
};
const errorOf = (text: string) => {
  const result = translateRevset(text);
  if (result.ok) throw new Error(`no error in ${text}`);
  return { ...result.error, at: text.slice(result.error.start, result.error.end) };
};
const high = 'description(regex:"(?m)^Hox-Priority *: *(?:high) *$")';

/** jj's own language, without any of our functions. */
const jjText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "@",
        "x-",
        "::",
        "..",
        "x+",
        " & ",
        " | ",
        " ~ ",
        "~",
        "main@origin",
        "a-b.c/d",
        "*push*",
        "名前",
        "^",
        ":",
      ),
      fc.constantFrom(
        '"priority(high)"',
        "'status(x)'",
        '"a\\"priority(high)"',
        '"\\\\"',
        "priority ",
        "run@",
        "$",
        "#",
      ),
      fc.constantFrom(
        "all()",
        "ancestors(@, 3)",
        "remote_bookmarks(remote = x,)",
        "(a|b)",
        "author(regex:'kind(a')",
        "my-run(x)",
      ),
      fc.string({ maxLength: 5 }).filter((text) => !/["'()]/.test(text)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

describe("translateRevset", () => {
  it("keeps jj's own language, to the byte", () => {
    fc.assert(
      fc.property(jjText, (text) => {
        expect(translateRevset(text)).toEqual({ ok: true, revset: text, functions: [] });
      }),
      { numRuns: 500 },
    );
  });

  it("finds our functions anywhere, and leaves nothing to translate", () => {
    const call = fc.constantFrom(
      "priority(high)",
      "ready()",
      "msg_to(O-A-1)",
      'agent("agent-*", x)',
      "status( open , done, )",
    );
    const wrap = fc.constantFrom(
      (inner: string) => `heads(${inner})`,
      (inner: string) => `ancestors( (${inner})- , 2)`,
      (inner: string) => `~${inner}::`,
      (inner: string) => `"kind(x)" | ${inner}`,
    );
    fc.assert(
      fc.property(jjText, call, fc.array(wrap, { maxLength: 4 }), jjText, (before, ours, wraps, after) => {
        const nested = wraps.reduce<string>((inner, apply) => apply(inner), ours);
        const at = (text: string): string => text.replace(ours, () => translated(ours));
        // A word right before the call would be a part of its name.
        const text = `${before} ${nested} ${after}`;
        const result = translateRevset(text);
        expect(result).toMatchObject({ ok: true, revset: `${before} ${at(nested)} ${after}` });
        if (!result.ok) return;
        expect(result.functions.map(({ start, end }) => text.slice(start, end))).toEqual([ours]);
        expect(translateRevset(result.revset)).toEqual({ ok: true, revset: result.revset, functions: [] });
      }),
      { numRuns: 500 },
    );
  });

  it("searches a trailer's line by a regular expression", () => {
    expect(translated("priority(high)")).toBe(high);
    expect(translated('priority("high")')).toBe(high);
    expect(translated("priority(high, critical) & @")).toBe(
      `${high.replace("(?:high)", "(?:high|critical)")} & @`,
    );
    expect(translated("priority(high|critical)")).toBe(high.replace("(?:high)", "(?:high|critical)"));
    expect(translated("status(*o*)")).toContain("(?:open|in_progress|blocked|done|abandoned)");
    expect(translated('agent("agent-?*.x")')).toContain("(?:agent-..*\\\\.x)");
    expect(translated('agent(exact:"a*")')).toContain("(?:a\\\\*)");
    expect(translated('run("a\\"b")')).toContain('(?:a\\"b)');
  });

  it("searches all addresses that reach a recipient, or that match a wildcard", () => {
    expect(translated("msg_to(O-A-12)")).toContain("(?:O-A-12|O-\\\\*|O-A-\\\\*|O-A-1\\\\*|O-A-12\\\\*)");
    expect(translated('msg_to("O-A-*")')).toContain("(?:O-A-.*)");
    expect(translated("msg_to(me)")).toContain("(?:me)");
    const forAgent = translated("msg_to(O-A-1/ab)");
    expect(forAgent).toContain("(?:O-A-1/ab|");
    for (const address of ["O-A-1/\\\\*", "O-A-\\\\*/\\\\*", "O-\\\\*/ab", "O-A-1/a\\\\*"])
      expect(forAgent).toContain(`|${address}`);
    expect(forAgent).not.toContain("|O-A-1|");
  });

  it.each([
    ["heads(priority(hgih)) & @", "hgih", /has no value “hgih”. Did you mean “high”/, "high"],
    ["status(in-progress)", "in-progress", /Did you mean “in_progress”/, "in_progress"],
    ["kind('Task ')", "'Task '", /Did you mean “task”/, "task"],
    ["priority(zzzzzzzz)", "zzzzzzzz", /Use critical, high, medium and low/, "critical"],
    ["priority()", "priority()", /needs one of critical, high, medium and low/, "critical"],
    ["@ | agent( )", "agent( )", /needs an agent's name/, undefined],
    ["ready(high)", "high", /ready\(\) takes no argument/, undefined],
    ["agent(name=x)", "name", /no argument named name/, undefined],
    ["agent(regex:x)", "regex", /exact: and glob:, not regex:/, "exact"],
    ["priority(a & b)", "&", /takes values, not revsets/, undefined],
    ["agent(heads(@))", "heads(@)", /takes values, not revsets/, undefined],
    ["agent((x))", "(x)", /takes values, not revsets/, undefined],
    ["agent(x |)", "|", /takes values, not revsets/, undefined],
    ["agent(a,,b)", ",", /missing before this comma/, undefined],
    ['agent("")', '""', /not an empty one/, undefined],
    ["heads(priority(high)", "(", /Unclosed bracket/, ")"],
    ["(@", "(", /Unclosed bracket/, ")"],
    ["@)", ")", /Unmatched closing bracket/, undefined],
    ['@ | "main', '"main', /Unclosed quote/, '"'],
    ["'", "'", /Unclosed quote/, "'"],
  ])("reports what is wrong with %s, and where", (text, at, message, expected) => {
    const error = errorOf(text);
    expect(error.at).toBe(at);
    expect(error.message).toMatch(message);
    expect(error.expected?.[0]).toBe(expected);
  });

  it("never throws, and every error has a position in the text", () => {
    const piece = fc.constantFrom(
      "priority(",
      "ready(",
      "msg_to(",
      ")",
      "(",
      ",",
      '"',
      "'",
      "\\",
      "high",
      "|",
      ":",
      "=",
      " ",
      "x",
      "@",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const result = translateRevset(text);
        if (result.ok) return;
        expect(result.error.start).toBeGreaterThanOrEqual(0);
        expect(result.error.end).toBeGreaterThanOrEqual(result.error.start);
        expect(result.error.end).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("tokens", () => {
  it("join to the text again, and a quoted value is read back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const cut = tokenize(text);
        if (cut.ok) expect(cut.tokens.map((token) => token.text).join("")).toBe(text);
        const quoted = tokenize(quote(text));
        if (!quoted.ok || quoted.tokens[0] === undefined) throw new Error("a quoted text is one token");
        expect(quoted.tokens).toHaveLength(1);
        expect(tokenText(quoted.tokens[0])).toBe(text);
      }),
    );
  });
});

describe("suggestions", () => {
  const at = (marked: string, known = {}) => {
    const cursor = marked.indexOf("¦");
    const { from, to, items } = completeRevset(marked.replace("¦", ""), cursor, known);
    return {
      span: marked.replace("¦", "").slice(from, to),
      first: items[0]?.insert,
      all: items.map((item) => item.insert),
    };
  };

  it("are functions and bookmarks where a revset is expected", () => {
    expect(at("heads(prio¦)")).toMatchObject({ span: "prio", first: "priority(" });
    expect(at("@ & con¦").first).toBe("conflicts()");
    expect(at("¦").all).toEqual(expect.arrayContaining(["ready()", "status(", "mutable()"]));
    expect(at("ma¦", { bookmarks: ["main", "x y"] }).all).toContain("main");
    expect(at("x¦", { bookmarks: ["x y"] }).all).toContain('"x y"');
  });

  it("are fields and known names inside our functions, in quotes or not", () => {
    expect(at("priority(¦").all).toEqual(["critical", "high", "medium", "low"]);
    expect(at("heads(status(high, in¦))")).toMatchObject({ span: "in", first: "in_progress" });
    expect(at('agent("age¦', { agents: ["agent-1"] })).toMatchObject({ span: '"age', first: "agent-1" });
    expect(at("msg_to(O-A¦-1)", { orchestrators: ["O-A-1"] })).toMatchObject({
      span: "O-A-1",
      first: "O-A-1",
    });
    expect(at('description("pri¦').all).toEqual([]);
    expect(at("priority(high) & st¦").first).toBe("status(");
  });

  it("are none where only an operator can follow", () => {
    expect(at("mutable() & priority(urgent)¦").all).toEqual([]);
    expect(at('author("me")¦').all).toEqual([]);
    expect(at('"two words" ¦').all).toEqual([]);
  });

  it("make a valid revset when the first is taken", () => {
    fc.assert(
      fc.property(fc.constantFrom("priority(", "heads(status(", "kind(task) & msg_type(in"), (text) => {
        const { from, to, items } = completeRevset(text, text.length);
        const next = text.slice(0, from) + (items[0]?.insert ?? "") + text.slice(to);
        const open = [...next].filter((c) => c === "(").length - [...next].filter((c) => c === ")").length;
        expect(translateRevset(next + ")".repeat(open)).ok).toBe(true);
      }),
    );
  });
});
