/** The text of a file, which the build puts in place of the import. */
declare module "*?raw" {
  const text: string;
  export default text;
}

/** The same of a program in one file, which the build makes of a source. */
declare module "*?program" {
  const text: string;
  export default text;
}
