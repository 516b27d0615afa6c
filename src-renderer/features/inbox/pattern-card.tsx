import { Check, X } from "lucide-react";
import Markdown from "react-markdown";
import { Badge } from "../../kit/badge.tsx";
import { shownText } from "#shared/domain/shown-text.ts";
import { CardFrame } from "./card-frame.tsx";
import type { ItemOf } from "./item-of.ts";

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
      <div className="prose-hox max-h-72 overflow-auto rounded-md border bg-sunken px-3 py-2" data-selectable>
        {/* Untrusted text: no raw HTML, and links and images stay text. */}
        <Markdown disallowedElements={["img", "a"]} unwrapDisallowed>
          {shownText(withoutFrontMatter(item.markdown))}
        </Markdown>
      </div>
    </CardFrame>
  );
}

const withoutFrontMatter = (markdown: string): string => markdown.replace(/^---\n[\s\S]*?\n---\n/u, "");
