import type { ReactNode } from "react";

interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  /** What to do about it. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex h-full min-h-32 flex-col items-center justify-center gap-1.5 px-6 py-8 text-center">
      {icon && <div className="mb-1 text-faint">{icon}</div>}
      <p className="font-medium text-text">{title}</p>
      {children && <div className="max-w-80 text-pretty text-muted">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
