import { CircleDot, Combine, Gavel, Layers, Mail, Sparkles } from "lucide-react";
import type { Kind } from "#shared/domain/graph-words/metadata.ts";

const looks: Record<Kind, { readonly Icon: typeof Mail; readonly className: string }> = {
  task: { Icon: CircleDot, className: "text-muted" },
  base: { Icon: Layers, className: "text-info" },
  mutation: { Icon: Gavel, className: "text-warning" },
  message: { Icon: Mail, className: "text-faint" },
  integration: { Icon: Combine, className: "text-success" },
  pattern: { Icon: Sparkles, className: "text-review" },
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
  const { Icon, className } = looks[kind];
  return <Icon size={size} className={`shrink-0 ${className}`} role="img" aria-label={kindNames[kind]} />;
}
