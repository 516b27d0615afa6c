interface SectionProps {
  readonly title: string;
  readonly children: React.ReactNode;
}

export function Section({ title, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 font-semibold">{title}</h3>
      {children}
    </section>
  );
}
