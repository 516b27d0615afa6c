import { Check, X } from "lucide-react";
import Markdown, { type Components } from "react-markdown";
import type { ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { Badge } from "../../kit/badge.tsx";
import { CardFrame } from "./card-frame.tsx";

/** A learned pattern before its human gate, beside what the automatic gate found. */
export function PatternCard({ item }: { readonly item: ItemOf<"pattern"> }) {
  const passed = item.gates.every((gate) => gate.passed);
  return (
    <CardFrame
      item={item}
      approve={{ label: "Approve", disabled: !passed, decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Reject", reason: "Why not?" }}
    >
      <div className="flex flex-wrap items-center gap-1.5">
        <Badge>{item.category}</Badge>
        <Badge>confidence {item.confidence.toFixed(2)}</Badge>
        <Badge mono>hox-patterns</Badge>
      </div>
      <ul className="flex flex-col gap-1 text-sm" aria-label="Automatic gate">
        {item.gates.map((gate) => (
          <li key={gate.name} className="flex items-start gap-1.5">
            {gate.passed ? (
              <Check size={14} className="mt-0.5 shrink-0 text-success" aria-label="passed" />
            ) : (
              <X size={14} className="mt-0.5 shrink-0 text-danger" aria-label="failed" />
            )}
            <span>
              {gate.name} <span className="text-faint">{gate.detail}</span>
            </span>
          </li>
        ))}
      </ul>
      <div className="max-h-72 overflow-auto rounded-md border bg-sunken px-3 py-2" data-selectable>
        <pre className="mb-2 font-mono text-xs break-words whitespace-pre-wrap text-muted">
          {shownText(frontMatterOf(item.markdown))}
        </pre>
        <div className="prose-hox">
          {/* Untrusted text: no raw HTML, and links and pictures are text that names where they lead. */}
          <Markdown components={asText} urlTransform={(url) => url}>
            {shownText(withoutFrontMatter(item.markdown))}
          </Markdown>
        </div>
      </div>
      <p className="text-xs text-muted">
        The automatic gate finds the obvious and no more. Your click is the gate: later runs read this text.
      </p>
    </CardFrame>
  );
}

const frontMatter = /^---\n[\s\S]*?\n---\n/u;
const frontMatterOf = (markdown: string): string => frontMatter.exec(markdown)?.[0].trim() ?? "";
const withoutFrontMatter = (markdown: string): string => markdown.replace(frontMatter, "");

const Target = ({ url }: { readonly url: string | undefined }) => (
  <code className="break-all">⟨{shownText(url ?? "")}⟩</code>
);
const asText: Components = {
  a: ({ href, children }) => (
    <>
      {children} <Target url={href} />
    </>
  ),
  img: ({ src, alt }) => (
    <>
      {alt} <Target url={typeof src === "string" ? src : undefined} />
    </>
  ),
};
