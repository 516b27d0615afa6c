/**
 * For the Node that a host runs in. V8 lets the space for what lives shortly grow to 128 MB and gives none of it back;
 * a host with many agents fills it within a minute. A quarter of it costs no time that can be measured.
 */
export const hostArguments = ["--max-semi-space-size=16"];
