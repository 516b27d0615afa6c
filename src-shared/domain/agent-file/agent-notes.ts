/** Takes down what is wrong, each with its line. */
export interface Notes {
  readonly wrong: (line: number, problem: string, remedy: string) => void;
  readonly unused: (line: number, problem: string, remedy: string) => void;
}
