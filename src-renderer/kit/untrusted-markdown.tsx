import Markdown, { type Components } from "react-markdown";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { cx } from "./class-names.ts";

interface UntrustedMarkdownProps {
  readonly text: string;
  readonly className?: string;
}

/** Markdown of others: no raw HTML, and links and pictures are text that names where they lead. */
export const UntrustedMarkdown = ({ text, className }: UntrustedMarkdownProps) => (
  <div className={cx("prose-hox break-words", className)} data-selectable>
    <Markdown components={asText} urlTransform={(url) => url}>
      {shownText(text)}
    </Markdown>
  </div>
);

const Target = ({ url }: { readonly url: string | undefined }) => (
  <code className="break-all">⟨{shownText(url ?? "")}⟩</code>
);
const asText: Components = {
  a: ({ href, children }) => (
    <>
      {children} <Target url={href} />
    </>
  ),
  img: ({ src, alt }) => (
    <>
      {alt} <Target url={typeof src === "string" ? src : undefined} />
    </>
  ),
};
