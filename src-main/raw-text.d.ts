/** The text of a file, which the build puts in place of the import. */
declare module "*?raw" {
  const text: string;
  export default text;
}
