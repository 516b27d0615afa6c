import { MessageSquareText } from "lucide-react";
import type { CommentView } from "#shared/contract/views/archangel.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { CommentCard } from "./comment-card.tsx";

/** Comments one below the other; the resolved ones are folded away. */
export function CommentList({ comments }: { readonly comments: readonly CommentView[] }) {
  const open = comments.filter(({ isResolved }) => !isResolved);
  const resolved = comments.filter(({ isResolved }) => isResolved);
  if (comments.length === 0)
    return (
      <EmptyState icon={<MessageSquareText size={20} />} title="No comments">
        Comments from enabled archangels appear here.
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-2">
      {open.map((comment) => (
        <CommentCard key={comment.id} comment={comment} />
      ))}
      {resolved.length > 0 && (
        <details open={open.length === 0}>
          <summary className="cursor-default text-sm text-muted">
            {resolved.length === 1 ? "1 resolved" : `${resolved.length} resolved`}
          </summary>
          <div className="mt-2 flex flex-col gap-2">
            {resolved.map((comment) => (
              <CommentCard key={comment.id} comment={comment} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}
