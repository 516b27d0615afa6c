import { CircleDot, Combine, Gavel, Layers, Mail, Sparkles } from "lucide-react";
import type { Kind } from "#shared/domain/graph-words/metadata.ts";

const icons: Record<Kind, typeof Mail> = {
  task: CircleDot,
  base: Layers,
  mutation: Gavel,
  message: Mail,
  integration: Combine,
  pattern: Sparkles,
};

const colours: Record<Kind, string> = {
  task: "text-muted",
  base: "text-info",
  mutation: "text-warning",
  message: "text-faint",
  integration: "text-success",
  pattern: "text-review",
};

export const kindNames: Record<Kind, string> = {
  task: "task",
  base: "base",
  mutation: "decision",
  message: "message",
  integration: "integration",
  pattern: "pattern",
};

export function KindIcon({ kind, size = 14 }: { readonly kind: Kind; readonly size?: number }) {
  const Icon = icons[kind];
  return <Icon size={size} className={`shrink-0 ${colours[kind]}`} role="img" aria-label={kindNames[kind]} />;
}
