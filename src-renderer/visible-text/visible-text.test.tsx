/** @jsxImportSource #visible-text */
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Badge } from "../kit/badge.tsx";
import { TextArea, TextInput } from "../kit/field.tsx";

/** Every sign that turns the direction of a text around. */
const turning = ["\u061c", "\u200e", "\u200f", ..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];
const codeOf = (sign: string): string =>
  `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

const Passing = ({ title, children }: { readonly title: string; readonly children: unknown }) => (
  <p title={title}>{children as string}</p>
);

describe("text in the window", () => {
  it.each(turning)("shows %j as its code, wherever an element has it", (sign) => {
    const text = `a${sign}b`;
    const shown = `a${codeOf(sign)}b`;
    const markup = renderToStaticMarkup(
      <section aria-label={text}>
        {text} and {[text, <b key="b">{text}</b>]}
        <Passing title={text}>{text}</Passing>
        <Badge>{text}</Badge>
        <img alt={text} title={text} />
      </section>,
    );
    expect(markup).not.toContain(sign);
    expect(markup.split(shown)).toHaveLength(10);
  });

  it("leaves what is edited, and what is plain, as it is", () => {
    const markup = renderToStaticMarkup(
      <div title="ä 漢字 👩‍🚀">
        <input defaultValue={"a\u202eb"} />
        עברית
      </div>,
    );
    expect(markup).toContain('value="a\u202eb"');
    expect(markup).toContain("ä 漢字 👩‍🚀");
    expect(markup).toContain("עברית");
  });

  it("names below a text field what its text hides", () => {
    const note = "Contains hidden characters: ⟨U+202E⟩";
    expect(renderToStaticMarkup(<TextArea readOnly value={"a\u202eb"} />)).toContain(note);
    expect(renderToStaticMarkup(<TextInput defaultValue={"a\u202eb"} />)).toContain(note);
    expect(renderToStaticMarkup(<TextInput defaultValue="plain עברית" />)).not.toContain("hidden");
  });
});
