/** Why options for other people make no sense, with what to do; null: they do. */
export function listenRefusal(options: {
  readonly listen: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}): { readonly message: string; readonly remedy: string } | null {
  const { listen, tlsCert, tlsKey } = options;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    return {
      message: "TLS needs a certificate and its key.",
      remedy: "Give both --tls-cert <file> and --tls-key <file>.",
    };
  if (listen === undefined && tlsCert !== undefined)
    return {
      message: "A certificate is only used for other people.",
      remedy: "Add --listen <address>, for example --listen 0.0.0.0:8443.",
    };
  return null;
}
