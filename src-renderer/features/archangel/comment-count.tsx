import { MessageSquareText } from "lucide-react";
import { useOpenComments } from "../../state/comments.ts";

/** How many comments wait on a change; nothing where none does. */
export function CommentCount({ changeId }: { readonly changeId: string }) {
  const count = useOpenComments(changeId);
  if (count === 0) return null;
  const words = count === 1 ? "1 open comment" : `${count} open comments`;
  return (
    <span
      className="inline-flex shrink-0 items-center gap-0.5 text-xs text-muted tabular-nums"
      role="img"
      aria-label={words}
      title={words}
    >
      <MessageSquareText size={12} aria-hidden />
      {count}
    </span>
  );
}
