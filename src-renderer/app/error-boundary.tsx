import type { ErrorInfo, ReactNode } from "react";
import { Component } from "react";
import { Button } from "../kit/button.tsx";
import { copyDiagnostics } from "../state/diagnostics.ts";

interface Props {
  /** What is shown inside, in the words of the screen. */
  readonly name: string;
  readonly children: ReactNode;
}

/** Keeps one broken panel from taking the window with it, and names the panel. */
export class ErrorBoundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(`${this.props.name} failed`, error, info.componentStack);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div role="alert" className="flex h-full flex-col items-start justify-center gap-2 p-6">
        <p className="font-medium">{this.props.name} could not be displayed.</p>
        <p className="font-mono text-sm break-all text-danger" data-selectable>
          {error.message}
        </p>
        <p className="text-muted">
          Your repository and your runs are not affected. Retry, or reload the window.
        </p>
        <div className="flex gap-2">
          <Button look="primary" onClick={() => this.setState({ error: null })}>
            Retry
          </Button>
          <Button onClick={() => location.reload()}>Reload the window</Button>
          <Button onClick={() => void copyDiagnostics(error)}>Copy diagnostics</Button>
        </div>
      </div>
    );
  }
}
