import type { ItemOf } from "#shared/contract/cards.ts";
import { CardFrame } from "./card-frame.tsx";

/** Asked in so many words before any command runs without a sandbox. */
export function SandboxCard({ item }: { readonly item: ItemOf<"sandbox"> }) {
  return (
    <CardFrame
      item={item}
      approve={{ label: "Run commands without a sandbox", decision: () => ({ kind: "approve" }) }}
      reject={{ label: "Do not run commands", reason: null }}
    >
      <p className="whitespace-pre-wrap text-muted">{item.description}</p>
      <p className="rounded-md bg-danger-soft px-3 py-2 text-sm text-danger">
        Without a sandbox an agent&apos;s command can read and change everything that you can: your files,
        your keys, your network.
      </p>
    </CardFrame>
  );
}
