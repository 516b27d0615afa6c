/** A line that travels while work is in progress; shown only when it takes a while. */
export function IndeterminateLine({ label }: { readonly label: string }) {
  return (
    <div role="progressbar" aria-label={label} className="appear-late h-0.5 w-full overflow-hidden bg-line">
      <div className="travel h-full w-1/4 bg-accent" />
    </div>
  );
}
