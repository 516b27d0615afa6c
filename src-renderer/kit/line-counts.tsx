/** Lines that a file gained and lost; nothing is said of what did not happen. Of a file that is binary, empty or moved: no lines. */
export const LineCounts = ({ added, removed }: { readonly added: number; readonly removed: number }) => (
  <span className="flex shrink-0 gap-2 tabular-nums">
    {added > 0 && <span className="text-success">+{added}</span>}
    {removed > 0 && <span className="text-danger">−{removed}</span>}
    {added + removed === 0 && <span className="font-sans text-faint">no lines</span>}
  </span>
);
