/** A line that travels while something goes on; shown only when it lasts. */
export function IndeterminateLine({ label }: { readonly label: string }) {
  return (
    <div role="progressbar" aria-label={label} className="appear-late h-0.5 w-full overflow-hidden bg-line">
      <div className="travel h-full w-1/4 bg-accent" />
    </div>
  );
}
