export const hostArguments: readonly string[];
